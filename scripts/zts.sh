# Sourced by scripts that test in a thread-safe PHP, after env.sh and packages.sh; the working folder is the repository. Debian's
# PHP is not thread-safe, so PHP is built from Debian's sources, with few of its extensions, in the target folder. A build takes
# some four minutes on two cores, once. POSIX sh.

own_folder zts

# Unpacks the sources of the machine's PHP into a folder, from the archives that its apt uses.
fetch_php() (
    rm -rf "$1"
    own_apt "$home/apt" '($1 == "Debian" && $2 !~ /-/) || $1 == "Debian-Security" { print "deb-src", $3, $2, "main" }' || exit 1
    name=php$("${PHP:-php}" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    # A security update's files may be gone before its entry is.
    for version in $(apt-cache showsrc "$name" | sed -n 's/^Version: //p' | sort -rV); do
        rm -rf "${name:?}"-*/
        apt-get -q source "$name=$version" >&2 && mv "$name"-*/ "$1" && exit 0
    done
    exit 1
)

# Builds PHP in a folder that it fetches the sources to, if it has not: folder, a command to end with, options.
build_php() {
    source=$1 last=$2
    shift 2
    [ -e "$source/complete" ] && return
    need_packages autoconf bison re2c pkg-config dpkg-dev
    [ -d "$source" ] || fetch_php "$source" || skip "PHP's sources are not available, see above"
    say 'building PHP'
    (cd "$source" && ./buildconf --force && ./configure --disable-all --enable-zts --disable-phpdbg --disable-cgi "$@" &&
        make -j"$(nproc)" && $last) >"$source.log" 2>&1 || { tail -n 30 "$source.log" >&2; exit 1; }
    touch "$source/complete"
}

# Builds a thread-safe PHP with a command line and a library to embed, and the extension for it: $PHP, $PHP_CONFIG, $extension.
zts_extension() {
    command -v apt-get >/dev/null || skip 'needs apt-get'
    build_php "$home/source" 'make install' --prefix="$home/php" --enable-cli --enable-embed=shared --enable-pcntl --enable-posix
    PHP=$home/php/bin/php PHP_CONFIG=$home/php/bin/php-config
    export PHP PHP_CONFIG
    CARGO_TARGET_DIR="$home/cargo" cargo build --release --lib || exit 1
    extension=$home/cargo/release/libpostings.so
}
