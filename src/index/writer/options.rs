//! [`WriterOptions`]: how a writer works.

use crate::base::threads;
use crate::index::Schema;
use crate::index::list::{BlockCodec, Codecs};
use std::sync::Arc;
use std::time::Duration;

/// How a [`Writer`](super::Writer) works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterOptions {
    /// Bytes of memory for pending documents and what writing them takes, 64 MiB by default and at least
    /// [`WriterOptions::LEAST_MEMORY`]. Maps of files, and a bit per document of segments with deleted ones, come in addition.
    pub memory: usize,
    /// How many threads analyse documents and merge segments, 1 by default; 0 stands for one per core. Documents are
    /// analysed by one thread per 15 MiB of `memory` at most, and if all since the last commit fit into it by one per 30 MiB:
    /// 64 MiB per thread is good. Threads end with the call that started them.
    pub threads: usize,
    /// The codec of frequencies in what is written from now on; `None`: what the index has, or the schema says.
    pub frequency_codec: Option<BlockCodec>,
    /// That of positions.
    pub position_codec: Option<BlockCodec>,
    /// How long to wait for a lock that another writer has; not at all by default.
    pub wait: Duration,
}

impl Default for WriterOptions {
    fn default() -> Self {
        WriterOptions {
            memory: 64 << 20,
            threads: 1,
            frequency_codec: None,
            position_codec: None,
            wait: Duration::ZERO,
        }
    }
}

impl WriterOptions {
    /// The least memory with which a writer works, in bytes.
    pub const LEAST_MEMORY: usize = 16 << 20;

    pub(super) fn memory(&self) -> usize {
        self.memory.max(WriterOptions::LEAST_MEMORY)
    }

    /// The memory for the builders of several threads. The rest is for the documents that wait for them: in builders they
    /// take about as much again, and the writing of segments takes some in addition.
    pub(super) fn builders(&self) -> usize {
        self.memory() / 16 * 11
    }

    pub(super) fn threads(&self) -> usize {
        threads::at_most(self.threads, usize::MAX)
    }

    /// A schema with the codecs that they name.
    pub(super) fn applied(&self, schema: &Arc<Schema>) -> Arc<Schema> {
        let Codecs { frequencies, positions } = schema.codecs;
        let codecs = Codecs {
            frequencies: self.frequency_codec.unwrap_or(frequencies),
            positions: self.position_codec.unwrap_or(positions),
        };
        if codecs == schema.codecs { schema.clone() } else { Arc::new(Schema { codecs, ..(**schema).clone() }) }
    }
}
