#!/bin/sh
# Runs the Rust tests with a sanitizer of rustc.
#
#   scripts/test-sanitizer.sh address   the library and tests/suite, with leaks
#   scripts/test-sanitizer.sh thread    those of the library that use threads; the standard library is compiled, too
#
# Sanitizers are unstable in rustc, hence RUSTC_BOOTSTRAP. Drivers are not compiled so; what PoCL leaks does not count.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
sanitizer=${1:-address}
what="$sanitizer sanitizer"
. scripts/packages.sh

own_folder "$sanitizer"
[ "$(uname -s -m)" = 'Linux x86_64' ] || skip "needs x86-64 Linux, this is $(uname -s -m)"
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$sanitizer" CARGO_TARGET_DIR="$home/build"
# Fewer cases per property: programs are several times slower.
export PROPTEST_CASES="${PROPTEST_CASES:-64}"
set -- --target x86_64-unknown-linux-gnu --no-default-features --features lab --no-fail-fast

# The compiler whose standard library can be compiled with the sanitizer: Debian's, which has the library's sources, with the
# sanitizer's own library of the machine's Rust, which Debian's lacks. Unpacked in the target folder.
root=$home/root
fetch() (
    archive=$(find "$(rustc --print sysroot)/lib/rustlib" -name 'librustc-*_rt.tsan.a' | head -n 1)
    [ -n "$archive" ] || { say "the machine's Rust has no ThreadSanitizer"; exit 1; }
    rm -rf "$root" && mkdir -p "$root"
    own_apt "$home/apt" '
        $1 == "Debian" && $2 !~ /-/ { print "deb", $3, $2, "main" }
        $1 == "Debian-Security" { print "deb", $3, $2, "main" }' 'Acquire::Languages "none";' || exit 1
    rust=$(newest_from rustc-web "$msrv") || exit 1
    std=libstd-rust-web-$(echo "$rust" | cut -d. -f1-2)
    # shellcheck disable=SC2046  # a list of words
    unpack "$root" "rustc-web=$rust" "$std=$rust" "libstd-rust-web-dev=$rust" "rust-web-src=$rust" \
        $(rust_libraries "$std") || exit 1
    cp "$archive" "$root/usr/lib/rustlib/x86_64-unknown-linux-gnu/lib/librustc-stable_rt.tsan.a" && touch "$root/complete"
)
thread_compiler() {
    command -v apt-get >/dev/null || skip 'needs apt-get'
    [ -e "$root/complete" ] || fetch || skip "Debian's Rust is not available, see above"
    use_rust "$home"
}

case $sanitizer in
    address)
        # Tests ask for more memory than there is. Rust has its own stack for signals, which is not the sanitizer's to free.
        export ASAN_OPTIONS="allocator_may_return_null=1:use_sigaltstack=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
        echo 'leak:libpocl' >"$home/others" && export LSAN_OPTIONS="suppressions=$home/others:print_suppressions=0"
        # Left out: tests that limit the address space, of which the sanitizer takes 16 TiB, and one that takes over ten minutes.
        exec cargo test "$@" --lib --test suite -- \
            --skip memory::what_has_no_memory --skip limits::lists_for_which_there_is_no_memory \
            --skip search::tests::long_queries
        ;;
    thread)
        thread_compiler
        # Tests ask for more memory than there is.
        export TSAN_OPTIONS="allocator_may_return_null=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
        # Left out, as under qemu: what starts processes or forks, what lets each operation on files fail, and what takes
        # over ten minutes.
        exec cargo test -Zbuild-std "$@" --lib -- engine:: search:: index::writer:: base:: \
            --skip writer::tests::faults --skip writer::tests::kills --skip writer::tests::disk \
            --skip writer::tests::processes --skip writer::tests::memory --skip waits_for_another_process --skip fork \
            --skip base::process --skip search::tests::long_queries
        ;;
    *)
        echo "usage: $0 address|thread" >&2
        exit 2
        ;;
esac
