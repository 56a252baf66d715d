#!/bin/sh
# Makes passages.txt, the corpus of the searches, from Debian's documentation packages: one passage a line.
#
#     benches/search/corpus.sh [FOLDER]
#
# FOLDER is target/search-bench by default. Downloads some 650 MB with apt-get, unpacks them there (8 GB for a while) and
# installs nothing. A package that the release does not have is left out. Debian 12 gives about a million passages.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:-$root/target/search-bench}
mkdir -p "$folder/deb"
folder=$(cd "$folder" && pwd)

packages='
cppreference-doc-en-html debian-handbook erlang-doc ghc-doc grass-doc kicad-doc-en libboost1.74-doc libgtk-3-doc
libreoffice-help-en-us libstdc++-12-doc lilypond-doc-html linux-doc-6.1 llvm-16-doc maxima-doc nova-doc octave-doc
opencv-doc openjdk-17-doc pcp-doc perl-doc postgis-doc postgresql-doc-15 python-django-doc python-pandas-doc
python-scipy-doc python-sympy-doc python3.11-doc qtbase5-doc-html qtdeclarative5-doc-html rust-doc sagemath-doc vtk9-doc
'

# shellcheck source=scripts/env.sh
. "$root/scripts/env.sh"

rm -rf "$folder/unpacked"
for package in $packages; do
    set -- "$folder/deb/${package}"_*.deb
    if [ ! -e "$1" ]; then
        (cd "$folder/deb" && apt-get -q -o APT::Sandbox::User=root download "$package") || {
            echo "$package: left out" >&2
            continue
        }
        set -- "$folder/deb/${package}"_*.deb
    fi
    mkdir -p "$folder/unpacked/$package"
    dpkg-deb -x "$1" "$folder/unpacked/$package"
done

cargo run --release --quiet --manifest-path "$here/Cargo.toml" -- extract --from "$folder/unpacked" --data "$folder"
rm -rf "$folder/unpacked"
