//! Huge pages: for large results, whose memory is there sooner, and for mapped files, of which fewer places have to be looked up in the
//! tables of pages. On a virtual machine, where each such look-up leads through two of these tables, searches of an index in pages of 4
//! KiB took 2 to 3 times as long.
//!
//! Linux keeps a file in huge pages if its file system has large folios (XFS, ext4 since 6.16) and it was written so many bytes at a time
//! (at a multiple of as many), or is read first through a [map](advise_map) for which they were requested.

use crate::base::error::Result;
use crate::base::memory;
use memmap2::Mmap;

/// Bytes of a huge page.
pub(crate) const PAGE: usize = 2 << 20;

/// Allocations of at least this many bytes get huge pages if the system has them.
const LARGE: usize = PAGE;

/// Larger files than one in so many of the memory's bytes are read as usual: of these, whole huge pages would be read for a few bytes, and
/// drive others out.
const OF_MEMORY: u64 = 8;

/// Requests huge pages for a mapped file, unless it is small, or so large that memory may not hold it. The kernel may ignore the request.
pub(crate) fn advise_map(map: &Mmap) {
    #[cfg(target_os = "linux")]
    if map.len() >= PAGE && map.len() as u64 <= physical_memory() / OF_MEMORY {
        // A hint: failures do not matter.
        _ = map.advise(memmap2::Advice::HugePage);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = map;
}

/// Bytes of memory that the machine has; 0 if that is not known.
#[cfg(target_os = "linux")]
fn physical_memory() -> u64 {
    // SAFETY: it reads what the system says of itself.
    let [pages, bytes] = [libc::_SC_PHYS_PAGES, libc::_SC_PAGESIZE].map(|name| unsafe { libc::sysconf(name) });
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(bytes).unwrap_or(0))
}

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
