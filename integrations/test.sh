#!/bin/sh
# Runs the tests of shards, the adapters' tests, which are those of the libraries that they adapt to and their own, and
# Loupe's and TNTSearch's tests on Postings:
#     SEAL_DIR=… SYMFONY_AI_DIR=… SCOUT_DIR=… LARAVEL_DIR=… LOUPE_DIR=… TNTSEARCH_DIR=… sh integrations/test.sh path/to/postings.so
# The variables name checkouts (README.md); what they do not name is skipped. Needs phpunit, composer, php-sqlite3,
# php-mbstring, php-nesbot-carbon, php-doctrine-inflector, php-symfony-console and php-symfony-uid; for one test
# php-symfony-config, php-symfony-dependency-injection and php-symfony-yaml.
set -u
POSTINGS_EXTENSION=$(realpath "$1") || exit 2
export POSTINGS_EXTENSION
cd "$(dirname "$0")" || exit 2
status=0

# suite NAME: runs the tests of a folder and prints a line of counts.
suite() {
    log=$(mktemp)
    php -d extension="$POSTINGS_EXTENSION" "$(command -v phpunit)" --no-configuration --do-not-cache-result --bootstrap bootstrap.php \
        --testdox --log-junit "$log.xml" "$1/tests" >"$log" 2>&1 || { status=1; cat "$log"; }
    php -r '
        $suite = simplexml_load_file($argv[2])->testsuite;
        $failed = $suite["failures"] + $suite["errors"];
        printf("%s: %d passed, %d failed, %d skipped\n", $argv[1], $suite["tests"] - $failed - $suite["skipped"], $failed, $suite["skipped"]);
    ' "$1" "$log.xml" || status=1
    rm -f "$log" "$log.xml"
}

# theirs NAME FOLDER PHPUNIT TESTS…: runs a library's own tests on a facade and on the library itself, and compares.
theirs() {
    name=$1 folder=$2 phpunit=$3
    shift 3
    log=$(mktemp)
    {
        printf '<phpunit><testsuites><testsuite name="theirs">'
        for tests in "$@"; do
            kind=file
            [ -d "$tests" ] && kind=directory
            printf '<%s>%s</%s>' "$kind" "$tests" "$kind"
        done
        printf '</testsuite></testsuites></phpunit>'
    } >"$log.config.xml"
    for engine in postings library; do
        SUITE_ENGINE=$engine php -d extension="$POSTINGS_EXTENSION" -d memory_limit=2G "$phpunit" \
            -c "$log.config.xml" --bootstrap "$folder/tests/bootstrap.php" --do-not-cache-result \
            --log-junit "$log.$engine.xml" >"$log.$engine" 2>&1
    done
    php suite.php "$name" "$folder/tests/differences.txt" "$log.postings.xml" "$log.library.xml" \
        || { status=1; cat "$log.postings"; }
    rm -f "$log" "$log".*
}

# same SCRIPT SEED…: whether a script prints the same with Postings and with the library, for each seed.
same() {
    script=$1
    shift
    log=$(mktemp)
    for seed in "$@"; do
        php -d extension="$POSTINGS_EXTENSION" "$script" "$seed" >"$log" 2>&1
        if SUITE_ENGINE=library php "$script" "$seed" 2>&1 | diff "$log" - >"$log.diff" && [ -s "$log" ]; then
            echo "$script $seed: $(wc -l <"$log") answers are the same"
        else
            status=1
            echo "$script $seed: DIFFERENT"
            head -n 20 "$log.diff"
        fi
    done
    rm -f "$log" "$log.diff"
}

suite shards
if [ -n "${SEAL_DIR:-}" ]; then suite seal; else echo 'SKIPPED: the SEAL adapter: SEAL_DIR names no checkout'; fi
if [ -n "${SYMFONY_AI_DIR:-}" ]; then
    suite symfony-ai
else
    echo 'SKIPPED: the store of Symfony AI: SYMFONY_AI_DIR names no checkout'
fi
if [ -n "${SCOUT_DIR:-}" ] && [ -n "${LARAVEL_DIR:-}" ]; then
    suite scout
else
    echo 'SKIPPED: the Scout engine: SCOUT_DIR and LARAVEL_DIR name no checkouts'
fi
if [ -n "${LOUPE_DIR:-}" ]; then
    theirs Loupe loupe "$LOUPE_DIR/vendor/bin/phpunit" "$LOUPE_DIR/tests/Functional"
    same loupe/tests/random.php 1 2 3 4 5
else
    echo "SKIPPED: Loupe's tests: LOUPE_DIR names no checkout"
fi
if [ -n "${TNTSEARCH_DIR:-}" ]; then
    theirs TNTSearch tntsearch "$(command -v phpunit)" "$TNTSEARCH_DIR/tests/TNTSearchTest.php" \
        "$TNTSEARCH_DIR/tests/indexer/TNTIndexerTest.php"
else
    echo "SKIPPED: TNTSearch's tests: TNTSEARCH_DIR names no checkout"
fi
exit $status
