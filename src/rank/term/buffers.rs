//! [`Buffers`]: memory that a cursor works in. Threads keep it, as making it takes as long as finding a rare word.

use crate::codec::{BLOCK, BlockBuffer, block_buffer};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// How many a thread keeps.
const MOST: usize = 64;

/// What a cursor has read of a block. New ones have what another cursor left there.
pub(super) struct Memory {
    pub(super) doc_ids: BlockBuffer,
    pub(super) scores: [f32; BLOCK],
    /// Frequencies less 1.
    pub(super) less_one: [u32; BLOCK],
}

/// The memory of a cursor, until it is dropped.
pub(super) struct Buffers(ManuallyDrop<Box<Memory>>);

/// What threads keep: handed out as it is.
type Kept = Box<Memory>;

thread_local! {
    static KEPT: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

impl Buffers {
    pub(super) fn new() -> Buffers {
        let kept = KEPT.try_with(|kept| kept.borrow_mut().pop()).ok().flatten();
        let new = || Box::new(Memory { doc_ids: block_buffer(), scores: [0.0; BLOCK], less_one: [0; BLOCK] });
        Buffers(ManuallyDrop::new(kept.unwrap_or_else(new)))
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: it is not used again.
        let memory = unsafe { ManuallyDrop::take(&mut self.0) };
        // A thread that ends keeps nothing any more.
        _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() < MOST {
                kept.push(memory);
            }
        });
    }
}

impl Deref for Buffers {
    type Target = Memory;

    #[inline(always)]
    fn deref(&self) -> &Memory {
        &self.0
    }
}

impl DerefMut for Buffers {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Memory {
        &mut self.0
    }
}
