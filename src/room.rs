//! Memory for large results.

/// Bytes from which on huge pages are asked for.
const LARGE: usize = 2 << 20;

/// An empty vector with room for `words`, which asks for huge pages where it is large.
pub(crate) fn with_room(words: usize) -> Vec<u32> {
    let mut room: Vec<u32> = Vec::with_capacity(words);
    // SAFETY: this is the vector's own allocation.
    unsafe { advise(room.as_mut_ptr().cast(), size_of::<u32>() * room.capacity()) };
    room
}

/// Asks for huge pages for new memory, if it is large. It is else touched 4 KiB at a time, and the faults take longer
/// than decoding does. Advice only: the kernel may do as it likes.
///
/// # Safety
/// The memory belongs to the caller.
pub(crate) unsafe fn advise(begin: *mut u8, bytes: usize) {
    if bytes >= LARGE {
        // SAFETY: the caller's promise.
        unsafe { advise_large(begin, bytes) };
    }
}

#[cfg(target_os = "linux")]
unsafe fn advise_large(begin: *mut u8, bytes: usize) {
    const PAGE: usize = 2 << 20;
    let first = begin.align_offset(PAGE);
    let whole = bytes.saturating_sub(first) / PAGE * PAGE;
    if whole != 0 {
        // SAFETY: the range is within the memory, and the advice changes no content.
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
