#!/bin/sh
# Builds the module for a package, and prints where it is. The same sources, compiler and PHP give the same bytes,
# whatever folder they lie in: no path of the machine gets into it.
#   CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu PHP=… PHP_CONFIG=… packaging/build.sh      for another architecture
set -eu
cd "$(dirname "$0")/.."
. scripts/env.sh

target=${CARGO_TARGET_DIR:-target}
# A folder of its own, because with other flags cargo would compile everything anew in that of `make`.
mkdir -p "$target/dist/build" && CARGO_TARGET_DIR=$(cd "$target/dist/build" && pwd)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
flags="--remap-path-prefix=$PWD=/postings --remap-path-prefix=$CARGO_TARGET_DIR=/target --remap-path-prefix=$cargo_home=/cargo"
# If rust-src is installed, rustc names the standard library's files where they lie instead of in /rustc.
commit=$("${RUSTC:-rustc}" -vV | sed -n 's/^commit-hash: //p')
flags="$flags --remap-path-prefix=$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib/src/rust=/rustc/$commit"
# For musl, Rust links libc statically unless told otherwise, and then makes no shared libraries.
case $(ldd --version 2>&1) in
    *musl*) flags="$flags -C target-feature=-crt-static" ;;
esac
export CARGO_TARGET_DIR RUSTFLAGS="$flags"
# The same for what build scripts compile of C.
export CFLAGS="-ffile-prefix-map=$PWD=/postings -ffile-prefix-map=$CARGO_TARGET_DIR=/target -ffile-prefix-map=$cargo_home=/cargo"
cargo build --release --lib --locked >&2
echo "$CARGO_TARGET_DIR/${CARGO_BUILD_TARGET:+$CARGO_BUILD_TARGET/}release/libpostings.so"
