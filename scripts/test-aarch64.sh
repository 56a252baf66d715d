#!/bin/sh
# Runs the Rust tests as an aarch64 program under qemu, with NEON; those that compare tiers run the scalar path, too.
#
#   scripts/test-aarch64.sh [codec:: rank:: …]      those whose names contain one of these
#
# If something is not available, a line SKIPPED says what, and nothing fails.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
what=aarch64
. scripts/packages.sh
. scripts/aarch64.sh

export CARGO_TARGET_DIR="$home/build"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$root/usr/bin/qemu-aarch64 -L /usr/aarch64-linux-gnu"
# Fewer cases per property, because qemu is about 20 times slower than the machine. Device tests are left out: there is no
# driver for this architecture, and a program under qemu cannot start itself. So are, of the index's writer, the tests that
# start processes or let each operation on files fail, those of damage to every part of a segment and of long queries, which
# take minutes under qemu, and what is of files and pages rather than of a processor. Only `make test` runs these.
export PROPTEST_CASES="${PROPTEST_CASES:-32}"
# Complete debug information takes long to write.
export CARGO_PROFILE_DEV_DEBUG=line-tables-only
exec cargo test --no-default-features --target aarch64-unknown-linux-gnu --no-fail-fast --lib --test suite -- "$@" \
    --skip rooms:: --skip pages:: --skip create_folder::tests::folders_are_created_at_any_depth \
    --skip writer::tests::faults::after_a --skip writer::tests::kills::killed --skip damage::forged --skip damage::flipped \
    --skip search::tests::long_queries \
    --skip writer::tests::disk::a_file_that_cannot_grow --skip writer::tests::processes::a_forked_writer \
    --skip writer::tests::processes::there_is_one_writer --skip writer::tests::life::a_writer_waits --skip writer::tests::memory::what_has_no_memory \
    --skip limits::lists_for_which_there_is_no_memory
