//! Modified 9: Yioop's variant of Simple-9.
