//! The tokens that both contestants get, for tantivy: the [words](crate::data::words) in lower case.

use crate::data::LONGEST;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Makes them. Positions count kept words only.
#[derive(Clone, Default)]
pub struct Words {
    token: Token,
}

/// Where a [`Words`] stands in a text.
pub struct WordStream<'a> {
    text: &'a str,
    at: usize,
    token: &'a mut Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream { text, at: 0, token: &mut self.token }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        loop {
            let Some(skipped) = bytes[self.at..].iter().position(u8::is_ascii_alphanumeric) else { return false };
            let from = self.at + skipped;
            let length = bytes[from..].iter().position(|byte| !byte.is_ascii_alphanumeric());
            self.at = length.map_or(bytes.len(), |length| from + length);
            if self.at - from <= LONGEST {
                self.token.text.clear();
                self.token.text.push_str(&self.text[from..self.at]);
                self.token.text.make_ascii_lowercase();
                (self.token.offset_from, self.token.offset_to) = (from, self.at);
                self.token.position = self.token.position.wrapping_add(1);
                return true;
            }
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::words;

    #[test]
    fn both_get_the_same_tokens() {
        let long = "x".repeat(LONGEST + 1);
        for text in ["", " ", "One", "one, Two\u{e9}3 -x-", "a\u{2014}b", &long, &format!("a {long} b"), &long[1..]] {
            let expected: Vec<String> = words(text).map(str::to_ascii_lowercase).collect();
            let mut words = Words::default();
            let mut stream = words.token_stream(text);
            let mut tokens = Vec::new();
            while stream.advance() {
                assert_eq!(stream.token().position, tokens.len());
                tokens.push(stream.token().text.clone());
            }
            assert_eq!(tokens, expected, "{text}");
        }
    }
}
