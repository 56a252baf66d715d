//! [`Reader`]: bytes from elsewhere, read from the front, with every end and count checked.

use super::error::{Error, Result};
use super::memory::room;

/// What is left of some bytes.
pub(crate) struct Reader<'b> {
    /// What they are, for errors.
    of: &'static str,
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    /// From the first byte on.
    pub(crate) fn new(of: &'static str, bytes: &'b [u8]) -> Reader<'b> {
        Reader { of, bytes, at: 0 }
    }

    /// An [`Error::Corrupt`] at this place.
    pub(crate) fn wrong(&self, item: &str, what: &str) -> Error {
        Error::corrupt(self.of, item, self.at, what)
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize, item: &str) -> Result<&'b [u8]> {
        let taken = self.bytes[self.at..].get(..count).ok_or_else(|| self.wrong(item, "the bytes end before it"))?;
        self.at += count;
        Ok(taken)
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self, item: &str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, item)?);
        Ok(array)
    }

    /// The next byte.
    pub(crate) fn byte(&mut self, item: &str) -> Result<u8> {
        Ok(self.take(1, item)?[0])
    }

    /// A truth value: 0 or 1.
    pub(crate) fn flag(&mut self, item: &str) -> Result<bool> {
        match self.byte(item)? {
            flag @ 0..=1 => Ok(flag == 1),
            other => Err(self.wrong(item, &format!("{other} instead of 0 or 1"))),
        }
    }

    /// A number as LEB128, in the fewest bytes.
    pub(crate) fn number(&mut self, item: &str) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte(item)?;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits || byte == 0 && shift > 0 {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.wrong(item, "it is no number of 64 bits"))
    }

    /// A number that PHP can have.
    pub(crate) fn count(&mut self, item: &str) -> Result<u64> {
        let count = self.number(item)?;
        if count > i64::MAX as u64 { Err(self.wrong(item, &format!("{count} is too large"))) } else { Ok(count) }
    }

    /// A number that counts or places something in memory.
    pub(crate) fn size(&mut self, item: &str) -> Result<usize> {
        let size = self.number(item)?;
        usize::try_from(size).map_err(|_| self.wrong(item, &format!("{size} is too large")))
    }

    /// A number of 64 bits, little-endian.
    pub(crate) fn u64(&mut self, item: &str) -> Result<u64> {
        self.array(item).map(u64::from_le_bytes)
    }

    /// A float that is a number.
    pub(crate) fn f64(&mut self, item: &str) -> Result<f64> {
        let number = self.array(item).map(f64::from_le_bytes)?;
        if number.is_nan() { Err(self.wrong(item, "it is not a number")) } else { Ok(number) }
    }

    /// A length, and as many bytes.
    pub(crate) fn string(&mut self, item: &str) -> Result<&'b [u8]> {
        let length = self.size(item)?;
        self.take(length, item)
    }

    /// A string in UTF-8.
    pub(crate) fn text(&mut self, item: &str) -> Result<&'b str> {
        let string = self.string(item)?;
        std::str::from_utf8(string).map_err(|_| self.wrong(item, "it is not UTF-8"))
    }

    /// A count of at most `most`, and as many things, each of a byte at least.
    pub(crate) fn list<T>(
        &mut self,
        item: &str,
        most: usize,
        mut one: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let count = self.size(item)?;
        if count > most {
            return Err(self.wrong(item, &format!("{count} are more than {most}")));
        }
        if count > self.bytes.len() - self.at {
            return Err(self.wrong(item, &format!("{count} are more than the bytes that follow")));
        }
        let mut list = room(count)?;
        for _ in 0..count {
            list.push(one(self)?);
        }
        Ok(list)
    }

    /// Whether something is there, and if so that.
    pub(crate) fn maybe<T>(&mut self, item: &str, one: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        self.flag(item)?.then(|| one(self)).transpose()
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> &'b [u8] {
        let rest = &self.bytes[self.at..];
        self.at = self.bytes.len();
        rest
    }

    /// Nothing must be left.
    pub(crate) fn end(&self) -> Result<()> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            more => Err(self.wrong("end", &format!("{more} bytes too many"))),
        }
    }
}
