//! Each docID of the shorter slice is searched in the longer one, from where the one before was found.

use super::{Chunks, Pair};
use crate::base::cpu::Tier;
use crate::codec::{Sink, gallop};

pub(super) struct Gallop;

impl Pair for Gallop {
    fn meet<S: Sink>(_: Tier, a: &[u32], b: &[u32], sink: &mut S) {
        let (shorter, longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let (mut chunks, mut at) = (Chunks::new(sink), 0);
        for &doc_id in shorter {
            at += gallop(&longer[at..], doc_id);
            let Some(&found) = longer.get(at) else { break };
            chunks.push_if(doc_id, found == doc_id);
        }
        chunks.flush();
    }
}
