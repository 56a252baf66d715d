#!/bin/sh
# Tests the extension in a thread-safe PHP, whose requests are threads of one process: the PHP tests, then many threads
# through php-tests/threads/harness.c.
#
#   SECONDS_EACH=60 THREADS='2 16 500' scripts/test-zts.sh
#
# Debian's PHP is not thread-safe. So PHP is built from Debian's sources, with few of its extensions, in the target folder;
# that takes some four minutes on two cores, once. If the sources are not available, a line SKIPPED says so.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
. scripts/packages.sh

skip() { printf 'SKIPPED: zts: %s\n' "$*"; exit 0; }
say() { printf 'zts: %s\n' "$*" >&2; }

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/zts" && home=$(cd "$target/zts" && pwd) || exit 1
threads=${THREADS:-2 16 500}
seconds=${SECONDS_EACH:-60}

command -v apt-get >/dev/null || skip 'needs apt-get'
missing=''
for package in autoconf bison re2c pkg-config dpkg-dev; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
# shellcheck disable=SC2086  # a list of words
[ -z "$missing" ] || install_or_skip $missing

# Unpacks the sources of the machine's PHP into $home/source, from the archives that its apt uses.
fetch() (
    rm -rf "$home/source"
    own_apt "$home/apt" '($1 == "Debian" && $2 !~ /-/) || $1 == "Debian-Security" { print "deb-src", $3, $2, "main" }' || exit 1
    name=php$("${PHP:-php}" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    # A security update's files may be gone before its entry is.
    for version in $(apt-cache showsrc "$name" | sed -n 's/^Version: //p' | sort -rV); do
        rm -rf "${name:?}"-*/
        apt-get -q source "$name=$version" >&2 && mv "$name"-*/ "$home/source" && exit 0
    done
    exit 1
)
build() (
    cd "$home/source" || exit 1
    ./buildconf --force && ./configure --prefix="$home/php" --disable-all --enable-zts --enable-cli --enable-embed=shared \
        --enable-pcntl --enable-posix --disable-phpdbg --disable-cgi && make -j"$(nproc)" && make install
)
if [ ! -e "$home/php/complete" ]; then
    [ -d "$home/source" ] || fetch || skip "PHP's sources are not available, see above"
    say 'building PHP'
    build >"$home/build.log" 2>&1 || { tail -n 30 "$home/build.log" >&2; exit 1; }
    touch "$home/php/complete"
fi

PHP=$home/php/bin/php PHP_CONFIG=$home/php/bin/php-config
export PHP PHP_CONFIG
CARGO_TARGET_DIR="$home/cargo" cargo build --release --lib || exit 1
extension=$home/cargo/release/libpostings.so
sh php-tests/run.sh "$extension" -d postings.opencl=1 php-tests || exit 1

# shellcheck disable=SC2046  # a list of words
cc -D_GNU_SOURCE -O2 -g -Wall -o "$home/harness" php-tests/threads/harness.c $("$PHP_CONFIG" --includes) \
    -L"$home/source/libs" -Wl,-rpath,"$home/source/libs" -lphp -lpthread || exit 1
printf 'extension=%s\nmemory_limit=128M\npostings.opencl=1\nerror_log=%s\n' "$extension" "$home/errors.log" >"$home/php.ini"
status=0
for count in $threads; do
    THREADS_FOLDER=$(mktemp -d) && export THREADS_FOLDER || exit 1
    # From some 337 threads on, programs have run out of keys of thread-local storage: none is left here.
    "$home/harness" "$home/php.ini" php-tests/threads/prepare.inc php-tests/threads/request.inc "$count" "$seconds" 0 ||
        status=1
    rm -rf "$THREADS_FOLDER"
done
exit "$status"
