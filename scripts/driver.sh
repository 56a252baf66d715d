# Sourced by scripts that test on one OpenCL driver, after packages.sh. POSIX sh; the working folder is the repository.

# Runs the device tests, those of Rust and those of PHP, and a batch of the demo's, with one driver for the machine's loader.
# Ends the script. The module, the driver's library, the device's name, and a folder of the script's own.
test_driver() {
    extension=$1 device=$3
    cache=$(mktemp -d) || exit 1
    trap 'rm -rf "$cache"' EXIT
    mkdir -p "$4/vendors" && echo "$2" >"$4/vendors/driver.icd" || exit 1
    # The tests compile every program anew, and so does Mesa.
    export OCL_ICD_VENDORS="$4/vendors" POSTINGS_DEVICE="$device" POSTINGS_TEST_DEVICE="$device"
    export POSTINGS_CACHE_DIR="$cache" MESA_SHADER_CACHE_DIR="$cache"
    # The loader and the driver are opened in a trial first, which is short of time on a busy machine.
    export POSTINGS_OPENCL_SECONDS=60
    php=${PHP:-php}
    set -- -n -d "extension=$extension" -d "postings.device=\"$device\""
    "$php" "$@" -r 'exit(array_filter(Postings\devices(), fn ($device) => $device["selected"]) ? 0 : 1);' ||
        skip "the driver has no device \"$device\" here"

    status=0
    cargo test --no-default-features --features lab --no-fail-fast --test device --test device_process || status=1
    # The program with all codecs takes longer to build than a test of PHP may take by default.
    # shellcheck disable=SC2046  # a list of words
    sh php-tests/run.sh "$extension" --set-timeout 900 $(grep -rl 'device\.inc' php-tests --include='*.phpt') || status=1
    "$php" -n -d "extension=$extension" examples/demo/index.php --output "$cache/index" --corpus docs >/dev/null &&
        "$php" "$@" examples/demo/search.php --index "$cache/index" --sample index --batch 2000 || status=1
    exit "$status"
}
