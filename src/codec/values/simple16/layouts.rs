//! The sixteen layouts of a word, and tables made of them.

/// By selector: runs of values of one width, as number and width in bits. Together they have 28 bits.
pub const LAYOUTS: [&[(u32, u32)]; 16] = [
    &[(28, 1)],
    &[(7, 2), (14, 1)],
    &[(7, 1), (7, 2), (7, 1)],
    &[(14, 1), (7, 2)],
    &[(14, 2)],
    &[(1, 4), (8, 3)],
    &[(1, 3), (4, 4), (3, 3)],
    &[(7, 4)],
    &[(4, 5), (2, 4)],
    &[(2, 4), (4, 5)],
    &[(3, 6), (2, 5)],
    &[(2, 5), (3, 6)],
    &[(4, 7)],
    &[(1, 10), (2, 9)],
    &[(2, 14)],
    &[(1, 28)],
];

/// The most values in a word.
pub const MAX_VALUES: usize = 28;

/// By selector: the number of values.
pub(super) static COUNTS: [u8; 16] = {
    let mut counts = [0; 16];
    let mut selector = 0;
    while selector < 16 {
        let mut run = 0;
        while run < LAYOUTS[selector].len() {
            counts[selector] += LAYOUTS[selector][run].0 as u8;
            run += 1;
        }
        selector += 1;
    }
    counts
};

/// By selector: the width of each value; 0 after the last.
pub(super) static WIDTHS: [[u8; 32]; 16] = {
    let mut widths = [[0; 32]; 16];
    let mut selector = 0;
    while selector < 16 {
        let (mut run, mut at) = (0, 0);
        while run < LAYOUTS[selector].len() {
            let (count, width) = LAYOUTS[selector][run];
            let end = at + count as usize;
            while at < end {
                widths[selector][at] = width as u8;
                at += 1;
            }
            run += 1;
        }
        selector += 1;
    }
    widths
};

/// A table whose rows are whole cache lines.
#[repr(align(64))]
pub(super) struct Rows(pub(super) [[u32; 32]; 16]);

/// By selector, how far to shift a word left so that the highest bit of value i moves to bit 31.
pub(super) static LEFT: Rows = {
    let mut shifts = [[31; 32]; 16];
    let mut selector = 0;
    while selector < 16 {
        let (mut at, mut shift) = (0, 4);
        while at < COUNTS[selector] as usize {
            shifts[selector][at] = shift;
            shift += WIDTHS[selector][at] as u32;
            at += 1;
        }
        selector += 1;
    }
    Rows(shifts)
};

/// By selector, how far to shift value i right after that.
pub(super) static RIGHT: Rows = {
    let mut shifts = [[31; 32]; 16];
    let mut at = 0;
    while at < 16 * 32 {
        if at % 32 < COUNTS[at / 32] as usize {
            shifts[at / 32][at % 32] = 32 - WIDTHS[at / 32][at % 32] as u32;
        }
        at += 1;
    }
    Rows(shifts)
};
