#!/bin/sh
# Tests searches that go to several machines, which are processes on loopback addresses here: shards with replicas that fail
# (integrations/shards), and Yioop's, without the drop-in and with it (yioop/machines.php).
#
#   [YIOOP_DIR=path/to/yioop LEAVES=2,4] scripts/test-machines.sh path/to/postings.so
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh

extension=$(realpath "$1") || exit 1
php=${PHP:-php}

# Whether this PHP has all of these modules.
has() {
    for module in "$@"; do
        "$php" -m 2>/dev/null | grep -qix "$module" || return 1
    done
}

# Each part by itself: what is missing for one skips that one.
shards() (
    what='shards on several machines'
    version=$("$php" -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    fit() { has curl pcntl posix && command -v haproxy && command -v "php-fpm$version"; } >/dev/null
    fit || need_packages haproxy "php$version-fpm" php-curl
    fit || skip "there is no haproxy, php-fpm$version, curl, pcntl or posix"
    { has redis && command -v redis-server >/dev/null; } || (need_packages redis-server php-redis)
    "$php" -d extension="$extension" integrations/shards/tests/machines/run.php --extension="$extension"
)

yioop() (
    what='Yioop on several machines'
    [ -d "${YIOOP_DIR:-}/src" ] || skip 'YIOOP_DIR names no checkout of Yioop 2019'
    has curl dom mbstring pdo_sqlite posix || need_packages php-curl php-mbstring php-sqlite3 php-xml
    has curl dom mbstring pdo_sqlite posix || skip "$php has no curl, dom, mbstring, pdo_sqlite or posix"
    "$php" yioop/machines.php "$YIOOP_DIR" "$extension" --leaves="${LEAVES:-2,4}"
)

status=0
shards || status=1
yioop || status=1
exit $status
