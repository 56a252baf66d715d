#!/bin/sh
# cargo deny with deny.toml. If the database of advisories cannot be reached, the copy of an earlier run is used (cargo-deny
# keeps one beside cargo's registry); without one, a line SKIPPED says so.
set -eu
cd "$(dirname "$0")/.."
. scripts/env.sh
tools=$(sh packaging/tool.sh cargo-deny)
PATH=$tools:$PATH

cargo fetch --quiet --locked
cargo deny --locked check licenses bans sources
said=$(mktemp)
trap 'rm -f "$said"' EXIT
if cargo deny --locked check advisories 2>"$said"; then
    cat "$said"
elif ! grep -q 'failed to fetch advisory database' "$said"; then
    cat "$said"
    exit 1
elif ls -d "${CARGO_HOME:-$HOME/.cargo}"/advisory-dbs/*/crates >/dev/null 2>&1; then
    echo 'deny: the database of advisories cannot be reached; using the copy of an earlier run'
    cargo deny --locked --offline check advisories
else
    echo 'SKIPPED: advisories: their database cannot be reached'
fi
