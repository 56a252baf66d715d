#!/bin/sh
# Runs php-tests/soak/soak.inc: four php-fpm workers answer queries while a writer commits ten times a second, and writers and
# workers are killed at random. Every answer is compared with what it must be.
#
#   HOURS=1 scripts/soak.sh path/to/postings.so
set -u
cd "$(dirname "$0")/.." || exit 1
what=soak
. scripts/packages.sh

extension=$(realpath "$1") || exit 1
php=$(command -v "${PHP:-php}") || exit 1
# Debian's is called php-fpm8.2.
name=php$("$php" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
find_fpm() { command -v "php-fpm${name#php}" || command -v php-fpm; }
find_fpm >/dev/null || install_or_skip "$name-fpm"
fpm=$(find_fpm)

folder=$(mktemp -d) || exit 1
"$php" -n -d memory_limit=1G php-tests/soak/soak.inc "$fpm" "$extension" "$folder" "$(awk -v hours="${HOURS:-1}" 'BEGIN { printf "%d", hours * 3600 }')"
status=$?
if [ "$status" = 0 ]; then rm -rf "$folder"; else say "the index and the logs are left in $folder"; fi
exit "$status"
