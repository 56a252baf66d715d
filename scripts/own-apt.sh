# Sourced by scripts/test-*.sh: a separate apt configuration, for what is unpacked in the target folder and not installed.
# POSIX sh.

# Makes one in a folder, with the archives that this machine's apt uses as an awk program turns them into sources (fields:
# label, release, address), and enters the folder. $3: more lines of its configuration.
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

# The newest version of a package.
newest() { apt-cache madison "$1" | awk '$NF == "Packages" { print $3 }' | sort -V | tail -n 1; }

# Also the libraries that Rust's LLVM needs, except those that come with every compiler. $1: the package of its library.
rust_libraries() {
    apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$1" |
        grep '^lib[^:]*$' | grep -v -e '^libc6$' -e '^libgcc-s1$' -e '^libstdc++6$' -e "^$1\$"
}

# Downloads packages and unpacks them: root, packages.
unpack() {
    unpacked=$1 && shift && cd archives && apt-get -q download "$@" >&2 || return 1
    for package in *.deb; do
        dpkg-deb -x "$package" "$unpacked" || return 1
    done
    rm -f ./*.deb
}
