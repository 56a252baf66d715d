# Sourced by scripts that need packages of Debian: installed ones, and what is unpacked in the target folder by a separate apt
# configuration. POSIX sh; the working folder is the repository. $what is what a script tests, in what it says.

# Ends the script, as what it needs is not there.
skip() { printf 'SKIPPED: %s: %s\n' "$what" "$*"; exit 0; }
say() { printf '%s: %s\n' "$what" "$*" >&2; }

# Makes a folder in the target folder: $home. $target is the target folder as it was given.
own_folder() {
    target=${CARGO_TARGET_DIR:-target}
    mkdir -p "$target/$1" && home=$(cd "$target/$1" && pwd) || exit 1
}

# The version of Rust that Cargo.toml requires, and whether a version is at least another.
msrv=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# Installs packages, as root; what needs them is skipped otherwise.
install_or_skip() {
    command -v apt-get >/dev/null || skip "needs $*"
    [ "$(id -u)" = 0 ] || skip "needs the packages $*"
    say "apt-get install $*"
    apt-get -q -o DPkg::Lock::Timeout=600 update >&2
    DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-remove --no-install-recommends -o DPkg::Lock::Timeout=600 \
        install "$@" >&2 || skip "the packages $* are not available"
}

# Installs those of some packages that are missing.
need_packages() {
    missing=''
    for package; do
        dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
    done
    # shellcheck disable=SC2086  # a list of words
    [ -z "$missing" ] || install_or_skip $missing
}

# Makes a separate apt configuration in a folder, with the archives that this machine's apt uses as an awk program turns them
# into sources (fields: label, release, address), and enters the folder. $3: more lines of its configuration.
own_apt() {
    rm -rf "$1" && mkdir -p "$1/lists/partial" "$1/archives/partial" "$1/etc/apt.conf.d" && cd "$1" || return 1
    apt-get indextargets --format '$(LABEL) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' | sort -u |
        awk "$2" | sort -u >etc/sources.list
    [ -s etc/sources.list ] || { say 'apt knows no Debian archive'; return 1; }
    : >status
    cat >apt.conf <<CONF
${3:-}
APT::Sandbox::User "";
Dir::State "$PWD";
Dir::State::status "$PWD/status";
Dir::Cache "$PWD";
Dir::Etc "$PWD/etc";
Dir::Etc::sourceparts "$PWD/etc/none";
Dir::Etc::trusted "/etc/apt/trusted.gpg";
Dir::Etc::trustedparts "/etc/apt/trusted.gpg.d";
CONF
    export APT_CONFIG="$PWD/apt.conf" LC_ALL=C
    apt-get -q update >&2
}

# The newest version of a package, which must be at least $2.
newest_from() {
    version=$(apt-cache madison "$1" | awk '$NF == "Packages" { print $3 }' | sort -V | tail -n 1)
    at_least "$version" "$2" || { say "$1 $2 is needed, the newest is ${version:-none}"; return 1; }
    echo "$version"
}

# Makes an unpacked Rust the compiler; cargo is the machine's own. $1: where its root is, and the program that starts it.
use_rust() {
    cat >"$1/rustc" <<RUSTC
#!/bin/sh
LD_LIBRARY_PATH='$1/root/usr/lib/x86_64-linux-gnu' exec '$1/root/usr/bin/rustc' "\$@"
RUSTC
    chmod +x "$1/rustc"
    "$1/rustc" --version >&2 || skip 'the unpacked Rust does not run here'
    export RUSTC="$1/rustc"
}

# Also the libraries that Rust's LLVM needs, except those that come with every compiler. $1: the package of its library.
rust_libraries() {
    apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$1" |
        grep '^lib[^:]*$' | grep -v -e '^libc6$' -e '^libgcc-s1$' -e '^libstdc++6$' -e "^$1\$"
}

# What an installation of packages on an empty machine would install, as words for `unpack`.
installed_with() {
    apt-get -s -o Debug::NoLocking=1 --no-install-recommends install "$@" | sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p'
}

# Downloads packages and unpacks them: root, packages.
unpack() {
    unpacked=$1 && shift && cd archives && apt-get -q download "$@" >&2 || return 1
    for package in *.deb; do
        dpkg-deb -x "$package" "$unpacked" || return 1
    done
    rm -f ./*.deb
}
