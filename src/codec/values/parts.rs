//! What codecs whose parts are bit streams share: decoding part by part, and the check of a part's end.

use crate::base::bits;
use crate::codec::BLOCK;

/// Decodes parts that have `count` values together, to `out` on. `decode` decodes the part of so many values at the front of
/// the words and returns the number of its words.
#[inline(always)]
pub(super) fn each_part(words: &[u32], count: usize, out: *mut u32, decode: impl Fn(&[u32], usize, *mut u32) -> usize) {
    let (mut words, mut done) = (words, 0);
    while done < count {
        let now = (count - done).min(BLOCK);
        let used = decode(words, now, out.wrapping_add(done));
        words = &words[used..];
        done += now;
    }
}

/// Checks that a part has just the words that `end` bits take, and that the bits after them are 0.
///
/// # Errors
/// The index of the word that is wrong, and what is wrong with it.
pub(super) fn check_end(words: &[u32], end: usize) -> Result<(), (usize, String)> {
    let wanted = bits::words_for(end as u64) as usize;
    if words.len() != wanted {
        return Err((0, format!("{} words where the header says {wanted}", words.len())));
    }
    if bits::get(words, end as u64, (32 * wanted - end) as u32) != 0 {
        return Err((wanted - 1, "unused bits are not 0".into()));
    }
    Ok(())
}
