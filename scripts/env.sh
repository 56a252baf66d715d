# Sourced by the recipes of the Makefile and by pie/Makefile.frag: finds cargo, and a libclang with matching headers.
# POSIX sh. Changes only PATH, LIBCLANG_PATH and CLANG_PATH.

# rustup's cargo comes before the distribution's, which may be too old.
if [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
    export PATH
fi

# bindgen loads a libclang and asks a clang for its header folders. If a machine has two LLVMs (PoCL brings one of its
# own), the defaults may be of different versions, and the headers of one fail in the other. So take the newest LLVM that
# has library, headers and clang.
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
