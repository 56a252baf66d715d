#!/bin/sh
# Tests integrations/spark with PySpark, which it downloads (PyPI, 450 MB), in a Spark cluster of two executors on this machine:
#
#   integrations/spark/test.sh path/to/postings.so [NAME …]
#
# NAME: parts of the names of the tests that run; all if not given. If a package is not available, a line SKIPPED says so.
set -u
extension=$(realpath "$1") && shift || exit 2
cd "$(dirname "$0")/../.." || exit 1
what=spark
. scripts/packages.sh
wanted='pyspark==4.1.4'

command -v java >/dev/null || install_or_skip default-jre-headless
python3 -c 'import ensurepip' 2>/dev/null || install_or_skip python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip 'Spark needs Python 3.10'
own_folder spark
python=$home/python
if [ "$(cat "$python/wanted" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$python"
    python3 -m venv "$python" || exit 1
    say "pip install $wanted"
    "$python/bin/pip" install --quiet --disable-pip-version-check "$wanted" >&2 || skip "$wanted is not available"
    echo "$wanted" >"$python/wanted"
fi
# Spark takes them for its executors, too.
export PYSPARK_PYTHON="$python/bin/python" PYSPARK_DRIVER_PYTHON="$python/bin/python"
"$python/bin/python" -B integrations/spark/tests/test.py "$extension" "$@" 2>"$home/test.log" || { status=$?; tail -n 20 "$home/test.log" >&2; exit "$status"; }
