//! [`Id`], [`Value`] and [`Document`]: what a caller puts into an index.

/// The caller's name of a document. Integers and strings are different: `7` is not `'7'`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    /// An integer.
    Int(i64),
    /// A string, of any bytes.
    Bytes(Box<[u8]>),
}

/// The value of one field of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text, for the analyzer. Bytes that are not UTF-8 are replaced by U+FFFD.
    Text(Vec<u8>),
    /// The caller's own terms, in the place of a text: positions are their indices.
    Tokens(Vec<Vec<u8>>),
    /// The values of a keyword field, or several texts.
    Keywords(Vec<Vec<u8>>),
    /// A number; finite.
    Number(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A moment: seconds since 1970 began, and the same in ISO 8601. Stored as a text.
    Time(f64, Vec<u8>),
    /// Several texts, numbers, integers or truth values.
    List(Vec<Value>),
    /// A point on the earth: latitude and longitude in degrees. Stored as a list of two numbers.
    Point(f64, f64),
    /// The components of a vector.
    Vector(Vec<f32>),
    /// Terms, each once, and their weights.
    Weights(Vec<(Vec<u8>, f32)>),
}

/// A document: values by field number, each field at most once. Fields that are missing are empty. Of several fields with
/// one name, the first is given the value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Field numbers and their values.
    pub values: Vec<(usize, Value)>,
}

/// The longest value of a keyword field, in bytes.
pub const LONGEST_KEYWORD: usize = 1000;
