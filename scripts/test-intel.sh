#!/bin/sh
# Runs the device tests, those of Rust and those of PHP, and a batch of the demo's on Intel's OpenCL runtime for CPUs. It comes
# from PyPI into the target folder, in a fixed version, and nothing else on the machine knows of it.
#
#   scripts/test-intel.sh path/to/postings.so
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
what=intel
. scripts/packages.sh

extension=$(realpath "$1") || exit 1
php=${PHP:-php}
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/intel" && home=$(cd "$target/intel" && pwd) || exit 1
wanted='intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0'

[ "$(uname -s -m)" = 'Linux x86_64' ] || skip "needs x86-64 Linux, this is $(uname -s -m)"
python3 -c 'import ensurepip' 2>/dev/null || install_or_skip python3-venv
if [ "$(cat "$home/wanted" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$home/python"
    # shellcheck disable=SC2086  # a list of words
    if ! python3 -m venv "$home/python" || ! "$home/python/bin/pip" install --quiet --disable-pip-version-check $wanted >&2; then
        skip 'the runtime is not available, see above'
    fi
    echo "$wanted" >"$home/wanted"
fi

# The only driver, for the loader of the machine. The tests compile every program anew.
mkdir -p "$home/vendors" && echo "$home/python/lib/libintelocl.so" >"$home/vendors/intel.icd" || exit 1
cache=$(mktemp -d) || exit 1
trap 'rm -rf "$cache"' EXIT
device='Intel(R) OpenCL'
export OCL_ICD_VENDORS="$home/vendors" POSTINGS_DEVICE="$device" POSTINGS_TEST_DEVICE="$device" POSTINGS_CACHE_DIR="$cache"
# The loader and the driver are opened in a trial first, which is short of time on a busy machine.
export POSTINGS_OPENCL_SECONDS=60
set -- -n -d "extension=$extension" -d "postings.device=\"$device\""
"$php" "$@" -r 'exit(array_filter(Postings\devices(), fn ($device) => $device["selected"]) ? 0 : 1);' ||
    skip 'the runtime has no device here'

status=0
cargo test --no-default-features --features lab --no-fail-fast --test device --test device_process || status=1
# The program with all codecs takes longer to build than a test of PHP may take by default.
# shellcheck disable=SC2046  # a list of words
sh php-tests/run.sh "$extension" --set-timeout 900 $(grep -rl 'device\.inc' php-tests --include='*.phpt') || status=1
"$php" -n -d "extension=$extension" examples/demo/index.php --output "$cache/index" --corpus docs >/dev/null &&
    "$php" "$@" examples/demo/search.php --index "$cache/index" --sample index --batch 2000 || status=1
exit "$status"
