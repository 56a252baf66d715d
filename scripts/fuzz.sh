#!/bin/sh
# Fuzzes with AddressSanitizer, as many targets at a time as there are processors; each for TIME seconds.
#
#   TIME=60 [TARGETS='index_query index_segment'] scripts/fuzz.sh
#   TARGETS=index_query scripts/fuzz.sh --keep
#
# A target begins with the inputs in its archive in fuzz/corpus, and what it has learned before, which is kept in
# target/fuzz/corpus. --keep fuzzes nothing, and puts the fewest inputs that reach as much into the archive. cargo-fuzz is
# compiled the first time; if it or the sanitizer is not available, a line SKIPPED says so. Sanitizers are unstable in rustc, hence
# RUSTC_BOOTSTRAP.
set -u
self=$(realpath "$0")
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
what=fuzz
. scripts/packages.sh

own_folder fuzz
programs=$home/build/$(rustc -vV | sed -n 's/^host: //p')/release

# Makes the folders of a target: what it has learned, what it begins with.
folders() {
    name=$1
    log=$home/$name.log
    mkdir -p "$home/corpus/$name" "$home/found/$name" || exit 1
    rm -rf "$home/begin/$name" && mkdir -p "$home/begin/$name" || exit 1
    [ ! -e "fuzz/corpus/$name.tar.gz" ] || tar -xzf "fuzz/corpus/$name.tar.gz" -C "$home/begin/$name" || exit 1
}

# Fuzzes one target.
one() {
    folders "$1"
    if "$programs/$name" "$home/corpus/$name" "$home/begin/$name" -max_total_time="${TIME:-60}" \
        -artifact_prefix="$home/found/$name/" -print_final_stats=1 >"$log" 2>&1; then
        printf 'fuzz: %-16s %s runs, none failed\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    else
        printf 'fuzz: %-16s FAILED: see %s\n' "$name" "$log"
        tail -n 20 "$log"
        exit 1
    fi
}

# Keeps what a target has learned. Long inputs reach nothing that short ones do not.
keep() {
    folders "$1"
    rm -rf "$home/kept/$name" && mkdir -p "$home/kept/$name" fuzz/corpus || exit 1
    "$programs/$name" "$home/kept/$name" "$home/begin/$name" "$home/corpus/$name" -set_cover_merge=1 -max_len=400 \
        >"$log" 2>&1 || { tail -n 20 "$log"; exit 1; }
    # The same inputs give the same bytes.
    tar -czf "fuzz/corpus/$name.tar.gz" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$home/kept/$name" . || exit 1
    printf 'fuzz: %-16s %s inputs kept\n' "$name" "$(find "$home/kept/$name" -type f | wc -l)"
}

case ${1:-} in
    one) one "$2"; exit ;;
    keep) keep "$2"; exit ;;
    --keep) action=keep ;;
    *) action=one ;;
esac
# A rustc of a distribution may lack it.
[ -n "$(find "$(rustc --print sysroot)/lib" -name 'librustc*_rt.asan.a')" ] || skip 'this Rust has no AddressSanitizer'
tools=$(sh packaging/tool.sh cargo-fuzz) || skip 'cargo-fuzz is not available, see above'
export RUSTC_BOOTSTRAP=1 PATH="$tools:$PATH"
targets=${TARGETS:-$(cargo fuzz list)}
for name in $targets; do
    cargo fuzz build --target-dir "$home/build" "$name" >"$home/build.log" 2>&1 || { tail -n 30 "$home/build.log"; exit 1; }
done
# shellcheck disable=SC2086  # a list of words
printf '%s\n' $targets | xargs -n 1 -P "$(nproc)" sh "$self" "$action"
