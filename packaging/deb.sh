#!/bin/sh
# Makes a Debian package for the PHP at hand or the one named, by dh-php's conventions, in $CARGO_TARGET_DIR/dist, and
# checks it with lintian. The profile with which its module was built is put beside it.
#   PHP=php8.4 PHP_CONFIG=php-config8.4 packaging/deb.sh
#   MODULE=postings.so, PROFILE=…          as for packaging/dist.sh
#   DEBFULLNAME=… DEBEMAIL=…               who maintains the package; the author of the last commit if not set
set -eu
cd "$(dirname "$0")/.."
. packaging/module.sh

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/dist" && target=$(cd "$target" && pwd)
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(sh packaging/date.sh)}" LC_ALL=C TZ=UTC
module=${MODULE:-$(sh packaging/build.sh)}
notices=$(sh packaging/notices.sh)
version=$(sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -n 1)
of_php=$("${PHP:-php}" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
maintainer=${DEBEMAIL:+${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>}
maintainer=${maintainer:-$(git log -1 --format='%an <%ae>')}

stage=$target/dist/deb/php-postings-$version
rm -rf "$target/dist/deb" && mkdir -p "$stage"
cp -r packaging/debian "$stage/debian"
cd "$stage"
package=php$of_php-postings
mv debian/postrm "debian/$package.postrm"
sed -i "s/@PHP@/php$of_php/g; s/@VERSION_OF_PHP@/$of_php/g; s/@MAINTAINER@/$maintainer/" debian/control debian/rules debian/*.postrm
chmod +x debian/rules
tail -n +3 "$OLDPWD/LICENSE-MIT" | sed 's/^$/./; s/^/ /' >mit
sed -i -e '/@MIT@/{r mit' -e 'd}' debian/copyright && rm mit
cat >debian/changelog <<CHANGELOG
php-postings ($version-1) unstable; urgency=medium

  * Version $version, as its changelog says.

 -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG
cp "$module" postings.so
cp "$OLDPWD/CHANGELOG.md" "$notices/THIRD-PARTY-LICENSES" "$notices/postings.cdx.json" .
cp -r "$OLDPWD/stubs" stubs
printf 'mod postings.so\nmod debian/postings.ini\n' >"debian/$package.php"
printf 'THIRD-PARTY-LICENSES\npostings.cdx.json\n' >"debian/$package.docs"
printf 'stubs/*.stub.php usr/share/%s/stubs\n' "$package" >"debian/$package.install"
printf 'CHANGELOG.md\n' >"debian/$package.changelogs"

cat >"debian/$package.lintian-overrides" <<OVERRIDES
# There is no bug "intent to package", as the package is not in Debian's archive.
$package: initial-upload-closes-no-bugs [usr/share/doc/$package/changelog.Debian.gz:1]
OVERRIDES

dpkg-buildpackage --build=binary --no-sign >&2
lintian --fail-on error,warning --allow-root "../php-postings_$version-1"_*.changes >&2
mv ../*.deb "$target/dist/"
deb=$(ls "$target/dist/${package}_$version-1"_*.deb)
keep_profile "$module" "$deb"
echo "$deb"
