//! Looking docIDs up in a quasi-succinct list that is not decoded.

#[cfg(target_arch = "x86_64")]
mod select;

#[cfg(target_arch = "x86_64")]
pub use select::Select as LookUp;

#[cfg(not(target_arch = "x86_64"))]
pub use crate::codec::NoLookUp as LookUp;
