//! The clusters of a field's vectors, which segments with at least [`FEWEST`](clusters::FEWEST) have if the field is to have them.
//!
//! ```text
//! clusters: k u32, zeros up to byte 64
//!           per cluster: the components of its centroid f32; per cluster: where its rows end u32
//!           by cluster: its rows u32, ascending
//! ```
//! Each row is in one cluster; a cluster may be empty.

use super::Segment;
use super::file::SegmentWriter;
use super::format::{Section, u32_at};
use super::section::SectionRef;
use crate::base::error::Result;
use crate::base::memory::{room, zeros};
use crate::vector::clusters::{self, Clusters};
use crate::vector::{Query, Shape};
use std::io::Write;

const HEAD: usize = 64;

/// Writes the section of a field with so many vectors, of which `vector` gives the bytes; nothing if they are few.
pub(super) fn write<'v>(
    shape: Shape,
    rows: usize,
    vector: impl Fn(usize) -> Result<&'v [u8]>,
    field: usize,
    writer: &mut SegmentWriter,
) -> Result<()> {
    let Some(count) = clusters::count(rows) else { return Ok(()) };
    let Clusters { centroids, of_rows } = Clusters::new(shape, rows, count, vector)?;
    let mut ends = zeros::<u32>(count)?;
    of_rows.iter().for_each(|&cluster| ends[cluster as usize] += 1);
    let mut begin = 0;
    // First where they begin, which moves to where they end as rows are put there.
    for end in &mut ends {
        (*end, begin) = (begin, begin + *end);
    }
    let mut ordered = zeros::<u32>(rows)?;
    for (cluster, row) in of_rows.into_iter().zip(0..) {
        let place = &mut ends[cluster as usize];
        ordered[*place as usize] = row;
        *place += 1;
    }
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&(count as u32).to_le_bytes());
    writer.section(Section::Clusters, field as u8, |out| {
        out.write_all(&head)?;
        centroids.iter().try_for_each(|component| out.write_all(&component.to_le_bytes()))?;
        ends.iter().chain(&ordered).try_for_each(|number| out.write_all(&number.to_le_bytes()))
    })
}

/// The clusters of the vectors of a field.
#[derive(Debug, Clone, Copy)]
pub struct ClusterColumn<'s> {
    centroids: &'s [u8],
    ends: &'s [[u8; 4]],
    rows: &'s [[u8; 4]],
}

impl<'s> ClusterColumn<'s> {
    /// What a section says of so many vectors; everything but the rows is checked.
    fn parse(section: SectionRef<'s>, shape: Shape, rows: usize) -> Result<ClusterColumn<'s>> {
        let count = u32_at(section.range(0, HEAD)?, 0) as usize;
        let of_centroids = size_of::<f32>().saturating_mul(shape.dimensions.into()).saturating_mul(count);
        let of_numbers = size_of::<u32>().saturating_mul(count.saturating_add(rows));
        let length = HEAD.saturating_add(of_centroids).saturating_add(of_numbers);
        if !(1..=*clusters::COUNTS.end()).contains(&count) || length != section.len() {
            let what = format!("{} bytes that are not {count} clusters of {rows} vectors", section.len());
            return Err(section.corrupt(0, what));
        }
        let (centroids, numbers) = section.all()?[HEAD..].split_at(of_centroids);
        let (ends, rows) = numbers.as_chunks().0.split_at(count);
        Ok(ClusterColumn { centroids, ends, rows })
    }

    /// Checks that each row is in one cluster, and that those of a cluster ascend.
    fn check(&self, section: SectionRef<'s>) -> Result<()> {
        let (mut known, mut begin) = (zeros::<u64>(self.rows.len().div_ceil(64))?, 0);
        for (cluster, end) in self.ends.iter().enumerate() {
            let end = u32::from_le_bytes(*end) as usize;
            let rows = self.rows.get(begin..end).ok_or_else(|| {
                section.corrupt(0, format!("cluster {cluster} has the rows {begin} to {end} of {}", self.rows.len()))
            })?;
            let mut least = 0;
            for row in rows.iter().map(|&row| u32::from_le_bytes(row)) {
                let word =
                    known.get_mut(row as usize / 64).filter(|_| row >= least && (row as usize) < self.rows.len());
                match word {
                    Some(word) if *word >> (row % 64) & 1 == 0 => *word |= 1 << (row % 64),
                    _ => return Err(section.corrupt(0, format!("row {row} in cluster {cluster}"))),
                }
                least = row + 1;
            }
            begin = end;
        }
        match begin == self.rows.len() {
            true => Ok(()),
            false => Err(section.corrupt(0, format!("{begin} rows of {} in clusters", self.rows.len()))),
        }
    }

    /// How many clusters there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The components of the centroids, in little-endian bytes.
    #[cfg(test)]
    pub fn centroids(&self) -> &'s [u8] {
        self.centroids
    }

    /// The rows of a cluster, ascending; none if there is no such cluster.
    pub fn rows(&self, cluster: u32) -> impl ExactSizeIterator<Item = usize> + use<'s> {
        let end = |at: usize| self.ends.get(at).map_or(0, |&end| u32::from_le_bytes(end) as usize);
        let begin = (cluster as usize).checked_sub(1).map_or(0, end);
        let rows = self.rows.get(begin..end(cluster as usize)).unwrap_or_default();
        rows.iter().map(|&row| u32::from_le_bytes(row) as usize)
    }

    /// The rows of the `probes` clusters that are closest to a query.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn probed(&self, query: &Query, probes: usize) -> Result<Vec<usize>> {
        let clusters = clusters::closest(query, self.centroids, probes)?;
        let mut rows = room(clusters.iter().map(|&cluster| self.rows(cluster).len()).sum())?;
        rows.extend(clusters.into_iter().flat_map(|cluster| self.rows(cluster)));
        Ok(rows)
    }
}

impl Segment {
    /// The clusters of the vectors of a field; `None` if there are none. The first call reads and checks all of them.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn clusters(&self, field: usize) -> Result<Option<ClusterColumn<'_>>> {
        let column = self.vectors(field)?;
        let Some(section) = self.optional_section(Section::Clusters, field) else { return Ok(None) };
        let clusters = ClusterColumn::parse(section, column.shape(), column.rows())?;
        self.kept(&self.clusters[field], || clusters.check(section))?;
        Ok(Some(clusters))
    }
}
