#!/bin/sh
# Lets PIE install Postings, from the archive that `make dist` makes and from source, and searches.
#
#   PIE=pie.phar scripts/test-pie.sh      PIE 1.4 or newer; or the folder of a clone of it that works
#   SOURCE=1                              also lets PIE compile, as it does if a release has no archive for a PHP
#   MODULE=modules/postings.so            packs this one instead of building
#
# PIE runs as anybody runs it: `pie install postings/postings`. What it asks Packagist and GitHub is answered by
# packaging/pie/internet.php. It changes the machine's PHP, so that all of this happens in a mount namespace, in which the
# folders that it writes are copies.
set -u
cd "$(dirname "$0")/.." || exit 1
what=pie
. scripts/packages.sh
. scripts/env.sh

[ -n "${PIE:-}" ] || skip 'needs PIE=, the path of pie.phar (https://github.com/php/pie) or of a folder with a working bin/pie'
[ ! -d "$PIE" ] || PIE=$PIE/bin/pie
[ -f "$PIE" ] || { say "$PIE is not there"; exit 1; }
pie=$(realpath "$PIE") || exit 1
php=$(command -v "${PHP:-php}") || skip 'needs PHP'
php_config=$(command -v "${PHP_CONFIG:-php-config}") || skip 'needs php-config'
[ "$(id -u)" = 0 ] || skip 'needs root, for a mount namespace'
unshare --mount true 2>/dev/null || skip 'cannot make a mount namespace'
"$php" -r 'exit(extension_loaded("openssl") ? 0 : 1);' || skip "needs PHP's openssl"
command -v unzip >/dev/null || install_or_skip unzip

if [ "${1:-}" != inside ]; then
    archive=$(PHP="$php" PHP_CONFIG="$php_config" sh packaging/dist.sh) || exit 1
    export PIE="$pie" PHP="$php" PHP_CONFIG="$php_config"
    exec unshare --mount sh scripts/test-pie.sh inside "$archive"
fi
archive=$2

folder=$(mktemp -d) || exit 1
internet=''
trap '[ -z "$internet" ] || kill "$internet" 2>/dev/null; rm -rf --one-file-system "$folder"' EXIT
trap 'exit 1' HUP INT TERM
fail() { say "$@"; exit 1; }

# What PIE writes: the module; on Debian a file in mods-available, and what phpenmod makes of it; elsewhere a file in a folder
# that PHP scans, or php.ini.
n=0
for written in "$("$php_config" --extension-dir)" "$("$php" -r 'echo php_ini_loaded_file();')" \
    "$("$php" -r 'echo PHP_CONFIG_FILE_SCAN_DIR;')" /etc/php /var/lib/php; do
    [ -e "$written" ] || continue
    n=$((n + 1))
    cp -a "$written" "$folder/copy$n" || exit 1
    mount --bind "$folder/copy$n" "$written" || skip "cannot mount over $written"
done
loaded() { "$php" -r 'exit(extension_loaded("postings") ? 0 : 1);' 2>/dev/null; }
module=$("$php_config" --extension-dir)/postings.so
if loaded || [ -e "$module" ]; then skip 'Postings is installed on this machine'; fi

# $1: a name for the folder of its files; the rest: the release's assets.
connect() {
    [ -z "$internet" ] || { kill "$internet"; wait "$internet" 2>/dev/null; }
    known=$folder/$1 && shift && mkdir "$known" || exit 1
    "$php" packaging/pie/internet.php "$known" "$folder/sources.zip" "$@" >"$known/log" 2>&1 &
    internet=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ ! -f "$known/port" ] || break
        sleep 1
    done
    port=$(cat "$known/port") || fail "$(cat "$known/log")"
    export https_proxy="http://127.0.0.1:$port" http_proxy="http://127.0.0.1:$port" SSL_CERT_FILE="$known/certificate.pem"
}
unset HTTP_PROXY HTTPS_PROXY no_proxy NO_PROXY all_proxy ALL_PROXY
export COMPOSER_HOME="$folder/composer" PIE_WORKING_DIRECTORY="$folder/pie" COMPOSER_NO_INTERACTION=1 COMPOSER_ALLOW_SUPERUSER=1
pie() {
    "$php" "$pie" "$@" --with-php-config="$php_config" --no-interaction >"$folder/said" 2>&1 ||
        fail "pie $*: $(cat "$folder/said")"
}
said() { grep -q -F -- "$1" "$folder/said" || fail "PIE did not say \"$1\" but: $(cat "$folder/said")"; }
asked() { grep -q -- "$1" "$known/requests" || fail "PIE did not ask $1 but: $(cat "$known/requests")"; }
gone() {
    if loaded || [ -e "$module" ] || grep -r -q '^extension=postings' "$folder"/copy*; then
        fail "not all is gone: $(cat "$folder/said")"
    fi
}
searches() {
    loaded || fail "$1: PHP does not load the module: $(cat "$folder/said")"
    # It makes its index beside its own folder.
    rm -rf "$folder/$1-example" && mkdir -p "$folder/$1-example/examples" "$folder/$1-example/target" || exit 1
    cp examples/first-index.php "$folder/$1-example/examples"
    "$php" "$folder/$1-example/examples/first-index.php" >"$folder/found" || fail "$1: the search failed"
    sed -n '/^\/\* Prints:/,/^\*\//p' examples/first-index.php | sed '1d;$d' | cmp - "$folder/found" ||
        fail "$1: found $(cat "$folder/found")"
}

# As GitHub packs a commit: one folder, with the owner and a part of the commit's name. PIE must be satisfied with what a commit
# has, so nothing that is not committed is in it.
git archive --format=zip --prefix=postings-postings-0123abc/ -o "$folder/sources.zip" HEAD || skip 'needs a git clone'

connect archive "$archive" "$archive.sha256"
# First without installing: if PIE did not find the archive, it would compile for minutes.
pie download postings/postings -vv
said 'Found prebuilt archive: https://github.com/postings/postings/releases/download/'
pie install postings/postings -vv
said 'Pre-packaged binary found'
asked "^release-assets.githubusercontent.com/$(basename "$archive")\$"
! grep -q '^codeload' "$known/requests" || fail 'PIE took the sources too'
searches archive
unzip -p "$archive" postings.so | cmp - "$module" || fail "$module is not the archive's"
pie show
said 'postings/postings'
pie uninstall postings/postings
gone
say 'archive: installed, searched, uninstalled'

# A release that has archives only for another PHP: PIE takes the sources.
cp "$archive" "$folder/php_postings-0.0.0_php5.6-x86_64-linux-glibc.zip"
connect sources "$folder"/php_postings-*.zip
pie download postings/postings -vv
said 'Selected download URL method: composer-default'
asked '^codeload.github.com/'
say 'no archive for this PHP: PIE takes the sources'
passed=2
if [ -n "${SOURCE:-}" ]; then
    # cargo has its crates already; PIE's internet has none.
    cargo fetch --quiet --locked || fail 'cargo cannot fetch the crates'
    export CARGO_NET_OFFLINE=true
    pie install postings/postings -vv
    said 'Build complete'
    searches source
    pie uninstall postings/postings
    gone
    say 'source: compiled, installed, searched, uninstalled'
    passed=3
fi
echo "pie: $passed passed, 0 failed"
