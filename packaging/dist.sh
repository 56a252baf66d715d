#!/bin/sh
# Makes the archive that PIE installs without a compiler, its checksum, and the profile with which its module was built, in
# $CARGO_TARGET_DIR/dist.
#   PHP=php8.4 PHP_CONFIG=php-config8.4 packaging/dist.sh
#   MODULE=postings.so       packs this one instead of building
#   PROFILE=…                as for packaging/build.sh
#   OBJCOPY=aarch64-linux-gnu-objcopy      for a module of another architecture
set -eu
cd "$(dirname "$0")/.."
. packaging/module.sh

die() { echo "dist: $*" >&2; exit 1; }
php=${PHP:-php}
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/dist" && target=$(cd "$target" && pwd)
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(sh packaging/date.sh)}" LC_ALL=C TZ=UTC

name=$("$php" -n packaging/name.php)
version=${name#php_postings-} version=${version%%_*}

module=${MODULE:-$(sh packaging/build.sh)}
[ -f "$module" ] || die "$module is not there"
notices=$(sh packaging/notices.sh)

content=$target/dist/$name
rm -rf "$content" "$content.zip" "$content.zip.sha256"
mkdir -p "$content/stubs"
# PIE looks for the extension at the top. There must be no folder `pie`, in which it would look then.
"${OBJCOPY:-objcopy}" --strip-unneeded "$module" "$content/postings.so"
cp LICENSE-MIT LICENSE-APACHE CHANGELOG.md "$notices/THIRD-PARTY-LICENSES" "$notices/postings.cdx.json" "$content"
cp stubs/* "$content/stubs"
find "$content" -type f -exec chmod 644 {} + -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
[ "$("$php" -n -d extension="$content/postings.so" -r 'echo phpversion("postings");')" = "$version" ] ||
    die "$php does not load $content/postings.so as version $version"
(cd "$content" && find . -type f | sed 's|^\./||' | sort | zip -q -X -9 -@ "../$name.zip")
rm -r "$content"
(cd "$target/dist" && sha256sum "$name.zip" >"$name.zip.sha256")
keep_profile "$module" "$content.zip"
echo "$target/dist/$name.zip"
