<?php

/**
 * Prints the name of the archive for the PHP that runs this, as PIE 1.4 and later ask a release for it (php/pie,
 * src/Platform/PrePackagedBinaryAssetName.php), without `.zip`:
 *
 *     php -n packaging/name.php          php_postings-0.2.0_php8.2-x86_64-linux-glibc
 *
 * The version is the release's tag as it is written, so tags have no `v`.
 */

declare(strict_types=1);

$root = dirname(__DIR__);
$composer = json_decode((string) file_get_contents("$root/composer.json"), true, flags: JSON_THROW_ON_ERROR);
$threads = PHP_ZTS ? 'zts' : 'nts';
if (!$composer['php-ext']["support-$threads"]) {
    fwrite(STDERR, "composer.json says that $threads builds of PHP are not supported\n");
    exit(1);
}
preg_match('/^version *= *"(.*)"/m', (string) file_get_contents("$root/Cargo.toml"), $version);
$machine = php_uname('m') === 'aarch64' ? 'arm64' : php_uname('m');
$libc = str_contains((string) shell_exec('ldd --version 2>&1'), 'musl') ? 'musl' : 'glibc';
printf("php_%s-%s_php%d.%d-%s-linux-%s", $composer['php-ext']['extension-name'], $version[1], PHP_MAJOR_VERSION, PHP_MINOR_VERSION, $machine, $libc);
echo PHP_DEBUG ? '-debug' : '', PHP_ZTS ? '-zts' : '', "\n";
