#!/bin/sh
# Runs a target of the Makefile, `dist` or `deb`, in a fresh image of Debian, or of PHP on Debian or Alpine, as root:
#   docker run --rm -v "$PWD:/src" -w /src -e SOURCE_DATE_EPOCH php:8.4-cli-bookworm sh packaging/in-image.sh dist
# An image has no git; so the time of the commit comes from outside (packaging/date.sh).
set -eu
cd "$(dirname "$0")/.."

if command -v apk >/dev/null; then
    # shellcheck disable=SC2086  # a list of packages, which the image names
    apk add --no-cache ${PHPIZE_DEPS:-} clang-dev clang-libclang coreutils curl make rust cargo zip
    # Alpine's folders of LLVM are not those that scripts/env.sh knows.
    LIBCLANG_PATH=$(dirname "$(find /usr/lib -name 'libclang.so*' | head -n 1)")
    export LIBCLANG_PATH
elif ! command -v make >/dev/null; then
    apt-get -q update
    apt-get -q -y --no-install-recommends install make
fi
make "$1"
