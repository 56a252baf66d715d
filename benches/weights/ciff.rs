//! A collection in the Common Index File Format, whose frequencies are the weights.

use crate::collection::{List, TERMS};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A field of a message of Protocol Buffers that is a number.
fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3);
    varint(out, value);
}

/// One that is bytes.
fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// Writes the file.
pub fn write(documents: u32, lists: &[List], path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut put = |message: &[u8]| {
        let mut length = Vec::new();
        varint(&mut length, message.len() as u64);
        out.write_all(&length).and_then(|()| out.write_all(message))
    };
    let documents = u64::from(documents);
    let mut header = Vec::new();
    for (field, value) in
        (1..).zip([1, lists.len() as u64, documents, lists.len() as u64, documents, documents * TERMS as u64])
    {
        number(&mut header, field, value);
    }
    put(&header)?;
    for (term, list) in lists {
        let mut message = Vec::with_capacity(8 * list.len());
        bytes(&mut message, 1, term.as_bytes());
        number(&mut message, 2, list.len() as u64);
        number(&mut message, 3, list.iter().map(|of| u64::from(of.1)).sum());
        let mut before = 0;
        for &(document, weight) in list {
            let mut posting = Vec::with_capacity(8);
            number(&mut posting, 1, u64::from(document - before));
            number(&mut posting, 2, weight.into());
            bytes(&mut message, 4, &posting);
            before = document;
        }
        put(&message)?;
    }
    for document in 0..documents {
        let mut message = Vec::new();
        number(&mut message, 1, document);
        bytes(&mut message, 2, document.to_string().as_bytes());
        number(&mut message, 3, TERMS as u64);
        put(&message)?;
    }
    out.flush()
}
