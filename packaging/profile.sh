#!/bin/sh
# Prints where a profile of the module is, with which packaging/build.sh compiles it: the module is compiled with counters, and
# packaging/training.php runs with it. A profile is kept in $CARGO_TARGET_DIR/dist/profiles and made anew for other sources, another
# compiler or another PHP. If there is none to be had, it prints `none` and says why.
set -eu
cd "$(dirname "$0")/.."
. scripts/env.sh
. packaging/module.sh

none() { echo "profile: none: $*; the module will be slower" >&2; echo none; exit 0; }
[ -z "${CARGO_BUILD_TARGET:-}" ] || none 'a module of another architecture may not run here'
php=${PHP:-php}
key=$({
    "${RUSTC:-rustc}" -vV
    "$php" -n -r 'echo PHP_VERSION, PHP_ZTS, PHP_DEBUG;'
    find src cl build.rs Cargo.toml Cargo.lock packaging/training.php -type f | LC_ALL=C sort | xargs cat
} | sha256sum | cut -c1-16)
mkdir -p "${CARGO_TARGET_DIR:-target}/dist/profiles" && profiles=$(cd "${CARGO_TARGET_DIR:-target}/dist/profiles" && pwd)
profile=$profiles/$key.profdata
if [ ! -e "$profile" ]; then
    build_in dist/counting
    counts=$CARGO_TARGET_DIR/counts
    rm -rf "$counts"
    # Build scripts count too, elsewhere.
    RUSTFLAGS="$flags -C profile-generate=$counts/of-build-scripts" cargo build --release --lib --locked >&2 || none 'rustc cannot count'
    LLVM_PROFILE_FILE="$counts/%p.profraw" "$php" -n -d extension="$CARGO_TARGET_DIR/release/libpostings.so" -d postings.device=none \
        packaging/training.php >&2
    # Sparse: functions that this machine never calls, of other vectors than its own, are compiled as without a profile.
    # rustup's component llvm-tools has the one that fits; those of other versions may read what this LLVM counts.
    for tool in "$("${RUSTC:-rustc}" --print sysroot)"/lib/rustlib/*/bin/llvm-profdata \
        $(printf '%s\n' /usr/lib/llvm*/bin/llvm-profdata | sort -V -r) llvm-profdata; do
        command -v "$tool" >/dev/null && "$tool" merge --sparse -o "$counts/merged" "$counts"/*.profraw >&2 && break
    done
    [ -e "$counts/merged" ] || none 'there is no llvm-profdata that reads what this rustc counts'
    mv "$counts/merged" "$profile"
fi
echo "$profile"
