//! Decodes whole lists on the device: `cl/op/decode.cl`.

use super::codec::{self, Codecs, Operation, check_fits};
use super::handle::Device;
use super::memory::Slot;
use super::session::Arg;
use crate::base::error::Result;
use crate::base::huge_pages::try_with_room;
use crate::list::PostingList;

static DECODE: Operation = Operation {
    name: "decode",
    common: "",
    per_codec: "",
    kernels: include_str!("../../cl/op/decode.cl"),
    geometry: &[("ITEMS", ITEMS)],
};

/// Work-items of a work-group.
const ITEMS: usize = 64;

const OUT: Slot = Slot(0);

impl Device {
    /// All docIDs of a list, ascending.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn decode(&self, list: &PostingList) -> Result<Vec<u32>> {
        check_fits(list)?;
        let mut doc_ids = try_with_room(list.len())?;
        if list.is_empty() {
            return Ok(doc_ids);
        }
        let kernel = codec::kernel(&DECODE, Codecs::of([list]), "decode");
        let mut session = self.lock()?;
        let mut at = Vec::with_capacity(1);
        session.resident(std::iter::once(list), &mut at)?;
        session.scratch(OUT, list.len())?;
        let groups = list.len().div_ceil(codec::of(list.codec()).run * ITEMS);
        let args = [Arg::Arena, Arg::U64(at[0]), Arg::Slot(OUT)];
        // SAFETY: every `PostingList` is checked, and `check_fits` accepted this one; `resident` put its words and
        // padding at `at`; `scratch` made room for its docIDs in `OUT`, and the kernel writes no others.
        unsafe { session.launch(kernel, groups, ITEMS, &args)? };
        session.read(OUT, 0..list.len(), &mut doc_ids)?;
        Ok(doc_ids)
    }
}
