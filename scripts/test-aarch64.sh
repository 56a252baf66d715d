#!/bin/sh
# Runs the Rust tests as an aarch64 program under qemu, with NEON; those that compare tiers run the scalar path, too.
#
# Needs Debian on x86-64. Only the cross compiler is installed. The rest (Rust with the aarch64 standard library, qemu) is
# downloaded with a separate apt configuration and unpacked in the target folder, because rustup may lack the target, Debian
# allows no second architecture next to rustup, and qemu 7.2 of Debian 12 hangs with threads. If something is not available,
# a line SKIPPED says what, and nothing fails.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
. scripts/packages.sh

skip() { printf 'SKIPPED: aarch64: %s\n' "$*"; exit 0; }
say() { printf 'aarch64: %s\n' "$*" >&2; }

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/aarch64" && home=$(cd "$target/aarch64" && pwd) || exit 1
root=$home/root

[ "$(uname -s -m)" = 'Linux x86_64' ] || skip "needs x86-64 Linux, this is $(uname -s -m)"
command -v apt-get >/dev/null || skip 'needs apt-get'

# The cross compiler, to compile C and to link.
if ! command -v aarch64-linux-gnu-gcc >/dev/null || [ ! -e /usr/aarch64-linux-gnu/include/stdlib.h ]; then
    install_or_skip gcc-aarch64-linux-gnu libc6-dev-arm64-cross
fi

# Unpacks Rust and qemu into $root, from the archives that this machine's apt uses.
fetch() (
    rm -rf "$root" && mkdir -p "$root"
    own_apt "$home/apt" '
        $1 == "Debian" && $2 !~ /-/ { print "deb", $3, $2, "main"; print "deb", $3, $2 "-backports", "main" }
        $1 == "Debian-Security" { print "deb", $3, $2, "main" }' '
        APT::Architectures { "amd64"; "arm64"; };
        Acquire::Languages "none";' || exit 1
    rust=$(newest_from rustc-web "$msrv") || exit 1
    qemu=$(newest_from qemu-user 1:8) || exit 1
    std=libstd-rust-web-$(echo "$rust" | cut -d. -f1-2)
    # shellcheck disable=SC2046  # a list of words
    unpack "$root" "rustc-web=$rust" "$std=$rust" "libstd-rust-web-dev=$rust" "libstd-rust-web-dev:arm64=$rust" \
        "qemu-user=$qemu" $(rust_libraries "$std") || exit 1
    "$root/usr/bin/qemu-aarch64" --version >&2 && touch "$root/complete"
)
[ -e "$root/complete" ] || fetch || skip 'Rust or qemu is not available, see above'

# Only the compiler must match the standard library.
use_rust "$home"
export CARGO_TARGET_DIR="$home/build"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$root/usr/bin/qemu-aarch64 -L /usr/aarch64-linux-gnu"
# Fewer cases per property, because qemu is about 20 times slower than the machine. Device tests are left out: there is no
# driver for this architecture, and a program under qemu cannot start itself. So are, of the index's writer, the tests that
# start processes or let each operation on files fail, and those of damage to every part of a segment, which take minutes
# under qemu. Only `make test` runs these.
export PROPTEST_CASES="${PROPTEST_CASES:-32}"
# Complete debug information takes long to write.
export CARGO_PROFILE_DEV_DEBUG=line-tables-only
exec cargo test --no-default-features --target aarch64-unknown-linux-gnu --no-fail-fast --lib --test suite -- \
    --skip writer::tests::faults::after_a --skip writer::tests::kills::killed --skip damage::forged --skip damage::flipped \
    --skip writer::tests::disk::a_file_that_cannot_grow --skip writer::tests::processes::a_forked_writer \
    --skip writer::tests::processes::there_is_one_writer --skip writer::tests::life::a_writer_waits --skip writer::tests::memory::what_has_no_memory \
    --skip limits::lists_for_which_there_is_no_memory
