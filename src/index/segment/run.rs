//! Runs: segments that only a merge reads.
//!
//! A writer whose memory is full writes what it has gathered as a run, and the next commit merges runs into a segment: what
//! searches need beside lists is made once, by the merge (Heinz and Zobel 2003, "Efficient single-pass index construction for
//! text databases"). A run is a segment with a flag of its own, without pairs, frequent words and champions. All its lists are
//! [streams](crate::index::list::encode_stream), and in the place of each `fst` map it has the terms one after the other:
//!
//! ```text
//! per term, ascending: bytes shared with the one before, bytes that follow, these bytes, its value less the one before
//! ```
//! Numbers are LEB128, of at most 35 bits; differences d are 2d, or −2d − 1 if they are negative.

use super::Segment;
use super::section::SectionRef;
use crate::base::error::Result;
use crate::base::leb128::put;
use crate::index::LONGEST_KEYWORD;
use crate::index::list::Numbers;
use std::fmt;
use std::io::{self, Write};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A segment, which can be searched.
    Segment,
    /// A run, which waits to be merged.
    Run,
}

impl fmt::Display for Form {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Form::Segment => "segment",
            Form::Run => "run",
        })
    }
}

/// Writes the terms of a run.
pub(super) struct TermWriter<W> {
    out: W,
    last: Vec<u8>,
    value: u64,
    record: Vec<u8>,
}

impl<W: Write> TermWriter<W> {
    pub fn new(out: W) -> TermWriter<W> {
        TermWriter { out, last: Vec::new(), value: 0, record: Vec::new() }
    }

    /// Writes the next term.
    pub fn insert(&mut self, term: &[u8], value: u64) -> io::Result<()> {
        let shared = self.last.iter().zip(term).take_while(|(a, b)| a == b).count();
        let rest = &term[shared..];
        let more = value.wrapping_sub(self.value) as i64;
        self.record.clear();
        put(&mut self.record, shared as u64);
        put(&mut self.record, rest.len() as u64);
        self.record.extend_from_slice(rest);
        put(&mut self.record, (more << 1 ^ more >> 63) as u64);
        self.last.truncate(shared);
        self.last.extend_from_slice(rest);
        self.value = value;
        self.out.write_all(&self.record)
    }

    /// What they were written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// The terms of a run, in the order of their bytes, each with a value: as a [dictionary](super::Dictionary) has them.
pub struct RunTerms<'s> {
    part: SectionRef<'s>,
    /// Where in it `numbers` end.
    end: usize,
    numbers: Numbers<'s>,
    term: Vec<u8>,
    value: u64,
    /// Whether there was one.
    begun: bool,
}

impl<'s> RunTerms<'s> {
    /// Those in a section, from byte `head` on. All of it is read and checked.
    pub(super) fn new(part: SectionRef<'s>, head: usize) -> Result<RunTerms<'s>> {
        let bytes = part.all()?;
        Ok(RunTerms {
            part,
            end: part.len(),
            numbers: Numbers(bytes.get(head..).unwrap_or_default()),
            term: Vec::new(),
            value: 0,
            begun: false,
        })
    }

    /// The next one.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt) if it does not follow the one before, or is no term.
    pub fn next(&mut self) -> Result<Option<(&[u8], u64)>> {
        if self.numbers.0.is_empty() {
            return Ok(None);
        }
        let at = self.end - self.numbers.0.len();
        match self.read() {
            Some(()) => Ok(Some((&self.term, self.value))),
            None => Err(self.part.corrupt(at, "no term that follows the one before")),
        }
    }

    fn read(&mut self) -> Option<()> {
        let [shared, more] = [self.numbers.next()?, self.numbers.next()?].map(|length| length as usize);
        if shared > self.term.len() || shared + more > LONGEST_KEYWORD {
            return None;
        }
        let (rest, others) = self.numbers.0.split_at_checked(more)?;
        if self.begun && self.term.get(shared) >= rest.first() {
            return None;
        }
        self.begun = true;
        self.term.truncate(shared);
        self.term.extend_from_slice(rest);
        self.numbers.0 = others;
        let difference = self.numbers.next()?;
        self.value = self.value.wrapping_add((difference >> 1) ^ (difference & 1).wrapping_neg());
        Some(())
    }
}

impl Segment {
    /// What it is. Of a run, only merges read terms.
    pub fn form(&self) -> Form {
        self.flags().form()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;
    use crate::index::segment::tests::{opened, schema};
    use crate::index::segment::{Section, SegmentBuilder};
    use crate::index::{Document, Id};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn written(terms: &BTreeMap<Vec<u8>, u64>) -> Vec<u8> {
        let mut writer = TermWriter::new(Vec::new());
        terms.iter().for_each(|(term, &value)| writer.insert(term, value).unwrap());
        writer.into_inner()
    }

    /// A run whose terms of field 0 are these bytes, and what is read of them.
    fn read(bytes: &[u8]) -> Result<BTreeMap<Vec<u8>, u64>> {
        let folder = tempfile::tempdir().unwrap();
        let (folder, schema) = (opened(folder.path()), schema(true));
        let mut builder = SegmentBuilder::new(schema.clone());
        builder.add(&Id::Int(1), &Document::default()).unwrap();
        let meta = builder.finish(&folder, 1, Form::Run).unwrap().unwrap();
        let run = Segment::open_as(Form::Run, &folder, "1.segment", &meta, schema).unwrap();
        let part = run.section_ref(Section::Terms, 0).unwrap();
        let (mut terms, mut all) =
            (RunTerms { end: bytes.len(), numbers: Numbers(bytes), ..RunTerms::new(part, 0)? }, BTreeMap::new());
        while let Some((term, value)) = terms.next()? {
            assert!(all.last_key_value().is_none_or(|(last, _): (&Vec<u8>, _)| last[..] < *term), "terms ascend");
            all.insert(term.to_vec(), value);
        }
        Ok(all)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn terms_come_back(terms in prop::collection::btree_map(prop::collection::vec(0u8..3, 0..9), 0u64..1 << 33, 0..200)) {
            prop_assert_eq!(read(&written(&terms)).unwrap(), terms);
        }

        #[test]
        fn any_bytes_are_terms_or_an_error(bytes in prop::collection::vec(prop_oneof![0u8..4, any::<u8>()], 0..40)) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn what_does_not_follow_is_refused() {
        let longest = vec![b'a'; LONGEST_KEYWORD];
        assert!(read(&written(&BTreeMap::from([(longest.clone(), 1)]))).is_ok());
        for wrong in [
            &[0, 1, b'b', 0, 0, 1, b'a', 0][..],
            &[0, 1, b'a', 0, 1, 0, 0],
            &[0, 1, b'a', 0, 2, 1, b'a', 0],
            &[0, 2, b'a'],
            &[0, 1, b'a'],
            &[0, 0, 0, 0, 0, 0],
            &[0, 1, b'a', 255, 255, 255, 255, 255, 255, 0],
            &written(&BTreeMap::from([([&longest[..], b"a"].concat(), 1)])),
        ] {
            let error = read(wrong).unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains("no term"), "{error}");
        }
    }
}
