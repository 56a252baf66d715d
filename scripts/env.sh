# Sourced by every recipe of the Makefile and by pie/Makefile.frag: finds cargo and a libclang whose headers are its own.
# POSIX sh. Changes PATH, LIBCLANG_PATH and CLANG_PATH, nothing else.

# rustup's cargo goes before the distribution's, which may be too old.
if [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
    export PATH
fi

# bindgen loads one libclang and asks one clang for its header folders. Where a machine has two LLVMs (PoCL brings one
# of its own) the default picks need not match, and the headers of the one fail in the other. So: the newest LLVM that
# has all three of library, headers and clang.
if [ -z "${LIBCLANG_PATH:-}" ]; then
    for llvm in $(ls -d /usr/lib/llvm-* 2>/dev/null | sort -t- -k2 -n -r); do
        [ -x "$llvm/bin/clang" ] || continue
        ls "$llvm"/lib/libclang.so* >/dev/null 2>&1 || continue
        ls "$llvm"/lib/clang/*/include/stddef.h >/dev/null 2>&1 || continue
        LIBCLANG_PATH=$llvm/lib
        CLANG_PATH=$llvm/bin/clang
        export LIBCLANG_PATH CLANG_PATH
        break
    done
fi
