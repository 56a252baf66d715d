#!/bin/sh
# Fuzzes with AddressSanitizer, one target after the other; each for TIME seconds.
#
#   TIME=60 [TARGETS='index_query index_segment'] scripts/fuzz.sh
#
# What a target has learned is kept in target/fuzz/corpus, so that the next run goes on from there. cargo-fuzz is compiled the
# first time. Sanitizers are unstable in rustc, hence RUSTC_BOOTSTRAP.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh

time=${TIME:-60}
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/fuzz" && home=$(cd "$target/fuzz" && pwd) || exit 1
tools=$(sh packaging/tool.sh cargo-fuzz) || exit 1
export RUSTC_BOOTSTRAP=1 PATH="$tools:$PATH"
targets=${TARGETS:-$(cargo fuzz list)}
wrong=0
for name in $targets; do
    mkdir -p "$home/corpus/$name" "$home/found/$name" || exit 1
    log=$home/$name.log
    if cargo fuzz run --target-dir "$home/build" "$name" "$home/corpus/$name" -- \
        -max_total_time="$time" -artifact_prefix="$home/found/$name/" -print_final_stats=1 >"$log" 2>&1; then
        printf 'fuzz: %-16s %s runs, none failed\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    else
        wrong=1
        printf 'fuzz: %-16s FAILED: see %s\n' "$name" "$log"
        tail -n 20 "$log"
    fi
done
exit "$wrong"
