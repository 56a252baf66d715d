#!/bin/sh
# Installs tools of cargo's in fixed versions, once, and prints the folder that has them.
#   PATH=$(sh packaging/tool.sh cargo-about cargo-cyclonedx):$PATH
# Not for building the extension: each takes minutes to compile.
set -eu
cd "$(dirname "$0")/.."
. scripts/env.sh

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/tools" && tools=$(cd "$target/tools" && pwd)
for tool; do
    case $tool in
        cargo-about) version=0.9.3 features=cli ;;
        cargo-cyclonedx) version=0.5.9 features= ;;
        cargo-deny) version=0.20.2 features= ;;
        cargo-fuzz) version=0.13.2 features= ;;
        *) echo "tool: no version is chosen for $tool" >&2; exit 1 ;;
    esac
    installed=$("$tools/bin/$tool" "${tool#cargo-}" --version 2>/dev/null || true)
    case "$installed" in
        *"$version"*) continue ;;
    esac
    echo "tool: cargo install $tool $version" >&2
    CARGO_TARGET_DIR=$tools/build cargo install --quiet --locked --root "$tools" --version "$version" \
        ${features:+--features "$features"} "$tool" >&2
    rm -rf "$tools/build"
done
echo "$tools/bin"
