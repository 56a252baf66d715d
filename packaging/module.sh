# Sourced by what builds a module for packages and by what packs it. POSIX sh; the working folder is the repository.

# Sets CARGO_TARGET_DIR to a folder of its own in the target folder, because with other flags cargo would compile everything anew in
# that of `make`, and $flags to those of rustc that keep paths of the machine out of what it writes.
build_in() {
    target=${CARGO_TARGET_DIR:-target}
    mkdir -p "$target/$1" && CARGO_TARGET_DIR=$(cd "$target/$1" && pwd)
    cargo_home=${CARGO_HOME:-$HOME/.cargo}
    flags="--remap-path-prefix=$PWD=/postings --remap-path-prefix=$CARGO_TARGET_DIR=/target --remap-path-prefix=$cargo_home=/cargo"
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

# Sets $module to what is to be packed: MODULE, or one that is built, and $profile to the profile with which it was, or `none`.
find_module() {
    profile=none
    module=${MODULE:-}
    if [ -z "$module" ]; then
        profile=${PROFILE:-$(sh packaging/profile.sh)}
        module=$(PROFILE=$profile sh packaging/build.sh)
    fi
}

# Puts the profile beside a package, with which anyone can build the same.
keep_profile() { [ "$profile" = none ] || gzip -9 -n -c "$profile" >"$1.profdata.gz"; }
