//! The library from outside, on the CPU: formats, exchange with other programs, Yioop's vectors, the quality of rankings.
//! (One binary, because linking one takes longer than compiling most of these files.)

#[path = "../common/mod.rs"]
mod common;

mod cranfield;
mod format;
mod interchange;
mod pages;
mod php_sizes;
mod real_lists;
mod rooms;
mod yioop_conjunction;
mod yioop_lists;
mod yioop_shard;
mod yioop_vectors;
