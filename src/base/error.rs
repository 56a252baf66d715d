//! The error type of the crate. Each variant says what was wrong and where.

/// The result type of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Input bytes that no encoder would write.
    #[error("{codec}: {item} at byte {offset}: {what}")]
    Corrupt {
        /// The format that was being read: `simple9`, `qs`, `modified9`, `posting list`, `shard` …
        codec: &'static str,
        /// The damaged part: `word 12`, `header`, `block 3` …
        item: String,
        /// The offset of that part from the start of the input, in bytes.
        offset: usize,
        /// What is wrong with it.
        what: String,
    },

    /// docIDs or positions that are not strictly increasing.
    #[error("{what} at index {index}: {got} is not greater than {previous} before it")]
    NotIncreasing {
        /// `docID` or `position`.
        what: &'static str,
        /// The index of the value that is not greater than the one before it.
        index: usize,
        /// The value at the index before.
        previous: u64,
        /// The value at `index`.
        got: u64,
    },

    /// A value that the codec cannot encode.
    #[error("{codec} cannot code {value} at index {index}: {limit}")]
    NotCodable {
        /// The codec's name.
        codec: &'static str,
        /// The index of the value in the caller's input.
        index: usize,
        /// The value to be encoded: a docID, a gap minus one, or a position.
        value: u64,
        /// The limit that it exceeds, as text.
        limit: &'static str,
    },

    /// An argument outside its domain.
    #[error("{0}")]
    Argument(String),

    /// A file that could not be read.
    #[error("{path}: {what}")]
    File {
        /// The path as the caller gave it.
        path: String,
        /// The operating system's error message.
        what: String,
    },

    /// There is no index in a folder, or no folder.
    #[error("{path}: {what}")]
    Missing {
        /// The path as the caller gave it.
        path: String,
        /// What is missing.
        what: String,
    },

    /// Another writer has the index.
    #[error("{path}: {what}")]
    Locked {
        /// The path of the index.
        path: String,
        /// What is known of the other writer.
        what: String,
    },

    /// A result or a copy of the input needs more memory than the machine or a limit of the process allows.
    #[error("out of memory: cannot allocate {bytes} bytes")]
    OutOfMemory {
        /// The size of the allocation that failed.
        bytes: usize,
    },

    /// A search took longer than it may. Searches say so in what they return, so this is only seen of counts and facets.
    #[error("the deadline has passed")]
    Expired,

    /// Statistics that do not fit a search or each other, as one says of which term and field.
    #[error("{0}")]
    Statistics(String),

    /// An index that was asked from elsewhere did not answer.
    #[error("{what}")]
    Refused {
        /// Why.
        why: Refusal,
        /// The same in words.
        what: String,
    },

    /// A stream holds as much as it may.
    #[error("the stream is full: {0}; take answers first")]
    Full(String),

    /// A defect of this crate: a thread that worked in the background has panicked. The message is in the log.
    #[error("internal error: a thread panicked")]
    Panicked,

    /// The OpenCL device failed; callers retry on the CPU.
    #[error("device: {0}")]
    Device(String),
}

/// Why a leaf, an index that is asked from elsewhere, did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It speaks another version of the exchange.
    Version = 1,
    /// It has another schema or analyzer.
    Schema = 2,
    /// It has another commit than the one that was asked for.
    Commit = 3,
    /// The request asks for what is not there, or for too much, or is damaged.
    Request = 4,
    /// The deadline has passed.
    Deadline = 5,
    /// Its files, its memory or its machine failed.
    Failed = 6,
    /// The statistics do not fit: who asked gets an [`Error::Statistics`].
    Statistics = 7,
}

impl Refusal {
    /// Each of them, by its number less one.
    pub const ALL: [Refusal; 7] = [
        Refusal::Version,
        Refusal::Schema,
        Refusal::Commit,
        Refusal::Request,
        Refusal::Deadline,
        Refusal::Failed,
        Refusal::Statistics,
    ];
}

impl Error {
    /// Makes an [`Error::Corrupt`].
    pub fn corrupt(codec: &'static str, item: impl Into<String>, offset: usize, what: impl Into<String>) -> Self {
        Error::Corrupt { codec, item: item.into(), offset, what: what.into() }
    }
}
