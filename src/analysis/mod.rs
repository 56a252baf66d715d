//! Placeholder of the interface until the room is merged.
use crate::error::Result;
use std::borrow::Cow;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    pub language: Option<String>,
    pub fold: bool,
    pub stop_words: Vec<String>,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Analyzer {
    options: Options,
}
#[derive(Debug, Default)]
pub struct Scratch {
    term: String,
}
pub struct Token<'a> {
    pub term: &'a str,
    pub position: u32,
    pub start: usize,
    pub end: usize,
}
impl Analyzer {
    pub fn new(options: Options) -> Result<Analyzer> {
        Ok(Analyzer { options })
    }
    pub fn describe(&self) -> String {
        format!("{:?}", self.options)
    }
    pub fn to_bytes(&self) -> Vec<u8> {
        Vec::new()
    }
    pub fn from_bytes(_: &[u8]) -> Result<Analyzer> {
        Analyzer::new(Options::default())
    }
    pub fn tokens(&self, text: &str, scratch: &mut Scratch, mut each: impl FnMut(Token<'_>)) {
        let mut position = 0;
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            scratch.term.clear();
            scratch.term.extend(word.chars().flat_map(char::to_lowercase));
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            each(Token { term: &scratch.term, position, start, end: start + word.len() });
            position += 1;
        }
    }
    pub fn normalize(&self, word: &str) -> String {
        word.to_lowercase()
    }
}
pub fn valid_utf8(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
