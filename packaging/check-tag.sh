#!/bin/sh
# Whether a tag may be released: PIE looks for archives by the tag as it is written, and they are named by Cargo.toml.
#   packaging/check-tag.sh 0.2.0
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -n 1)
[ "$1" = "$version" ] || { echo "the tag is $1, Cargo.toml says $version" >&2; exit 1; }
grep -q "^## \[$version\]" CHANGELOG.md || { echo "CHANGELOG.md has no section $version" >&2; exit 1; }
grep -q "\"version\": \"$version\"" stubs/released.json || { echo "stubs/released.json is of another version: php -n scripts/released.php" >&2; exit 1; }
