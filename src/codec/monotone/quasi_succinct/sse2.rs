//! SSE2, which every x86-64 processor has: the second pass with eight docIDs at a time, for b ≤ 8.

use super::tiles::Tile;
use std::arch::x86_64::*;

/// Reads lower bits, eight fields at a time, into lanes of 16 bits.
struct Lower {
    fields: *const u8,
    width: usize,
    /// How far to shift, and which bits to keep, in each of three steps: four fields go to each 64-bit lane, then two
    /// to each 32-bit lane, then one to each 16-bit lane.
    shifts: [__m128i; 3],
    masks: [__m128i; 3],
}

impl Lower {
    /// Starts at the first docID of the tile.
    fn new(tile: &Tile) -> Self {
        let width = tile.parts.lower_width as usize;
        debug_assert!(width <= 8);
        let low = |bits: usize| (1u64 << bits) - 1;
        // SAFETY: every x86-64 processor has SSE2.
        unsafe {
            let shift = |bits: usize| _mm_cvtsi32_si128(bits as i32);
            let mask = |bits: u64| _mm_set1_epi64x(bits as i64);
            Lower {
                fields: tile.parts.lower.as_ptr().cast::<u8>().wrapping_add(tile.first / 8 * width),
                width,
                shifts: [shift(4 * width), shift(32 - 2 * width), shift(16 - width)],
                masks: [
                    mask(low(4 * width)),
                    mask(low(2 * width) * 0x0000_0001_0000_0001),
                    mask(low(width) * 0x0001_0001_0001_0001),
                ],
            }
        }
    }

    /// The next eight fields.
    ///
    /// # Safety
    /// The first of them belongs to a docID of the list.
    #[inline(always)]
    unsafe fn next(&mut self) -> __m128i {
        // SAFETY: the first field begins in the lower bits, so the 8 bytes from there on end in them or their padding;
        // every x86-64 processor has SSE2.
        unsafe {
            let stored = _mm_loadl_epi64(self.fields.cast());
            let fours = _mm_and_si128(_mm_unpacklo_epi64(stored, _mm_srl_epi64(stored, self.shifts[0])), self.masks[0]);
            let twos = _mm_and_si128(_mm_or_si128(fours, _mm_sll_epi64(fours, self.shifts[1])), self.masks[1]);
            self.fields = self.fields.wrapping_add(self.width);
            _mm_and_si128(_mm_or_si128(twos, _mm_sll_epi64(twos, self.shifts[2])), self.masks[2])
        }
    }
}

/// As [`Passes::merge`](super::tiles::Passes::merge).
///
/// # Safety
/// As for [`Passes::merge`](super::tiles::Passes::merge); b is at most 8; `out` has room for 7 more.
pub(super) unsafe fn merge(tile: &Tile, out: *mut u32) {
    let mut lower = Lower::new(tile);
    // SAFETY: the first of each eight docIDs is in the list; both `positions` and `out` have room for 7 docIDs after
    // the tile; every x86-64 processor has SSE2.
    unsafe {
        let (zero, left) = (_mm_setzero_si128(), _mm_cvtsi32_si128(tile.parts.lower_width as i32));
        let base = _mm_set1_epi32(tile.base as i32);
        let mut index = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
        for at in (0..tile.count).step_by(8) {
            let positions = _mm_loadu_si128(tile.positions.as_ptr().add(at).cast());
            // Never negative: i stop bits of the tile come before the one with index i.
            let upper = _mm_sub_epi16(positions, index);
            let lower = lower.next();
            let to = out.add(at).cast::<__m128i>();
            let low = _mm_sll_epi32(_mm_add_epi32(_mm_unpacklo_epi16(upper, zero), base), left);
            let high = _mm_sll_epi32(_mm_add_epi32(_mm_unpackhi_epi16(upper, zero), base), left);
            _mm_storeu_si128(to, _mm_or_si128(low, _mm_unpacklo_epi16(lower, zero)));
            _mm_storeu_si128(to.add(1), _mm_or_si128(high, _mm_unpackhi_epi16(lower, zero)));
            index = _mm_add_epi16(index, _mm_set1_epi16(8));
        }
    }
}

/// Like [`merge`], but writes only the low halves.
///
/// # Safety
/// As for [`merge`].
pub(super) unsafe fn merge_halves(tile: &Tile, out: *mut u16) {
    let mut lower = Lower::new(tile);
    // SAFETY: as in `merge`.
    unsafe {
        let left = _mm_cvtsi32_si128(tile.parts.lower_width as i32);
        let first = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
        let mut index = _mm_sub_epi16(first, _mm_set1_epi16(tile.base as i16));
        for at in (0..tile.count).step_by(8) {
            let positions = _mm_loadu_si128(tile.positions.as_ptr().add(at).cast());
            let upper = _mm_sll_epi16(_mm_sub_epi16(positions, index), left);
            _mm_storeu_si128(out.add(at).cast(), _mm_or_si128(upper, lower.next()));
            index = _mm_add_epi16(index, _mm_set1_epi16(8));
        }
    }
}
