//! Memory for large results.

/// Words from which on huge pages are asked for: 4 MiB.
const LARGE: usize = 1 << 20;

/// An empty vector with room for `words`. On Linux, large ones ask for huge pages: new memory is else touched 4 KiB at a
/// time, and the faults take longer than decoding does. Advice only: the kernel may do as it likes.
pub(crate) fn with_room(words: usize) -> Vec<u32> {
    let room = Vec::with_capacity(words);
    if words >= LARGE {
        advise(&room);
    }
    room
}

#[cfg(target_os = "linux")]
fn advise(room: &Vec<u32>) {
    const PAGE: usize = 2 << 20;
    let begin = room.as_ptr() as usize;
    let first = begin.next_multiple_of(PAGE);
    let end = (begin + size_of::<u32>() * room.capacity()) / PAGE * PAGE;
    if first < end {
        // SAFETY: the range is within the vector's own allocation, and the advice changes no content.
        unsafe {
            libc::madvise(
                room.as_ptr().cast_mut().cast::<u8>().add(first - begin).cast(),
                end - first,
                libc::MADV_HUGEPAGE,
            )
        };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_: &Vec<u32>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_like_any_other() {
        for words in [0, 1, LARGE - 1, LARGE, 3 * LARGE + 5] {
            let mut room = with_room(words);
            assert!(room.is_empty() && room.capacity() >= words);
            let place = room.as_ptr();
            room.resize(words, 7);
            assert!(room.iter().all(|&word| word == 7));
            assert_eq!(place, room.as_ptr());
        }
    }
}
