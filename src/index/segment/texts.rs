//! The values of text fields → tokens.

use super::tokens::Tokens;
use crate::analysis::{Analyzer, MAX_TERM, Numbers, Scratch, Taker, valid_utf8};
use crate::base::error::Result;
use crate::index::values::GAP;
use crate::index::{Schema, Value};

/// Working memory for the texts of a segment.
#[derive(Debug, Default)]
pub(super) struct Reader {
    scratch: Scratch,
    /// In the space of a field, what [`Tokens::word`] says.
    numbers: Numbers,
}

impl Reader {
    /// Adds what a document has in a text field, and ends the document there.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory): [`Tokens::undo`] it.
    pub fn add(&mut self, tokens: &mut Tokens, field: usize, value: Option<&Value>, schema: &Schema) -> Result<()> {
        let mut document = Document { tokens, analyzer: schema.analyzer_of(field), first: 0, last: None, length: 0 };
        match value {
            None => {}
            Some(Value::Text(text)) => self.read(&valid_utf8(text), field, &mut document)?,
            Some(Value::Tokens(terms)) => {
                for (position, term) in (0..).zip(terms).filter(|(_, term)| term.len() <= MAX_TERM) {
                    document.tokens.push(position, term);
                    document.length += 1;
                }
            }
            Some(value) => {
                let gap = if schema.positions { GAP } else { 0 };
                let mut read = Ok(());
                value.each_text(&mut |text| {
                    if read.is_ok() {
                        read = self.read(&valid_utf8(text), field, &mut document);
                        document.first = document.last.take().map_or(document.first, |last| last + 1 + gap);
                    }
                });
                read?;
            }
        }
        let length = document.length;
        tokens.end_text(length)
    }

    fn read(&mut self, text: &str, field: usize, document: &mut Document) -> Result<()> {
        let analyzer = document.analyzer;
        if analyzer.stems() {
            return analyzer.numbered(text, &mut self.numbers, field as u8, document);
        }
        analyzer.tokens(text, &mut self.scratch, |token| {
            let position = document.next(token.position);
            document.tokens.push(position, token.term.as_bytes());
        });
        Ok(())
    }
}

/// The texts of a document's field, which are being added.
struct Document<'t> {
    tokens: &'t mut Tokens,
    analyzer: &'t Analyzer,
    /// The first position of the text, and the last one that it has used.
    first: u32,
    last: Option<u32>,
    /// Terms so far.
    length: u32,
}

impl Document<'_> {
    /// Counts a term of the text; its position in the document.
    #[inline]
    fn next(&mut self, in_text: u32) -> u32 {
        let position = self.first + in_text;
        self.last = Some(position);
        self.length += 1;
        position
    }
}

impl Taker for Document<'_> {
    fn number(&mut self, word: &str) -> Result<Option<u32>> {
        self.tokens.word(word, self.analyzer)
    }

    #[inline]
    fn take(&mut self, position: u32, number: u32) -> u32 {
        let position = self.next(position);
        let parts = self.tokens.push_word(position, number);
        self.last = Some(position + parts);
        self.length += parts;
        parts
    }
}
