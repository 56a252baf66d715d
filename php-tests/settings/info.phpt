--TEST--
php --ri postings: version, CPU path, devices, INI table
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';

[$status, $output] = child('', [], ['--ri', 'postings']);
echo $status, $output;
var_dump(str_contains($output, 'Version => ' . phpversion('postings') . "\n"));
// The lower paths can be asked for.
[, $output] = child('', [], ['--ri', 'postings'], ['POSTINGS_CPU' => 'scalar']);
var_dump(str_contains($output, "CPU path => scalar\n"));
[, $output] = child('phpinfo();', []);
var_dump(str_contains($output, "postings.offload => auto => auto\n"));
?>
--EXPECTREGEX--
0
postings

Postings => enabled
Version => \d+\.\d+\.\d+
CPU path => (scalar|neon|avx2|avx512)
(OpenCL devices => none|(OpenCL device => .+ \/ .+\n?)+)

Directive => Local Value => Master Value
postings\.device => auto => auto
postings\.offload => auto => auto
postings\.threads => 0 => 0
postings\.device_memory => 0 => 0
postings\.device_timeout => 10 => 10
postings\.yioop => 0 => 0
postings\.opencl => 1 => 1
postings\.log_level => warn => warn
(postings: OpenCL is not used: .+\n)?bool\(true\)
bool\(true\)
bool\(true\)
