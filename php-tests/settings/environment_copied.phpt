--TEST--
The environment is the one that putenv changes, also where the C library's variable is copied into the program, as upstream's PHP is linked
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
require __DIR__ . '/../fake.inc';
skip_without_library();
skip_without_compiler();
if (PHP_OS_FAMILY !== 'Linux') die('skip needs LD_PRELOAD');
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';
require __DIR__ . '/../fake.inc';

// What a copy relocation does, for a PHP that has none: a variable of that name, found before the C library's own by
// everybody except a library that is loaded with RTLD_DEEPBIND, as PHP loads extensions.
$top = fake_folder();
$source = "$top/copied.c";
file_put_contents($source, 'char **__environ; extern char **environ __attribute__((alias("__environ"))); extern char **_environ __attribute__((alias("__environ")));');
exec(fake_compiler() . ' -shared -fPIC -o ' . escapeshellarg("$top/copied.so") . ' ' . escapeshellarg($source) . ' 2>&1', $output, $status);
echo $status === 0 ? '' : implode("\n", $output);

$code = <<<'CODE'
    putenv('OCL_ICD_VENDORS=/elsewhere');
    echo count(Postings\devices()), " devices\n";
    ob_start();
    phpinfo(INFO_MODULES);
    echo preg_match('/^CPU path => (.*)$/m', ob_get_clean(), $match) ? $match[1] : 'no CPU path', "\n";
    CODE;
foreach (['as it is' => [], 'copied' => ['LD_PRELOAD' => "$top/copied.so"]] as $name => $environment) {
    [$status, $output] = child($code, ['error_log' => '/dev/stderr', 'log_errors' => 1], [], $environment + ['POSTINGS_CPU' => 'scalar', 'POSTINGS_CACHE_DIR' => "$top/cache"]);
    echo "-- $name: $status\n", preg_replace('/^.*postings: /m', '', $output);
}
remove_folder($top);
?>
--EXPECT--
-- as it is: 0
device: the environment variable OCL_ICD_VENDORS changed after the process began, and OpenCL drivers obey it; no devices are looked for
0 devices
scalar
-- copied: 0
device: the environment variable OCL_ICD_VENDORS changed after the process began, and OpenCL drivers obey it; no devices are looked for
0 devices
scalar
