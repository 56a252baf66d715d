//! Tables for shuffles within 16 bytes: AVX2 and NEON.

/// By control byte: the source of each byte of the values; 0x80 for bytes that are 0.
pub(super) static SHUFFLES: [[u8; 16]; 256] = {
    let mut table = [[0x80; 16]; 256];
    let mut control = 0;
    while control < 256 {
        let (mut value, mut from) = (0, 0);
        while value < 4 {
            let length = (control >> (2 * value) & 3) + 1;
            let mut byte = 0;
            while byte < length {
                table[control][4 * value + byte] = from;
                from += 1;
                byte += 1;
            }
            value += 1;
        }
        control += 1;
    }
    table
};

/// By control byte: the number of bytes of its four values.
pub(super) static LENGTHS: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 256 {
        table[control] = (4 + (control & 3) + (control >> 2 & 3) + (control >> 4 & 3) + (control >> 6)) as u8;
        control += 1;
    }
    table
};
