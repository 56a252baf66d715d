# Sourced by what builds a module for packages and by what packs it. POSIX sh; the working folder is the repository.

# Sets CARGO_TARGET_DIR to a folder of its own in the target folder, because with other flags cargo would compile everything anew in
# that of `make`, and $flags to the repository's and those that keep paths of the machine out of what rustc writes.
build_in() {
    target=${CARGO_TARGET_DIR:-target}
    mkdir -p "$target/$1" && CARGO_TARGET_DIR=$(cd "$target/$1" && pwd)
    cargo_home=${CARGO_HOME:-$HOME/.cargo}
    # RUSTFLAGS goes before what any configuration says, so the repository's own flags are taken over.
    flags=$(sed -n 's/^rustflags = \["\(.*\)"\]$/\1/p' .cargo/config.toml)
    [ -n "$flags" ] || { echo 'module: no flags in .cargo/config.toml' >&2; exit 1; }
    flags="$flags --remap-path-prefix=$PWD=/postings --remap-path-prefix=$CARGO_TARGET_DIR=/target --remap-path-prefix=$cargo_home=/cargo"
    # If rust-src is installed, rustc names the standard library's files where they lie instead of in /rustc.
    commit=$("${RUSTC:-rustc}" -vV | sed -n 's/^commit-hash: //p')
    flags="$flags --remap-path-prefix=$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib/src/rust=/rustc/$commit"
    # For musl, Rust links libc statically unless told otherwise, and then makes no shared libraries.
    case $(ldd --version 2>&1) in
        *musl*) flags="$flags -C target-feature=-crt-static" ;;
    esac
    # The same for what build scripts compile of C.
    CFLAGS="-ffile-prefix-map=$PWD=/postings -ffile-prefix-map=$CARGO_TARGET_DIR=/target -ffile-prefix-map=$cargo_home=/cargo"
    export CARGO_TARGET_DIR CFLAGS
}

# Puts the profile that lies beside a module, $1, beside the package that the module is in, $2: with it anyone can build the same.
keep_profile() {
    rm -f "$2.profdata.gz"
    [ ! -e "$1.profdata" ] || gzip -9 -n -c "$1.profdata" >"$2.profdata.gz"
}
