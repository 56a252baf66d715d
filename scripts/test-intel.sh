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
. scripts/driver.sh

extension=$(realpath "$1") || exit 1
own_folder intel
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
test_driver "$extension" "$home/python/lib/libintelocl.so" 'Intel(R) OpenCL' "$home"
