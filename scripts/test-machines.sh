#!/bin/sh
# Tests searches that go to several machines. For now Yioop's, on loopback addresses, without the drop-in and with it, by
# yioop/machines.php.
#
#   YIOOP_DIR=path/to/yioop LEAVES=2,4 scripts/test-machines.sh path/to/postings.so
set -u
cd "$(dirname "$0")/.." || exit 1
what='Yioop on several machines'
. scripts/packages.sh

extension=$(realpath "$1") || exit 1
php=${PHP:-php}

# Whether this PHP has what Yioop needs.
fit() {
    for module in curl dom mbstring pdo_sqlite posix; do
        "$php" -m 2>/dev/null | grep -qix "$module" || return 1
    done
}

[ -d "${YIOOP_DIR:-}/src" ] || skip 'YIOOP_DIR names no checkout of Yioop 2019'
fit || need_packages php-curl php-mbstring php-sqlite3 php-xml
fit || skip "$php has no curl, dom, mbstring, pdo_sqlite or posix"
"$php" yioop/machines.php "$YIOOP_DIR" "$extension" --leaves="${LEAVES:-2,4}"
