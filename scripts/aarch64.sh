# Sourced by the scripts that test on aarch64 under qemu, after packages.sh: a cross compiler, and a folder $home below the
# target folder with Rust for aarch64 and qemu in $root. POSIX sh.
#
# Needs Debian on x86-64. Only the cross compiler is installed. The rest (Rust with the aarch64 standard library, qemu) is
# downloaded with a separate apt configuration and unpacked, because rustup may lack the target, Debian allows no second
# architecture next to rustup, and qemu 7.2 of Debian 12 hangs with threads.

own_folder aarch64
root=$home/root

[ "$(uname -s -m)" = 'Linux x86_64' ] || skip "needs x86-64 Linux, this is $(uname -s -m)"
command -v apt-get >/dev/null || skip 'needs apt-get'

# The cross compiler, to compile C and to link.
if ! command -v aarch64-linux-gnu-gcc >/dev/null || [ ! -e /usr/aarch64-linux-gnu/include/stdlib.h ]; then
    install_or_skip gcc-aarch64-linux-gnu libc6-dev-arm64-cross
fi

# Unpacks Rust and qemu into $root, from the archives that this machine's apt uses.
fetch() (
    rm -rf "$root" && mkdir -p "$root"
    own_apt "$home/apt" '
        $1 == "Debian" && $2 !~ /-/ { print "deb", $3, $2, "main"; print "deb", $3, $2 "-backports", "main" }
        $1 == "Debian-Security" { print "deb", $3, $2, "main" }' '
        APT::Architectures { "amd64"; "arm64"; };
        Acquire::Languages "none";' || exit 1
    # shellcheck disable=SC2154  # packages.sh sets msrv
    rust=$(newest_from rustc-web "$msrv") || exit 1
    qemu=$(newest_from qemu-user 1:8) || exit 1
    std=libstd-rust-web-$(echo "$rust" | cut -d. -f1-2)
    # shellcheck disable=SC2046  # a list of words
    unpack "$root" "rustc-web=$rust" "$std=$rust" "libstd-rust-web-dev=$rust" "libstd-rust-web-dev:arm64=$rust" \
        "qemu-user=$qemu" $(rust_libraries "$std") || exit 1
    "$root/usr/bin/qemu-aarch64" --version >&2 && touch "$root/complete"
)
[ -e "$root/complete" ] || fetch || skip 'Rust or qemu is not available, see above'

# Only the compiler must match the standard library.
use_rust "$home"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
