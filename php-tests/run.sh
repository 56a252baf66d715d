#!/bin/sh
# Runs the .phpt files of the folders beside it with PHP's own run-tests.php.
#   php-tests/run.sh path/to/libpostings.so [run-tests options and test files]
# POSTINGS_DEVICE names the OpenCL device of the device tests (default: PoCL). Exits nonzero where a test fails.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 1 ] || [ ! -f "$1" ]; then
    echo "usage: $0 path/to/libpostings.so [run-tests options and test files]" >&2
    exit 2
fi
library=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
php=${PHP:-$(command -v php)}
php_config=${PHP_CONFIG:-$(command -v php-config || true)}
runner=
if [ -n "$php_config" ]; then
    for candidate in \
        "$("$php_config" --prefix)/lib/php/$("$php_config" --phpapi)/build/run-tests.php" \
        "$("$php_config" --prefix)/lib/php/build/run-tests.php" \
        "$("$php_config" --extension-dir)/build/run-tests.php"; do
        if [ -f "$candidate" ]; then
            runner=$candidate
            break
        fi
    done
fi
if [ -z "$runner" ]; then
    echo "$0: no run-tests.php: install PHP's development package (php-dev, with php-config)" >&2
    exit 2
fi
if [ $# -eq 0 ]; then
    set -- "$here"
fi
export TEST_PHP_EXECUTABLE="$php" NO_INTERACTION=1 POSTINGS_LIBRARY="$library"
# -n: no php.ini, so that other extensions and settings of the machine do not matter. A test that is the first to want all kernels waits
# for PoCL to compile them, which on a slow machine takes longer than the minute that a test may take otherwise.
exec "$php" -n "$runner" -n -q --show-diff --set-timeout 300 -d "extension=$library" "$@"
