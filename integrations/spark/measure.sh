#!/bin/sh
# How long does Spark take to build an index, and how long one process? After `make test-spark`, which installs PySpark:
#
#   integrations/spark/measure.sh path/to/postings.so passages.txt [COUNT]
#
# The file has a document per line; the first COUNT are taken (200,000 by default). Each line of the output is one build.
set -eu
extension=$(realpath "$1")
passages=$(realpath "$2")
count=${3:-200000}
cd "$(dirname "$0")/../.."
python=$(realpath "${CARGO_TARGET_DIR:-target}")/spark/python/bin
export PYSPARK_PYTHON="$python/python" PYSPARK_DRIVER_PYTHON="$python/python"
php="${PHP:-php} -n -d extension=$extension -d postings.opencl=0"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export SPARK_WORKER_DIR="$home/executors"
awk -v count="$count" 'NR > count { exit } { print NR "\t" $0 }' "$passages" >"$home/documents.txt"
echo '{"fields": {"text": {}}, "analyzer": {"language": "english"}}' >"$home/schema.json"
printf "%s documents, %s bytes\n" "$(wc -l <"$home/documents.txt")" "$(wc -c <"$home/documents.txt")"

# spark MASTER PARTITIONS KIND
spark() {
    begin=$(date +%s.%N)
    "$python/spark-submit" --master "$1" --conf spark.ui.enabled=false --conf spark.ui.showConsoleProgress=false integrations/spark/build.py --php "$php" \
        --input "$home/documents.txt" --format text --schema "$home/schema.json" --partitions "$2" --output "$home/spark" "$3" \
        2>"$home/log" >"$home/said" || { tail -n 20 "$home/log"; exit 1; }
    echo "$begin $(date +%s.%N)" | awk -v what="$1, $2 partitions, $3" '{ printf "%s: %.1f s with the start of Spark; ", what, $2 - $1 }'
    sed 's/^[^:]*: //' "$home/said"
    rm -rf "$home/spark"
}

for threads in 1 2; do
    # shellcheck disable=SC2086  # a command and its arguments
    $php integrations/spark/tests/check.php reference text "$home/documents.txt" "$home/schema.json" "$home/one" "$threads" |
        sed "s/^[^:]*/one process, threads: $threads/"
    rm -rf "$home/one"
done
spark 'local-cluster[1,1,1024]' 2 --shards
spark 'local-cluster[2,1,1024]' 2 --shards
spark 'local-cluster[2,1,1024]' 8 --shards
spark 'local-cluster[2,1,1024]' 8 --merge
