<?php

/**
 * Writes stubs/released.json: what the stubs declare, as the API of the release that is being made. A test compares every later
 * API with it (php-tests/settings/versioning.phpt).
 *
 *     php -n scripts/released.php
 *
 * -n, because the stubs declare what an installed extension has declared already.
 */

declare(strict_types=1);

$root = dirname(__DIR__);
require "$root/php-tests/reflect.inc";
foreach (glob("$root/stubs/*.stub.php") as $stub) {
    require $stub;
}
preg_match('/^version = "(.*)"/m', file_get_contents("$root/Cargo.toml"), $match);
$api = describe(false);
ksort($api);
$json = fn (mixed $value) => json_encode($value, JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
$entries = array_map(fn (string $name) => $json($name) . ': ' . $json($api[$name]), array_keys($api));
$released = '{"version": ' . $json($match[1]) . ', "api": {' . "\n" . implode(",\n", $entries) . "\n}}\n";
file_put_contents("$root/stubs/released.json", $released);
echo "stubs/released.json: $match[1]\n";
