<?php

/**
 * Prints the builds of a release, as a matrix for .github/workflows/release.yml: those threads of PHP that composer.json
 * supports, on either libc and either processor, each in the official image of PHP.
 *
 *     php -n packaging/matrix.php
 */

declare(strict_types=1);

const VERSIONS = ['8.2', '8.3', '8.4', '8.5'];
// Archives for glibc are built on Debian 12, so that they load where glibc is 2.34 or newer.
const IMAGES = ['glibc' => 'bookworm', 'musl' => 'alpine'];
const RUNNERS = ['x86_64' => 'ubuntu-24.04', 'arm64' => 'ubuntu-24.04-arm'];

$extension = json_decode((string) file_get_contents(dirname(__DIR__) . '/composer.json'), true, flags: JSON_THROW_ON_ERROR)['php-ext'];
$rows = [];
foreach (VERSIONS as $version) {
    foreach (['nts' => 'cli', 'zts' => 'zts'] as $threads => $variant) {
        if (!$extension["support-$threads"]) {
            continue;
        }
        foreach (IMAGES as $libc => $system) {
            foreach (RUNNERS as $machine => $runner) {
                $rows[] = ['name' => "$version-$threads-$libc-$machine", 'image' => "php:$version-$variant-$system", 'runner' => $runner];
            }
        }
    }
}
echo json_encode(['include' => $rows], JSON_UNESCAPED_SLASHES), "\n";
