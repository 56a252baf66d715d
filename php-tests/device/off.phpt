--TEST--
postings.opencl=0 turns OpenCL off: no library is loaded, whatever a script asks for
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
require __DIR__ . '/../fake.inc';
skip_without_library();
skip_without_compiler();
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';
require __DIR__ . '/../fake.inc';

$top = fake_folder();
$environment = ['POSTINGS_OPENCL_LIBRARY' => build_fake($top), 'POSTINGS_CACHE_DIR' => "$top/cache", 'FAKE_OPENCL_LOG' => "$top/log"];
$code = 'var_dump(ini_set("postings.opencl", "1"), Postings\devices());
    ini_set("postings.device", "0:0");
    var_dump(Postings\PostingList::encode([1, 2])->toArray() === [1, 2], Postings\stats()["device_failures"]);';
foreach (['1', '0', 'Off', 'maybe'] as $value) {
    $ini = ['postings.opencl' => $value, 'postings.offload' => 'always'];
    [$status, $output] = child($code, $ini, [], $environment);
    [$infoStatus, $info] = child('', $ini, ['--ri', 'postings'], $environment);
    preg_match('/^OpenCL devices => .*$/m', $info, $row);
    echo "$value: $status, $infoStatus, ", is_file("$top/log") ? 'loaded' : 'not loaded', ", $row[0]\n", $value === '0' ? $output : '';
    echo $value === 'maybe' ? strtok($output, "\n") . "\n" : '';
    @unlink("$top/log");
}
remove_folder($top);
?>
--EXPECTF--
1: 0, 0, loaded, OpenCL devices => none
0: 0, 0, not loaded, OpenCL devices => off (postings.opencl)
bool(false)
array(0) {
}
bool(true)
int(0)
Off: 0, 0, not loaded, OpenCL devices => off (postings.opencl)
maybe: 0, 0, %r(loaded, OpenCL devices => none|not loaded, OpenCL devices => off \(postings.opencl\))%r
Warning: postings.opencl cannot be "maybe"; the default is used in %s
