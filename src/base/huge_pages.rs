//! Memory for large results.

use crate::base::error::Result;
use crate::base::memory;

/// Allocations of at least this many bytes get huge pages if the system has them.
const LARGE: usize = 2 << 20;

/// An empty vector with room for `words` words, in huge pages if it is large.
pub(crate) fn with_room(words: usize) -> Vec<u32> {
    let mut room: Vec<u32> = Vec::with_capacity(words);
    // SAFETY: the range is the vector's own allocation.
    unsafe { advise(room.as_mut_ptr().cast(), size_of::<u32>() * room.capacity()) };
    room
}

/// As [`with_room`], with an error if there is no such memory.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(crate) fn try_with_room(words: usize) -> Result<Vec<u32>> {
    let mut room: Vec<u32> = memory::room(words)?;
    // SAFETY: the range is the vector's own allocation.
    unsafe { advise(room.as_mut_ptr().cast(), size_of::<u32>() * room.capacity()) };
    Ok(room)
}

/// Requests huge pages for a large new allocation. Otherwise each 4 KiB page is faulted in separately, which takes
/// longer than decoding does. The kernel may ignore the request.
///
/// # Safety
/// The range lies within one allocation that belongs to the caller.
pub(crate) unsafe fn advise(begin: *mut u8, bytes: usize) {
    if bytes >= LARGE {
        // SAFETY: the same contract.
        unsafe { advise_large(begin, bytes) };
    }
}

#[cfg(target_os = "linux")]
unsafe fn advise_large(begin: *mut u8, bytes: usize) {
    const PAGE: usize = 2 << 20;
    let first = begin.align_offset(PAGE);
    let whole = bytes.saturating_sub(first) / PAGE * PAGE;
    if whole != 0 {
        // SAFETY: `whole` bytes after `first` lie within the range that belongs to the caller, and the advice changes
        // no content.
        unsafe { libc::madvise(begin.add(first).cast(), whole, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
unsafe fn advise_large(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_like_any_other() {
        for words in [0, 1, LARGE / 4 - 1, LARGE / 4, LARGE + 5] {
            let mut room = with_room(words);
            assert!(room.is_empty() && room.capacity() >= words);
            let place = room.as_ptr();
            room.resize(words, 7);
            assert!(room.iter().all(|&word| word == 7));
            assert_eq!(place, room.as_ptr());
        }
    }
}
