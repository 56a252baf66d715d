//! The one error type of the crate: each variant says what was wrong and where.

/// What every fallible function of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation could not be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Bytes from outside that no encoder writes.
    #[error("{codec}: {item} at byte {offset}: {what}")]
    Corrupt {
        /// The format that was being read: `simple9`, `qs`, `modified9`, `posting list`, `shard` …
        codec: &'static str,
        /// The part that is wrong: `word 12`, `header`, `block 3` …
        item: String,
        /// Where it begins, in bytes from the start of the input.
        offset: usize,
        /// What is wrong with it.
        what: String,
    },

    /// docIDs (or positions) that do not rise.
    #[error("{what} at index {index}: {got} is not greater than {previous} before it")]
    NotIncreasing {
        /// `docID` or `position`.
        what: &'static str,
        /// Index of the later of the two.
        index: usize,
        /// The value before it.
        previous: u64,
        /// The value at `index`.
        got: u64,
    },

    /// A value that the codec cannot write.
    #[error("{codec} cannot code {value} at index {index}: {limit}")]
    NotCodable {
        /// The codec that was asked.
        codec: &'static str,
        /// Index of the value in the caller's input.
        index: usize,
        /// The value that is to be written: a docID, a gap minus one, or a position.
        value: u64,
        /// The limit it breaks, in words.
        limit: &'static str,
    },

    /// An argument outside its domain.
    #[error("{0}")]
    Argument(String),

    /// A file could not be read.
    #[error("{path}: {what}")]
    File {
        /// The file's path as the caller gave it.
        path: String,
        /// What the operating system said.
        what: String,
    },

    /// The machine, or a limit of the process, does not give the memory that a result or a copy of the input needs.
    #[error("out of memory: cannot allocate {bytes} bytes")]
    OutOfMemory {
        /// Bytes that were asked for.
        bytes: usize,
    },

    /// The OpenCL device failed; callers retry on the CPU.
    #[error("device: {0}")]
    Device(String),
}

impl Error {
    /// A [`Error::Corrupt`], for the parsers.
    pub fn corrupt(codec: &'static str, item: impl Into<String>, offset: usize, what: impl Into<String>) -> Self {
        Error::Corrupt { codec, item: item.into(), offset, what: what.into() }
    }
}
