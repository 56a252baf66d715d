//! Reading the frame of a segment file: every count and offset is checked, and nothing is read but header, footer and tail.

use super::SegmentMeta;
use super::format::{
    ALIGNMENT, CHUNK, END, Extent, FOOTER_HEAD, FOOTER_ROW, FieldCounts, Flags, Frame, HEADER, MAGIC, NO_FIELD,
    Section, TAIL, VERSION, header, required, u32_at, u64_at,
};
use crate::index::Schema;

/// The byte of the footer, and what is wrong there.
type Wrong = (usize, String);

impl Frame {
    /// Reads header and footer of a whole file and checks every count and offset. Nothing else is read.
    ///
    /// # Errors
    /// Where, which part, and what is wrong there.
    pub fn parse(file: &[u8], meta: &SegmentMeta, schema: &Schema) -> Result<Frame, (usize, &'static str, String)> {
        let length = file.len();
        if length as u64 != meta.bytes {
            return Err((length.min(meta.bytes as usize), "file", format!("{length} bytes, not {}", meta.bytes)));
        }
        if length < HEADER + TAIL {
            return Err((0, "file", format!("{length} bytes are too few")));
        }
        let head = &file[..HEADER];
        if head[..4] != MAGIC {
            return Err((0, "header", "not a segment".into()));
        }
        let version = u32_at(head, 4);
        if !(1..=VERSION).contains(&version) {
            return Err((4, "header", format!("version {version}; this program reads versions 1 to {VERSION}")));
        }
        let tail = &file[length - TAIL..];
        if tail[16..] != END {
            return Err((length - 8, "end", "not the end of a segment".into()));
        }
        let footer = (length - TAIL - HEADER) as u64;
        let footer = match u64_at(tail, 0) {
            size if size <= footer => size as usize,
            size => return Err((length - TAIL, "end", format!("a footer of {size} bytes in {footer}"))),
        };
        let body = length - TAIL - footer;
        let checksum = crc32fast::hash(&file[body..length - TAIL + 8]);
        if checksum != u32_at(tail, 8) || u32_at(tail, 12) != 0 {
            return Err((length - TAIL, "footer", "its checksum differs".into()));
        }
        if checksum != meta.footer_crc {
            return Err((length - TAIL, "footer", "another segment than the one that was committed".into()));
        }
        let frame =
            parse_footer(&file[body..length - TAIL], body, schema).map_err(|(at, what)| (body + at, "footer", what))?;
        if frame.documents != meta.documents {
            return Err((body, "footer", format!("{} documents, not {}", frame.documents, meta.documents)));
        }
        if head != header(frame.documents, frame.flags) {
            return Err((8, "header", "differs from the footer".into()));
        }
        Ok(frame)
    }
}

/// Reads the footer of a segment with `body` bytes before it.
fn parse_footer(footer: &[u8], body: usize, schema: &Schema) -> Result<Frame, Wrong> {
    let (sections, fields) = check_counts(footer, body, schema)?;
    let own;
    let schema = match fields == schema.fields.len() {
        true => schema,
        // The index has got the other fields since.
        false => {
            own = Schema { fields: schema.fields[..fields].to_vec(), ..schema.clone() };
            &own
        }
    };
    let (documents, flags) = parse_head(footer, schema)?;
    let rows = &footer[FOOTER_HEAD..][..FOOTER_ROW * (sections + schema.fields.len())];
    let checksums = &footer[FOOTER_HEAD + rows.len()..];
    debug_assert_eq!(checksums.len(), 4 * body.div_ceil(CHUNK));
    let (of_sections, of_fields) = rows.split_at(FOOTER_ROW * sections);
    let frame = Frame {
        documents,
        flags,
        extents: parse_extents(of_sections, body as u64, documents, schema)?,
        fields: parse_fields(of_fields, FOOTER_HEAD + of_sections.len(), documents, schema)?,
        checksums: checksums.chunks_exact(4).map(|bytes| u32_at(bytes, 0)).collect(),
    };
    check_complete(&frame, schema)?;
    debug_assert!(frame.extents.is_sorted_by(|a, b| a.offset + a.length <= b.offset), "sections do not overlap");
    debug_assert!(frame.extents.iter().all(|extent| extent.offset + extent.length <= body as u64));
    debug_assert_eq!(frame.fields.len(), schema.fields.len());
    Ok(frame)
}

/// Checks that the numbers of sections, fields and checksums make the footer's length. Returns those of sections and fields.
fn check_counts(footer: &[u8], body: usize, schema: &Schema) -> Result<(usize, usize), Wrong> {
    if footer.len() < FOOTER_HEAD {
        return Err((0, "too short".into()));
    }
    let [sections, fields, chunks] = [0, 4, 8].map(|at| u32_at(footer, at) as usize);
    if footer.len() != FOOTER_HEAD + FOOTER_ROW * (sections + fields) + 4 * chunks {
        let what = format!("{sections} sections, {fields} fields and {chunks} checksums do not make its length");
        return Err((0, what));
    }
    if chunks != body.div_ceil(CHUNK) {
        return Err((8, format!("{chunks} checksums for {body} bytes")));
    }
    if fields == 0 || fields > schema.fields.len() {
        return Err((4, format!("{fields} fields; the index has {}", schema.fields.len())));
    }
    Ok((sections, fields))
}

fn parse_head(footer: &[u8], schema: &Schema) -> Result<(u32, Flags), Wrong> {
    let flags = Flags::parse(u32_at(footer, 16)).map_err(|what| (16, what))?;
    let documents = u32_at(footer, 12);
    if flags.positions != schema.positions || documents == 0 || documents == u32::MAX {
        let positions = if flags.positions { "positions" } else { "no positions" };
        return Err((12, format!("{documents} documents, {positions}")));
    }
    Ok((documents, flags))
}

/// Where the sections are: in the order of the file, aligned, disjoint, before the footer, and each once.
fn parse_extents(rows: &[u8], body: u64, documents: u32, schema: &Schema) -> Result<Vec<Extent>, Wrong> {
    let mut extents: Vec<Extent> = Vec::new();
    let mut end = HEADER as u64;
    for (i, row) in rows.chunks_exact(FOOTER_ROW).enumerate() {
        let at = FOOTER_HEAD + i * FOOTER_ROW;
        let (field, offset, length) = (row[1], u64_at(row, 8), u64_at(row, 16));
        let is_it = |section: &Section| *section as u8 == row[0] && section.belongs(field, schema);
        let Some(section) = Section::ALL.into_iter().find(is_it) else {
            return Err((at, format!("a section of kind {} and field {field}", row[0])));
        };
        let name = section.name();
        if offset < end || offset % ALIGNMENT as u64 != 0 || offset > body || length > body - offset {
            return Err((at + 8, format!("{name} of {length} bytes from {offset} on")));
        }
        if extents.iter().any(|extent| (extent.section, extent.field) == (section, field)) {
            return Err((at, format!("{name} of field {field} for the second time")));
        }
        if section == Section::Lengths && length != u64::from(documents) {
            return Err((at + 16, format!("{length} lengths of {documents} documents")));
        }
        end = offset + length;
        extents.push(Extent { section, field, offset, length });
    }
    Ok(extents)
}

/// What is counted of each field; the first row is at byte `first` of the footer.
fn parse_fields(rows: &[u8], first: usize, documents: u32, schema: &Schema) -> Result<Vec<(u8, FieldCounts)>, Wrong> {
    let mut fields = Vec::new();
    for ((i, row), field) in rows.chunks_exact(FOOTER_ROW).enumerate().zip(&schema.fields) {
        let (at, kind) = (first + i * FOOTER_ROW, field.kind as u8);
        if row[0] != kind {
            return Err((at, format!("field {i} is of kind {}, not {kind}", row[0])));
        }
        let counts = FieldCounts { documents: u32_at(row, 4), tokens: u64_at(row, 8), terms: u64_at(row, 16) };
        if counts.documents > documents {
            return Err((at + 4, format!("{} of {documents} documents", counts.documents)));
        }
        fields.push((kind, counts));
    }
    Ok(fields)
}

/// Checks that no section is missing.
fn check_complete(frame: &Frame, schema: &Schema) -> Result<(), Wrong> {
    let has = |section, field| frame.extents.iter().any(|e| (e.section, e.field) == (section, field));
    if let Some((section, field)) = required(schema, frame.flags).find(|&(section, field)| !has(section, field)) {
        return Err((FOOTER_HEAD, format!("no {} of field {field}", section.name())));
    }
    if has(Section::Ordinals, NO_FIELD) != frame.flags.reordered {
        return Err((16, "ordinals without reordering, or the reverse".into()));
    }
    let has_any = |section| frame.extents.iter().any(|extent| extent.section == section);
    if !frame.flags.words && has_any(Section::Words) {
        return Err((16, "words that its flags do not name".into()));
    }
    if !frame.flags.pairs && (has_any(Section::Pairs) || has_any(Section::PairLists)) {
        return Err((16, "pairs that its flags do not name".into()));
    }
    if !frame.flags.frequent && has_any(Section::Frequent) {
        return Err((16, "frequent words that its flags do not name".into()));
    }
    if has_any(if frame.flags.run { Section::Dictionary } else { Section::Terms }) {
        return Err((16, "a dictionary in a run, or terms without one elsewhere".into()));
    }
    Ok(())
}
