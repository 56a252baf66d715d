//! One word at a time, without branches that depend on its contents.

use super::Scanned;
use crate::yioop::format::modified9::layout;

/// # Safety
/// As [`super::scan`].
pub(super) unsafe fn scan<const DOCS: bool, const OFFSETS: bool>(
    postings: &[u8],
    docs: *mut u32,
    offsets: *mut u32,
) -> Scanned {
    let mut count = 0;
    let mut fault = false;
    let mut open = 0;
    let (mut run, mut longest_run) = (0, 0);
    let mut largest = 0;
    let (words, _) = postings.as_chunks();
    for (at, word) in words.iter().enumerate() {
        let word = u32::from_be_bytes(*word);
        let layout = layout(word);
        // As `Layout::nonzero` and `modified9::fault`.
        let payload = word & (layout.low_bits | layout.high_bits);
        let carried = ((word & layout.low_bits) + layout.low_bits) | word;
        let zeros = layout.high_bits & !carried;
        // All bits below the highest bit of the lowest value that is 0; all bits if there is none.
        let below = zeros.wrapping_sub(1) & !zeros;
        let goes_on = word >> 31;
        let later = goes_on ^ (word >> 30 & 1);
        fault |= payload.wrapping_sub(1) >= below || word & layout.unused != 0 || later != open;
        open = goes_on;
        run = if later == 0 { 0 } else { run + 1 };
        longest_run = longest_run.max(run);
        largest = largest.max(if layout.count == 1 && later == 1 { payload } else { 0 });
        if DOCS {
            let shift = 32 - layout.width.min(32) - (carried & layout.high_bits).leading_zeros().min(32 - layout.width);
            let value = payload >> shift;
            let doc = if value >> 27 == 0 { value.wrapping_sub(1) } else { value >> 9 & 0x3_FFFF };
            // SAFETY: `count` is at most `at`, and there is room for an entry per word.
            unsafe { docs.add(count).write(doc) };
        }
        if OFFSETS {
            // SAFETY: as above.
            unsafe { offsets.add(count).write(at as u32 * 4) };
        }
        count += usize::from(later == 0);
    }
    Scanned::new(count, fault | (open != 0), 1, longest_run, largest)
}
