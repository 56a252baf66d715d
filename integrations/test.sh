#!/bin/sh
# Runs the adapters' tests, which are those of the libraries that they adapt to and their own:
#     SEAL_DIR=… SCOUT_DIR=… LARAVEL_DIR=… sh integrations/test.sh path/to/postings.so
# The variables name checkouts of PHP-CMSIG/search, laravel/scout and laravel/framework (10.x); what they do not name is
# skipped. Needs phpunit, composer, php-sqlite3, php-mbstring, php-nesbot-carbon, php-doctrine-inflector and
# php-symfony-console.
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

if [ -n "${SEAL_DIR:-}" ]; then suite seal; else echo 'SKIPPED: the SEAL adapter: SEAL_DIR names no checkout'; fi
if [ -n "${SCOUT_DIR:-}" ] && [ -n "${LARAVEL_DIR:-}" ]; then
    suite scout
else
    echo 'SKIPPED: the Scout engine: SCOUT_DIR and LARAVEL_DIR name no checkouts'
fi
exit $status
