//! [`Input`]: numbers and strings of a file that may be damaged. Every error has the byte.

use crate::base::error::{Error, Result};
use crate::base::files::failed;
use std::fmt::Display;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes that are read at a time.
const BUFFER: usize = 1 << 17;

/// The longest term or id of a file, in bytes.
pub(super) const LONGEST: u64 = 1 << 20;

/// A file that is read from front to back, any number of times.
pub(super) struct Input<R> {
    format: &'static str,
    /// For messages.
    name: String,
    from: R,
    length: u64,
    buffer: Box<[u8]>,
    /// The next byte in the buffer.
    at: usize,
    /// Bytes in the buffer.
    filled: usize,
    /// Where in the file the buffer begins.
    base: u64,
}

impl<R: Read + Seek> Input<R> {
    pub fn new(format: &'static str, name: &str, mut from: R) -> Result<Self> {
        let length = from.seek(SeekFrom::End(0)).map_err(|error| failed(Path::new(name), &error))?;
        let buffer = vec![0; BUFFER.min(length as usize)].into_boxed_slice();
        let mut input = Input { format, name: name.to_owned(), from, length, buffer, at: 0, filled: 0, base: 0 };
        input.rewind()?;
        Ok(input)
    }

    /// Back to the first byte.
    pub fn rewind(&mut self) -> Result<()> {
        (self.at, self.filled, self.base) = (0, 0, 0);
        self.from.seek(SeekFrom::Start(0)).map_err(|error| failed(Path::new(&self.name), &error))?;
        Ok(())
    }

    /// Bytes of the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The byte that is read next.
    pub fn position(&self) -> u64 {
        self.base + self.at as u64
    }

    #[cold]
    pub fn corrupt(&self, item: impl Display, at: u64, what: impl Display) -> Error {
        Error::corrupt(self.format, format!("{item} of {}", self.name), at as usize, what.to_string())
    }

    #[cold]
    pub fn ends(&self, item: impl Display) -> Error {
        self.corrupt(item, self.position(), "ends early")
    }

    /// Fills the empty buffer; leaves it empty at the end of the file.
    #[cold]
    fn fill(&mut self) -> Result<()> {
        self.base += self.filled as u64;
        (self.at, self.filled) = (0, 0);
        // A file that grows is read as long as it was.
        let wanted = self.buffer.len().min((self.length - self.base.min(self.length)) as usize);
        if wanted == 0 {
            return Ok(());
        }
        loop {
            match self.from.read(&mut self.buffer[..wanted]) {
                Ok(read) => {
                    self.filled = read;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(Path::new(&self.name), &error)),
            }
        }
    }

    /// The next byte; `None` at the end of the file.
    #[inline(always)]
    pub fn byte(&mut self) -> Result<Option<u8>> {
        if self.at == self.filled {
            self.fill()?;
        }
        let byte = self.buffer[..self.filled].get(self.at).copied();
        self.at += usize::from(byte.is_some());
        Ok(byte)
    }

    /// A number in LEB128 bytes that ends before byte `end` of the file.
    #[inline]
    pub fn varint(&mut self, item: impl Display, end: u64) -> Result<u64> {
        let first = self.position();
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            if self.position() >= end {
                return Err(self.ends(item));
            }
            let Some(byte) = self.byte()? else { return Err(self.ends(item)) };
            let bits = u64::from(byte & 0x7F);
            number |= bits << shift;
            if bits << shift >> shift != bits {
                break;
            }
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.corrupt(item, first, "a number of more than 64 bits"))
    }

    /// A little-endian number; `None` at the end of the file.
    #[inline]
    pub fn u32(&mut self, item: impl Display) -> Result<Option<u32>> {
        if let Some(bytes) = self.buffer[self.at..self.filled].first_chunk() {
            self.at += 4;
            return Ok(Some(u32::from_le_bytes(*bytes)));
        }
        let mut bytes = [0; 4];
        for (at, place) in bytes.iter_mut().enumerate() {
            match self.byte()? {
                Some(byte) => *place = byte,
                None if at == 0 => return Ok(None),
                None => return Err(self.ends(item)),
            }
        }
        Ok(Some(u32::from_le_bytes(bytes)))
    }

    /// Reads `count` bytes into `out`, which is cleared first; they end before byte `end` of the file.
    pub fn bytes(&mut self, item: impl Display, count: u64, end: u64, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        if count > end.saturating_sub(self.position()) {
            return Err(self.ends(item));
        }
        if count > LONGEST {
            return Err(self.corrupt(item, self.position(), format!("a string of {count} bytes; at most {LONGEST}")));
        }
        while out.len() < count as usize {
            if self.at == self.filled {
                self.fill()?;
            }
            let there = (self.filled - self.at).min(count as usize - out.len());
            if there == 0 {
                return Err(self.ends(item));
            }
            out.extend_from_slice(&self.buffer[self.at..self.at + there]);
            self.at += there;
        }
        Ok(())
    }

    /// Skips `count` bytes that end before byte `end` of the file.
    pub fn skip(&mut self, item: impl Display, mut count: u64, end: u64) -> Result<()> {
        if count > end.saturating_sub(self.position()) {
            return Err(self.ends(item));
        }
        while count > 0 {
            if self.at == self.filled {
                self.fill()?;
            }
            let there = ((self.filled - self.at) as u64).min(count);
            if there == 0 {
                return Err(self.ends(item));
            }
            self.at += there as usize;
            count -= there;
        }
        Ok(())
    }

    /// Reads a line into `out`, without its end; `false` at the end of the file.
    pub fn line(&mut self, item: impl Display, out: &mut Vec<u8>) -> Result<bool> {
        out.clear();
        let first = self.position();
        loop {
            match self.byte()? {
                None => return Ok(self.position() > first),
                Some(b'\n') => return Ok(true),
                Some(byte) => out.push(byte),
            }
            if out.len() as u64 > LONGEST {
                return Err(self.corrupt(item, first, format!("a line of more than {LONGEST} bytes")));
            }
        }
    }
}
