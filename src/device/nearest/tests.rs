//! The ways of making products, on PoCL or on the device that `POSTINGS_TEST_DEVICE` names.

use super::ways::{EMULATED, PLAIN};
use crate::device::tests::test_device;
use crate::vector::{Metric, Precision, Shape};

/// Tensor cores have an order of operands that only they check, but what surrounds them is the same if plain code does their part.
#[test]
fn ways_find_what_the_host_finds() {
    let Some(device) = test_device() else { return };
    for (dimensions, metric) in [(1, Metric::Dot), (33, Metric::Cosine), (384, Metric::Euclidean), (1000, Metric::Dot)]
    {
        for precision in Precision::ALL {
            let shape = Shape { dimensions, metric, precision };
            for way in [PLAIN, EMULATED] {
                let tried = device.lock().unwrap().try_way(shape, way);
                assert_eq!(tried, Ok(()), "{shape:?} {way:?}");
            }
        }
    }
}
