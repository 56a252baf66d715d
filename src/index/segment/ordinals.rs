//! The ranks of reordered documents in the order of insertion.

use super::format::{Section, u64_at};
use super::packed::{self, Packed};
use super::section::SectionRef;
use crate::base::error::Result;
use crate::base::memory::{room, zeros};
use std::io::{self, Write};

/// The ordinals of reordered documents: packed, as wide as the last docID.
pub(super) fn write(ordinals: &[u32], out: &mut impl Write) -> io::Result<()> {
    let width = packed::width_for(ordinals.len() as u64 - 1);
    packed::pack(ordinals.iter().map(|&ordinal| ordinal.into()), width, out)
}

/// The ordinal of a document.
pub(super) fn get(part: SectionRef, documents: u32, doc: u32) -> Result<u32> {
    if doc >= documents {
        return Err(part.no_document(doc));
    }
    let width = packed::width_for(u64::from(documents) - 1);
    let (at, bit) = packed::place(doc as usize, width);
    let number = packed::extract(u64_at(part.range(at, 8)?, 0).to_le_bytes(), bit, width);
    u32::try_from(number)
        .ok()
        .filter(|&ordinal| ordinal < documents)
        .ok_or_else(|| part.corrupt(at, format!("ordinal {number} of {documents} documents")))
}

/// All ordinals; each number below `documents` occurs once.
pub(super) fn all(part: SectionRef, documents: u32) -> Result<Vec<u32>> {
    debug_assert_eq!(part.section(), Section::Ordinals);
    let width = packed::width_for(u64::from(documents) - 1);
    let bytes = part.all()?;
    let Some((packed, [])) = Packed::split(bytes, width, documents as usize) else {
        return Err(part.corrupt(0, format!("{} bytes for {documents} documents", bytes.len())));
    };
    let mut seen = zeros::<u64>(documents.div_ceil(64) as usize)?;
    let mut ordinals = room(packed.len())?;
    for ordinal in packed.iter() {
        let word = seen.get_mut((ordinal / 64) as usize).filter(|_| ordinal < documents.into());
        match word {
            Some(word) if *word >> (ordinal % 64) & 1 == 0 => *word |= 1 << (ordinal % 64),
            _ => return Err(part.corrupt(0, format!("ordinal {ordinal} is too great, or not the only one"))),
        }
        ordinals.push(ordinal as u32);
    }
    Ok(ordinals)
}
