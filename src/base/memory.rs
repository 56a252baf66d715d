//! Memory of sizes that documents, files and queries decide: what cannot be had is an error. Rust's collections would end the
//! process.

use crate::base::error::{Error, Result};
use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_vec;
use std::collections::TryReserveError;

/// The error for elements that have no room.
#[cold]
fn out_of_memory<T>(count: usize) -> impl FnOnce(TryReserveError) -> Error {
    move |_| Error::OutOfMemory { bytes: count.saturating_mul(size_of::<T>()) }
}

/// An empty vector with room for that many elements.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(crate) fn room<T>(count: usize) -> Result<Vec<T>> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).map_err(out_of_memory::<T>(count))?;
    Ok(vector)
}

/// That many equal elements.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(crate) fn filled<T: Clone>(element: T, count: usize) -> Result<Vec<T>> {
    let mut vector = room(count)?;
    vector.resize(count, element);
    Ok(vector)
}

/// That many zeros. The system makes pages of zeros when they are first used, so that a large vector costs what is used of
/// it.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(crate) fn zeros<T: Zeroable>(count: usize) -> Result<Vec<T>> {
    try_zeroed_vec(count).map_err(|()| Error::OutOfMemory { bytes: count.saturating_mul(size_of::<T>()) })
}

/// All elements, of which the iterator knows how many there are at least.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(crate) fn collected<T>(elements: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut vector = room(elements.size_hint().0)?;
    vector.extend(elements);
    Ok(vector)
}

/// A copy of a slice.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(crate) fn copied<T: Copy>(slice: &[T]) -> Result<Vec<T>> {
    let mut vector = room(slice.len())?;
    vector.extend_from_slice(slice);
    Ok(vector)
}

/// Makes room for `more` elements, the first time for exactly so many. Large vectors grow by a quarter, so that little of the room
/// stays unused.
///
/// # Errors
/// [`Error::OutOfMemory`]; the vector is as it was.
#[inline]
pub(crate) fn reserve<T>(vector: &mut Vec<T>, more: usize) -> Result<()> {
    let free = vector.capacity() - vector.len();
    if free < more { grow(vector, more) } else { Ok(()) }
}

/// The same for one of many vectors, most of which stay small.
///
/// # Errors
/// As [`reserve`].
#[inline]
pub(crate) fn reserve_few<T>(vector: &mut Vec<T>, more: usize) -> Result<()> {
    let free = vector.capacity() - vector.len();
    if free < more { grow_by(vector, more.max(vector.len()).max(16)) } else { Ok(()) }
}

#[cold]
fn grow<T>(vector: &mut Vec<T>, more: usize) -> Result<()> {
    let wanted = if vector.capacity() == 0 { more } else { more.max(vector.len() / 4).max(1024) };
    grow_by(vector, wanted)
}

#[cold]
fn grow_by<T>(vector: &mut Vec<T>, wanted: usize) -> Result<()> {
    vector.try_reserve_exact(wanted).map_err(out_of_memory::<T>(wanted))
}

/// Has the processor fetch all lines of what is read soon; where it cannot be asked, nothing is done.
#[inline(always)]
pub(crate) fn prefetch<T>(soon: &[T]) {
    #[cfg(target_arch = "x86_64")]
    if !soon.is_empty() {
        const LINE: usize = 64;
        let start: *const u8 = soon.as_ptr().cast();
        let before = start.addr() % LINE;
        for at in (0..before + size_of_val(soon)).step_by(LINE) {
            let line = start.wrapping_sub(before).wrapping_add(at);
            // SAFETY: it reads nothing that the program sees.
            unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error() {
        let bytes = usize::MAX / 2;
        assert_eq!(room::<u8>(bytes), Err(Error::OutOfMemory { bytes }));
        assert_eq!(filled(0u64, bytes), Err(Error::OutOfMemory { bytes: usize::MAX }));
        assert_eq!(zeros::<u64>(bytes), Err(Error::OutOfMemory { bytes: usize::MAX }));
        assert_eq!(zeros::<u32>(bytes / 8), Err(Error::OutOfMemory { bytes: bytes / 8 * 4 }));
        assert_eq!((zeros::<u32>(0).unwrap(), zeros::<u64>(3).unwrap()), (vec![], vec![0; 3]));
        assert_eq!(collected(0..u64::MAX), Err(Error::OutOfMemory { bytes: usize::MAX }));
        let mut vector = vec![1u16, 2];
        assert!(matches!(reserve(&mut vector, usize::MAX), Err(Error::OutOfMemory { .. })));
        assert_eq!(vector, [1, 2]);
        reserve(&mut vector, 1).unwrap();
        assert!(vector.capacity() >= 1026);
        assert_eq!((filled(7, 3).unwrap(), collected(0..3).unwrap()), (vec![7; 3], vec![0, 1, 2]));
    }
}
