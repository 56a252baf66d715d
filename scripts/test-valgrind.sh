#!/bin/sh
# Runs the PHP tests under valgrind's memcheck: no error and no definite leak, in PHP, in the processes that tests start, and
# in forked ones. PHP's own allocator is off, so that each allocation is seen; the JIT of PCRE is off, which memcheck
# misunderstands.
#
#   scripts/test-valgrind.sh path/to/postings.so [test files]
set -u
cd "$(dirname "$0")/.." || exit 1
what=valgrind
. scripts/packages.sh

extension=$(realpath "$1") || exit 1
shift
php=$(command -v "${PHP:-php}") || exit 1
own_folder valgrind

command -v valgrind >/dev/null || install_or_skip valgrind

if [ $# = 0 ]; then
    for file in php-tests/*/*.phpt; do
        case $file in
            # memory_limit does not hold without PHP's allocator, and memory is valgrind's, too.
            php-tests/*/memory*.phpt | php-tests/lists/too_long.phpt) continue ;;
            # Forks while threads search, for minutes: what they have in hand is lost to the child, in which they do not run.
            php-tests/index/stream_process.phpt) continue ;;
            # PoCL compiles kernels with LLVM, which takes a quarter of an hour under valgrind for each of them.
            php-tests/device/off.phpt | php-tests/device/loader.phpt) ;;
            php-tests/device/*) continue ;;
        esac
        set -- "$@" "$file"
    done
fi

# Stands in for PHP: scripts of tests run under valgrind, what run-tests.php asks before does not. run-tests.php itself has
# an option for valgrind, but gives all processes of a test one log, in which they overwrite each other, and 300 s.
# Other programs that tests start are not traced: compilers of forged drivers, and the shells that start them.
rm -rf "$home/logs" && mkdir "$home/logs" || exit 1
cat >"$home/php" <<PHP
#!/bin/sh
script=''
for argument; do
    [ "\$script" != -f ] || { script=\$argument; break; }
    [ "\$argument" != -f ] || script=-f
done
case \$script in '' | *.skip.php | *.clean.php) exec '$php' "\$@" ;; esac
export VALGRIND_LOG="$home/logs/\$(basename "\$script" .php)" USE_ZEND_ALLOC=0 ZEND_DONT_UNLOAD_MODULES=1
exec '$(command -v valgrind)' -q --trace-children=yes --log-file='%q{VALGRIND_LOG}.%p' --num-callers=40 \\
    --trace-children-skip='*/sh,*/dash,*/cc,*/*gcc*,*/ld,*/*ld.bfd,*/collect2,*/true,*/cat' --suppressions='$PWD/php-tests/valgrind.supp' \\
    --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite '$php' "\$@"
PHP
chmod +x "$home/php"

# hwloc, which PoCL uses, prints a warning under valgrind unless it is told not to ask the processor.
export HWLOC_COMPONENTS=-x86 TEST_TIMEOUT=3600
# php-config is for the PHP that runs the tests, not for the one that stands in for it.
PHP=$home/php sh php-tests/run.sh "$extension" -j"$(nproc)" -d pcre.jit=0 "$@"
status=$?
processes=0 wrong=0
for log in "$home"/logs/*; do
    processes=$((processes + 1))
    if [ -s "$log" ]; then
        wrong=$((wrong + 1))
        printf '\n%s\n' "$log"
        head -n 60 "$log"
    fi
done
printf 'valgrind: %d processes, %d with errors or leaks\n' "$processes" "$wrong"
[ "$processes" -gt 0 ] && [ "$wrong" = 0 ] || status=1
exit "$status"
