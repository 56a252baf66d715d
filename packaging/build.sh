#!/bin/sh
# Builds the module for a package, laid out by a profile of what runs often (packaging/profile.sh), and prints where it is. The
# profile lies beside it, with `.profdata` at the end. The same sources, compiler, PHP and profile give the same bytes, whatever
# folder they lie in: no path of the machine gets into it.
#   PROFILE=postings.profdata packaging/build.sh      with this profile; with PROFILE=none without one
#   CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu PHP=… PHP_CONFIG=… packaging/build.sh      for another architecture
set -eu
cd "$(dirname "$0")/.."
. scripts/env.sh
profile=${PROFILE:-$(sh packaging/profile.sh)}
. packaging/module.sh

build_in dist/build
module=$CARGO_TARGET_DIR/${CARGO_BUILD_TARGET:+$CARGO_BUILD_TARGET/}release/libpostings.so
rm -f "$module.profdata"
if [ "$profile" != none ]; then
    profile=$(realpath "$profile")
    flags="$flags -C profile-use=$profile"
fi
RUSTFLAGS=$flags cargo build --release --lib --locked >&2
[ "$profile" = none ] || cp "$profile" "$module.profdata"
echo "$module"
