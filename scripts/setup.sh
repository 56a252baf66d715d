#!/bin/sh
# Installs missing packages with apt-get. If none are missing, it prints nothing and asks for nothing.
#
#   scripts/setup.sh          what `make demo` needs: PHP and its headers, Rust, a C compiler, clang, an OpenCL driver
#   scripts/setup.sh browser  also what `make test-browser` needs: Chromium
#   scripts/setup.sh bench    also what `make bench-search` needs: what the tests need, SQLite for PHP
#   scripts/setup.sh dist     what `make dist` needs: a build without OpenCL, zip, llvm-profdata; `deb`: also dh-php and lintian
#   scripts/setup.sh packages also what `make test-packages` and `make lint-packages` need: debootstrap, shellcheck
#   scripts/setup.sh test     also what `make test` needs: rustfmt, clippy, PoCL, unzip
#
# It never removes a package: if a needed package conflicts with an installed one, apt-get refuses, and this script says
# what to do by hand.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
what=setup
. scripts/packages.sh

want=${1:-demo}
php=${PHP:-php}
php_config=${PHP_CONFIG:-php-config}
missing=''
optional=''

die() { say "$@"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
need() { missing="$missing $*"; }
like() { optional="$optional $*"; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif has sudo; then sudo "$@"
    else die "this needs root or sudo; please run as root: $*"
    fi
}

# Runs `apt-get update` once, before the first installation.
updated=''
update() {
    [ -n "$updated" ] && return 0
    updated=yes
    say 'apt-get update'
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 update >&2 ||
        say 'apt-get update failed; continuing with the existing package lists'
}

install_packages() {
    has apt-get || die "apt-get is not available; please install these packages (Debian's names):$*"
    update
    say "apt-get install$*"
    # shellcheck disable=SC2048,SC2086  # a list of words
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-remove --no-install-recommends \
        -o DPkg::Lock::Timeout=600 install $* >&2
}

# Whether the installed Rust is as new as Cargo.toml requires.
rust_is_new_enough() {
    has cargo && has rustc || return 1
    at_least "$(cargo --version 2>/dev/null | cut -d' ' -f2)" "$msrv" &&
        at_least "$(rustc --version 2>/dev/null | cut -d' ' -f2)" "$msrv"
}

# The version of a package that apt-get would install; empty if it knows none.
candidate() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: *\([0-9][^ ]*\)$/\1/p'; }

has_libopencl() {
    for folder in /usr/lib /usr/lib64 /usr/lib/*-linux-gnu /usr/local/lib; do
        [ -e "$folder/libOpenCL.so.1" ] && return 0
    done
    return 1
}
has_file() { [ -e "$1" ]; }
has_headers() { [ -f "$("$php_config" --include-dir 2>/dev/null)/main/php.h" ]; }
has_profdata() {
    newest=$(printf '%s\n' /usr/lib/llvm-*/bin/llvm-profdata | sed -n 's|.*/llvm-\([0-9]*\)/.*|\1|p' | sort -n | tail -n 1)
    [ "${newest:-0}" -ge 19 ] || ls "$(rustc --print sysroot 2>/dev/null)"/lib/rustlib/*/bin/llvm-profdata >/dev/null 2>&1
}
has_libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] || { has clang && ldconfig -p 2>/dev/null | grep -q 'libclang[-.0-9]*\.so'; }
}

# 1. Packages with the same name in every Debian release. A PHP that the caller names (PHP=…, PHP_CONFIG=…) must be there.
has "$php" || { [ "$php" = php ] && need php-cli || die "$php was not found"; }
{ has "$php_config" && has_headers; } || { [ "$php_config" = php-config ] && need php-dev || die "the headers of $php_config were not found"; }
has cc && has ar && has_file /usr/include/stdlib.h || need gcc libc6-dev binutils
has_libclang || need clang
has_file /etc/ssl/certs/ca-certificates.crt || need ca-certificates
if [ "$want" = packages ]; then
    has debootstrap || need debootstrap
    has shellcheck || need shellcheck
    python3 -c 'import ensurepip' 2>/dev/null || need python3-venv
    want=deb
fi
if [ "$want" = deb ]; then
    has dh_php || need dh-php
    has lintian || need lintian
    dpkg -s build-essential >/dev/null 2>&1 || need build-essential
    want=dist
fi
if [ "$want" = dist ]; then
    has zip || need zip
fi
# For a profile of the module (packaging/profile.sh): one that reads what a current Rust counts. Without it there is none.
if { [ "$want" = dist ] || [ "${OPTIMIZED:-}" = 1 ]; } && ! has_profdata && has apt-get; then
    update
    like "$(apt-cache pkgnames llvm- | grep -x 'llvm-[0-9]*' | sort -V | tail -n 1)"
fi
# OpenCL is optional: without it everything runs on the CPU.
[ "$want" = dist ] || has_libopencl || like ocl-icd-libopencl1
if [ "$want" = browser ]; then
    has chromium || has chromium-browser || has google-chrome || need chromium
fi
if [ "$want" = bench ]; then
    python3 -c 'import ensurepip' 2>/dev/null || need python3-venv
    "$php" -m 2>/dev/null | grep -qi '^pdo_sqlite' || need php-sqlite3
    want=test
fi
if [ "$want" = test ]; then
    has_file /etc/OpenCL/vendors/pocl.icd || like pocl-opencl-icd
    has unzip || need unzip
elif [ "$want" != dist ]; then
    ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 || like pocl-opencl-icd
fi

if [ -n "$missing" ]; then
    install_packages "$missing" || die "apt-get could not install:$missing"
fi
if [ -n "$optional" ] && ! install_packages "$optional"; then
    for package in $optional; do
        install_packages " $package" || say "continuing without $package: what needs it is skipped"
    done
fi

# 2. Rust. Debian 12's rustc is from 2022, but Debian also has a current one to build its browsers (rustc-web).
if ! rust_is_new_enough; then
    if has rustup; then
        say "rustup: installing Rust $msrv or newer"
        rustup toolchain install stable --profile minimal --component rustfmt --component clippy >&2
        rust_is_new_enough || die "rustup's active toolchain is older than $msrv; try: RUSTUP_TOOLCHAIN=stable make"
    elif has apt-get; then
        update
        for flavour in 'rustc cargo rustfmt rust-clippy' 'rustc-web cargo-web rustfmt-web rust-web-clippy'; do
            version=$(candidate "${flavour%% *}")
            [ -n "$version" ] && at_least "$version" "$msrv" || continue
            install_packages " $flavour" && break
        done
    fi
    if ! rust_is_new_enough && ! has rustup; then
        say 'no package has a recent enough Rust; using the official installer (https://rustup.rs)'
        has curl || install_packages ' curl' || die 'curl could not be installed'
        curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
            sh -s -- -y --no-modify-path --profile minimal --component rustfmt --component clippy >&2
        . scripts/env.sh
    fi
    rust_is_new_enough || die "Rust $msrv or newer is needed and could not be installed; see https://rustup.rs"
fi

# 3. Tests only: rustfmt and clippy, from the same source as the cargo in use.
if [ "$want" = test ] && ! { cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1; then
    if has rustup; then rustup component add rustfmt clippy >&2
    elif dpkg -s cargo-web >/dev/null 2>&1; then install_packages ' rustfmt-web rust-web-clippy'
    else install_packages ' rustfmt rust-clippy'
    fi || die 'rustfmt and clippy could not be installed'
fi

# 4. The demo's documents, unless it is given others: apt's package lists, and the long descriptions, which it does not
# always fetch (in Docker's images Acquire::Languages is "none").
if [ "$want" = demo ] && [ -z "${CORPUS:-}" ] && has apt-get && ! ls /var/lib/apt/lists/*_i18n_Translation-en* >/dev/null 2>&1; then
    say 'apt-get -o Acquire::Languages=en update'
    (as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 -o Acquire::Languages=en update >&2) ||
        say 'apt-get update failed; continuing with the existing package lists'
fi

# 5. Check what a build would otherwise fail on.
. scripts/env.sh
has_headers || die "PHP's headers are missing: $php_config --include-dir names no folder with main/php.h"
cli=$("$php" -n -r 'echo PHP_VERSION_ID;') && headers=$("$php_config" --vernum) && [ "$cli" = "$headers" ] ||
    die "$php is version $cli but $php_config is for ${headers:-none}; name a matching pair: make PHP=php8.2 PHP_CONFIG=php-config8.2"
has_libclang || die 'libclang is missing: install clang, or set LIBCLANG_PATH to the folder of libclang.so'
