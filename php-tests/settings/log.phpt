--TEST--
Messages go to PHP's error log, filtered by postings.log_level
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';

$file = tempnam(sys_get_temp_dir(), 'postings');
foreach (['info', 'warn', 'off'] as $level) {
    file_put_contents($file, '');
    [$status, $output] = child('Postings\stats();', ['postings.log_level' => $level, 'error_log' => $file, 'log_errors' => 1]);
    echo "$level: $status \"$output\" ", preg_replace('/^\[.*?\] /m', '', file_get_contents($file)), "\n";
}
unlink($file);
?>
--EXPECTF--
info: 0 "" postings: version %d.%d.%d, CPU path %r(scalar|neon|avx2|avx512)%r

warn: 0 ""%w
off: 0 ""%w
