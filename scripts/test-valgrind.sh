#!/bin/sh
# Runs the PHP tests under valgrind's memcheck: no error and no definite leak, in PHP, in the processes that tests start, and
# in forked ones. PHP's own allocator is off, so that each allocation is seen; the JIT of PCRE is off, which memcheck
# misunderstands.
#
#   scripts/test-valgrind.sh path/to/postings.so [test files]
set -u
cd "$(dirname "$0")/.." || exit 1

skip() { printf 'SKIPPED: valgrind: %s\n' "$*"; exit 0; }
say() { printf 'valgrind: %s\n' "$*" >&2; }

extension=$(realpath "$1") || exit 1
shift
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/valgrind" && home=$(cd "$target/valgrind" && pwd) || exit 1

if ! command -v valgrind >/dev/null; then
    command -v apt-get >/dev/null || skip 'needs valgrind'
    [ "$(id -u)" = 0 ] || skip 'needs the package valgrind'
    say 'apt-get install valgrind'
    apt-get -q -o DPkg::Lock::Timeout=600 update >&2
    DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-remove --no-install-recommends -o DPkg::Lock::Timeout=600 \
        install valgrind >&2 || skip 'the package valgrind is not available'
fi

if [ $# = 0 ]; then
    for file in php-tests/*/*.phpt; do
        case $file in
            # memory_limit does not hold without PHP's allocator, and memory is valgrind's, too.
            php-tests/*/memory*.phpt | php-tests/lists/too_long.phpt) continue ;;
            # PoCL compiles kernels with LLVM, which takes a quarter of an hour under valgrind for each of them.
            php-tests/device/off.phpt | php-tests/device/loader.phpt | php-tests/device/trial.phpt) ;;
            php-tests/device/*) continue ;;
        esac
        set -- "$@" "$file"
    done
fi

# run-tests.php gives all processes of a test one log, in which they would overwrite each other. So each gets its own, and
# they are joined.
mkdir -p "$home/bin"
cat >"$home/bin/valgrind" <<VALGRIND
#!/bin/sh
log=''
for argument; do
    shift
    case \$argument in --log-file=*) log=\${argument#*=} argument=\$argument.%p ;; esac
    set -- "\$@" "\$argument"
done
'$(command -v valgrind)' "\$@"
status=\$?
if [ -n "\$log" ]; then
    cat "\$log".[0-9]* >"\$log"
    rm -f "\$log".[0-9]*
fi
exit "\$status"
VALGRIND
chmod +x "$home/bin/valgrind"

# Other programs that tests start are not traced: compilers of forged drivers, and the shells that start them.
export VALGRIND_OPTS="--leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --num-callers=40 \
--suppressions=$PWD/php-tests/valgrind.supp --trace-children-skip=*/sh,*/dash,*/cc,*/*gcc*,*/true,*/cat"
# hwloc, which PoCL uses, prints a warning under valgrind unless it is told not to ask the processor.
export HWLOC_COMPONENTS=-x86
PATH=$home/bin:$PATH sh php-tests/run.sh "$extension" -m -j"$(nproc)" -d pcre.jit=0 "$@"
