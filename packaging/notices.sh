#!/bin/sh
# Writes what a package says of the crates in it, and prints the folder: THIRD-PARTY-LICENSES (by cargo-about) and
# postings.cdx.json, an SBOM in CycloneDX (by cargo-cyclonedx). Both depend on Cargo.lock, not on PHP.
set -eu
cd "$(dirname "$0")/.."
. scripts/env.sh

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/dist/notices" && out=$(cd "$target/dist/notices" && pwd)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(sh packaging/date.sh)}
export SOURCE_DATE_EPOCH
# What they were made of; making them takes half a minute.
made_of=$(cat Cargo.lock Cargo.toml packaging/about.* packaging/notices.sh | sha256sum)-$SOURCE_DATE_EPOCH
if [ "$(cat "$out/made-of" 2>/dev/null)" != "$made_of" ]; then
    rm -f "$out/made-of"
    tools=$(sh packaging/tool.sh cargo-about cargo-cyclonedx)
    PATH=$tools:$PATH
    # Frozen: licences are read from the crates themselves, without asking a service.
    cargo fetch --quiet --locked
    cargo about generate --frozen --fail -c packaging/about.toml packaging/about.hbs -o "$out/licenses"
    # Some authors end lines as Windows does, and the template leaves blank lines.
    tr -d '\r' <"$out/licenses" | cat -s >"$out/THIRD-PARTY-LICENSES"
    rm "$out/licenses"
    # cargo-cyclonedx writes beside Cargo.toml, and names the folder that it ran in.
    cargo cyclonedx -q -f json --spec-version 1.5 --no-build-deps --override-filename postings.cdx
    sed "s|path+file://$PWD#|path+file:///postings#|g" postings.cdx.json >"$out/postings.cdx.json"
    rm postings.cdx.json
    echo "$made_of" >"$out/made-of"
fi
echo "$out"
