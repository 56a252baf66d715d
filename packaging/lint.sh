#!/bin/sh
# Checks the scripts of this folder, and those that test, with shellcheck, and the workflow of releases with linters of GitHub's
# workflows and with their schema, which come from PyPI in fixed versions.
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
python=$target/tools/python
wanted='jactionlint==2.3.0 zizmor==1.32.0 check-jsonschema==0.39.0'
if [ "$(cat "$python/wanted" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$python"
    python3 -m venv "$python"
    # shellcheck disable=SC2086  # a list of words
    "$python/bin/pip" install --quiet --disable-pip-version-check $wanted
    echo "$wanted" >"$python/wanted"
fi
# What is in single quotes is for another shell or for PHP. `-x`: with what they source.
shellcheck -x --shell=sh --exclude=SC2016,SC1091 packaging/*.sh packaging/bare/*.sh scripts/test-*.sh scripts/fuzz.sh scripts/soak.sh \
    integrations/spark/*.sh
"$python/bin/jactionlint"
"$python/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
"$python/bin/zizmor" --offline --no-progress --quiet .github/workflows
