#!/bin/sh
# Installs what `make dist` and `make deb` made in a bare Debian that has only PHP: no compiler, no Rust, no network.
#   packaging/test.sh ARCHIVE.zip [PACKAGE.deb]
# Needs root, to make that Debian with debootstrap (once, in $CARGO_TARGET_DIR/bare) and to enter it. The release is the
# one whose PHP the archive is for.
set -eu
archive=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
deb=${2:+$(cd "$(dirname "$2")" && pwd)/$(basename "$2")}
cd "$(dirname "$0")/.."

die() { echo "test: $*" >&2; exit 1; }
case $(basename "$archive") in
    php_postings-*_php8.2-x86_64-linux-glibc.zip) release=bookworm ;;
    php_postings-*_php8.4-x86_64-linux-glibc.zip) release=trixie ;;
    *) die "no release of Debian has the PHP of $archive" ;;
esac
[ "$(id -u)" = 0 ] || die 'this needs root, for debootstrap and chroot'
mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | head -n 1)
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/bare" && bare=$(cd "$target/bare" && pwd)/$release
php=$(basename "$archive" | sed 's/.*_\(php[0-9.]*\)-.*/\1/')

if [ ! -e "$bare.made" ]; then
    echo "test: debootstrap $release, with $php-cli" >&2
    rm -rf --one-file-system "$bare"
    debootstrap --variant=minbase "$release" "$bare" "$mirror" >"$bare.log" ||
        die "debootstrap failed: $bare.log"
    chroot "$bare" sh -c "DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $php-cli" >>"$bare.log" 2>&1 ||
        die "$php-cli could not be installed: $bare.log"
    touch "$bare.made"
fi
root=$(mktemp -d "$bare-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
fresh() {
    rm -rf --one-file-system "$root"
    cp -a "$bare" "$root"
    mkdir "$root/packages"
    cp "$@" examples/first-index.php packaging/bare/*.sh "$root/packages"
}
# A namespace of its own has no network, and its mounts end with it.
enter() { unshare --mount --net --pid --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"; }

fresh "$archive" "$archive.sha256"
enter sh -c 'for tool in cc gcc clang cargo rustc unzip; do ! command -v $tool || exit 1; done' ||
    die "$bare is not bare"
started=$(date +%s%N)
enter sh -e /packages/archive.sh "$(basename "$archive")"
echo "test: $release: from the archive to a search in $(( ($(date +%s%N) - started) / 1000000 )) ms"
[ $(( ($(date +%s%N) - started) / 1000000000 )) -lt 10 ] || die 'that is more than 10 s'
if [ -n "$deb" ]; then
    fresh "$deb"
    enter sh -e /packages/deb.sh "$(basename "$deb")"
fi
echo "packages: $([ -n "$deb" ] && echo 2 || echo 1) passed, 0 failed"
