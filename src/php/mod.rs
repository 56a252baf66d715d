//! The PHP face.
