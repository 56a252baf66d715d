use super::*;
use crate::codec::Codec;
use proptest::prelude::*;
