//! Whether what devices keep of an index has room on one of them.

use crate::device::Device;
use crate::engine::settings::{Division, Settings};
use crate::search::Index;

/// Whether devices like this one are to divide an index by segments.
pub(in crate::engine) fn divides_segments(index: &Index, settings: &Settings, device: &Device) -> bool {
    index.snapshot().parts().len() > 1
        && match settings.division {
            Division::Queries => false,
            Division::Segments => true,
            Division::Auto => bytes(index) > device.cache_bytes(settings.device_memory),
        }
}

/// Bytes of all that devices keep of an index, about and rather too many.
fn bytes(index: &Index) -> u64 {
    /// Of a posting. A token is a posting, or a part of one.
    const POSTING: f64 = 6.5;
    /// Of a list, beside its postings.
    const LIST: f64 = 64.0;
    /// Of a field's table.
    const TABLE: f64 = 262_144.0;
    let of_field = |field: usize| {
        let counts = index.snapshot().parts().iter().map(|part| part.segment.counts(field).unwrap_or_default());
        let lists: f64 =
            counts.filter(|of| of.tokens > 0).map(|of| POSTING * of.tokens as f64 + LIST * of.terms as f64).sum();
        if lists > 0.0 { TABLE + lists } else { 0.0 }
    };
    (0..index.snapshot().schema().fields.len()).map(of_field).sum::<f64>() as u64
}
