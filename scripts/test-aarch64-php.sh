#!/bin/sh
# Tests the extension in Debian's PHP for arm64, under qemu.
#
#   scripts/test-aarch64-php.sh            runs the PHP tests
#   scripts/test-aarch64-php.sh archive    makes the archive for PIE, unpacks it, and searches with what is in it
#
# PHP is unpacked in the target folder, as Rust and qemu are, and the module is cross-built as for a release. If something is not
# available, a line SKIPPED says what, and nothing fails.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
what=aarch64-php
. scripts/packages.sh
. scripts/aarch64.sh

fetch_php() (
    rm -rf "$home/php" && mkdir -p "$home/php"
    own_apt "$home/apt" '
        ($1 == "Debian" && $2 !~ /-/) || $1 == "Debian-Security" { print "deb", $3, $2, "main" }' '
        APT::Architecture "arm64";
        APT::Architectures { "arm64"; };
        Acquire::Languages "none";' || exit 1
    headers=$(apt-cache depends php-dev | sed -n 's/^ *Depends: \(php[0-9.]*-dev\)$/\1/p')
    [ -n "$headers" ] || { say 'Debian has no php-dev for arm64'; exit 1; }
    # shellcheck disable=SC2046  # a list of words
    unpack "$home/php" "$headers" $(installed_with php-cli) || exit 1
    # From Debian 13 on packages have no /lib, where programs look for the dynamic linker.
    [ -e "$home/php/lib" ] || ln -s usr/lib "$home/php/lib"
    touch "$home/php/complete"
)
[ -e "$home/php/complete" ] || fetch_php || skip 'PHP for arm64 is not available, see above'

# PHP as programs start it. Its own name for itself is this script's, so that tests that start PHP start it, too; shells and
# other programs that they start are the machine's.
version=$(basename "$home"/php/usr/bin/php[0-9]*.[0-9] | sed 's/^php//')
PHP=$home/php$version PHP_CONFIG=$home/php-config$version
cat >"$PHP" <<RUN
#!/bin/sh
exec '$root/usr/bin/qemu-aarch64' -0 '$PHP' -L '$home/php' '$home/php/usr/bin/php$version' "\$@"
RUN
sed "s|^prefix=.*|prefix='$home/php/usr'|" "$home/php/usr/bin/php-config$version" >"$PHP_CONFIG"
chmod +x "$PHP" "$PHP_CONFIG"
export PHP PHP_CONFIG
runs=$("$PHP" -n -r 'echo "PHP ", PHP_VERSION, " ", php_uname("m");') || skip 'the unpacked PHP does not run here'
say "$runs"

module=$(CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu sh packaging/build.sh) || exit 1

if [ "${1:-tests}" = archive ]; then
    archive=$(MODULE=$module OBJCOPY=aarch64-linux-gnu-objcopy sh packaging/dist.sh) || exit 1
    content=$(mktemp -d) || exit 1
    trap 'rm -rf "$content"' EXIT
    search() { "$PHP" -n -d extension_dir="$content" -d extension=postings "$1"; }
    "$PHP" -n -d extension=phar -r '(new PharData($argv[1]))->extractTo($argv[2]);' "$archive" "$content" &&
        search examples/first-index.php >"$content/found" &&
        "$PHP" -n -r 'exit(str_contains(file_get_contents($argv[1]), "/* Prints:\n" . file_get_contents($argv[2]) . "*/") ? 0 : 1);' \
            examples/first-index.php "$content/found" || exit 1
    cat "$content/found"
    echo "$archive"
    exit
fi

set --
for file in php-tests/*/*.phpt; do
    case $file in
        # Limit the address space, in which qemu has hundreds of MiB of its own.
        php-tests/lists/memory_native.phpt) continue ;;
        # Count threads in /proc, where qemu has one more, or expect what happens only in a process that has one.
        php-tests/settings/threads.phpt | php-tests/device/trial.phpt) continue ;;
        # Loads a library by LD_PRELOAD, which is for arm64, into qemu and the shell that starts it, too.
        php-tests/settings/environment_copied.phpt) continue ;;
        # Minutes: a text of 60 MB is read, which takes seconds without qemu.
        php-tests/index/stream_process.phpt) continue ;;
    esac
    set -- "$@" "$file"
done
# Tests compile drivers, which PHP loads. A test that takes some seconds on the machine takes minutes here.
export CC=aarch64-linux-gnu-gcc TEST_TIMEOUT=1800
sh php-tests/run.sh "$module" -j"$(nproc)" --show-slow 60000 "$@"
