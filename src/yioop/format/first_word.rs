//! The first value of a posting, which holds the doc index, and in the joint form the first position too.

use super::modified9;

/// The bit of a posting's first value that marks the joint form.
pub(super) const JOINT: u32 = 1 << 27;

/// Bits of the first position in the joint form.
pub(super) const JOINT_POSITION_BITS: u32 = 9;

/// The doc indexes of the joint form.
pub(super) const JOINT_DOC_INDEXES: std::ops::Range<u32> = 1 << 15..1 << 18;

/// What a posting's first value says: the doc index, and the first position if the form is joint.
#[inline]
pub(super) fn split_first_value(value: u32) -> (u32, Option<u32>) {
    if value & JOINT == 0 {
        (value - 1, None)
    } else {
        ((value ^ JOINT) >> JOINT_POSITION_BITS, Some(value & ((1 << JOINT_POSITION_BITS) - 1)))
    }
}

/// The doc index of a posting that begins with this word (top bits 11 or 00), whatever the form. For a word that has
/// not passed the check the result is meaningless, but release builds never panic.
///
/// In OpenCL C, with the tables of `modified9::BY_PREFIX`: the highest nonzero value of the word; if it has bit 27, its
/// bits 26 … 9, otherwise the value minus one.
#[inline]
pub(crate) fn doc_index_of_first_word(word: u32) -> u32 {
    split_first_value(modified9::first_value(word)).0
}
