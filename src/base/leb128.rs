//! Numbers as LEB128: seven bits a byte, the lowest first. Who reads them bounds them as its source needs it.

/// Appends a number.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends the length of a string, and its bytes.
pub(crate) fn put_string(out: &mut Vec<u8>, string: &[u8]) {
    put(out, string.len() as u64);
    out.extend(string);
}
