#!/bin/sh
# Tests the extension in a thread-safe PHP, whose requests are threads of one process: the PHP tests, then many threads
# through php-tests/threads/harness.c.
#
#   SECONDS_EACH=60 THREADS='2 16 500' scripts/test-zts.sh
#
# MEMCHECK=1 runs the threads under valgrind instead, without the PHP tests.
# The PHP is built first, as scripts/zts.sh says. If its sources are not available, a line SKIPPED says so.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
what=zts
. scripts/packages.sh
. scripts/zts.sh

threads=${THREADS:-2 16 500}
seconds=${SECONDS_EACH:-60}

zts_extension
memcheck=${MEMCHECK:-}
[ -n "$memcheck" ] || sh php-tests/run.sh "$extension" -d postings.opencl=1 php-tests || exit 1

# shellcheck disable=SC2046  # a list of words
cc -D_GNU_SOURCE -O2 -g -Wall -o "$home/harness" php-tests/threads/harness.c $("$PHP_CONFIG" --includes) \
    -L"$home/source/libs" -Wl,-rpath,"$home/source/libs" -lphp -lpthread || exit 1
printf 'extension=%s\nmemory_limit=128M\npostings.opencl=1\nerror_log=%s\n' "$extension" "$home/errors.log" >"$home/php.ini"
set --
if [ -n "$memcheck" ]; then
    need_packages valgrind
    # What PCRE compiles reads beyond the ends of strings.
    echo 'pcre.jit=0' >>"$home/php.ini"
    export USE_ZEND_ALLOC=0
    set -- valgrind --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9 \
        --suppressions=php-tests/valgrind.supp
fi
status=0
for count in $threads; do
    THREADS_FOLDER=$(mktemp -d) && export THREADS_FOLDER || exit 1
    # From some 337 threads on, programs have run out of keys of thread-local storage: none is left here.
    "$@" "$home/harness" "$home/php.ini" php-tests/threads/prepare.inc php-tests/threads/request.inc "$count" "$seconds" 0 ||
        status=1
    rm -rf "$THREADS_FOLDER"
done
exit "$status"
