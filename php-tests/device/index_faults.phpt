--TEST--
Ranked search on a device that fails: the CPU's results, one warning, and each failure counted
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
require __DIR__ . '/../child.inc';
skip_without_library();
skip_without_device();
?>
--FILE--
<?php
require __DIR__ . '/../device.inc';
require __DIR__ . '/../child.inc';
require __DIR__ . '/../index.inc';

catalogue($folder = new_folder());
$code = <<<'PHP'
    $index = Postings\Index::open(getenv('FOLDER'));
    $search = fn () => array_map(fn ($hits) => $hits->ids(), $index->searchBatch(['posting list', 'fast -toy', '"toy codec"'], matching: 'any'));
    $device = [$search(), $search()];
    echo $index->warm(['posting list']), ' lists; ';
    $stats = Postings\stats();
    ini_set('postings.offload', 'never');
    echo $device === [$search(), $search()] && $device[0][1] !== [] ? 'right' : 'wrong', "; $stats[device_calls] on the device, $stats[device_failures] failures\n";
    PHP;
// Without a cache folder, from which kernels could come instead of being built.
foreach (['none', 'open', 'alloc', 'build', 'launch', 'read'] as $fault) {
    [$status, $output] = child($code, ['postings.device' => '"' . device_selector() . '"', 'postings.offload' => 'always', 'postings.threads' => '1'], [],
        ['POSTINGS_DEVICE_FAULT' => $fault, 'FOLDER' => $folder, 'POSTINGS_CACHE_DIR' => '/dev/null/none']);
    echo "$fault: $output";
    echo $status === 0 ? '' : "status $status\n";
}
?>
--EXPECT--
none: 4 lists; right; 3 on the device, 0 failures
open: postings: device: Open fails, as POSTINGS_DEVICE_FAULT asks; the CPU is used instead
0 lists; right; 0 on the device, 3 failures
alloc: postings: device: Alloc fails, as POSTINGS_DEVICE_FAULT asks; the CPU is used instead
0 lists; right; 0 on the device, 3 failures
build: postings: device: Build fails, as POSTINGS_DEVICE_FAULT asks; the CPU is used instead
0 lists; right; 0 on the device, 3 failures
launch: postings: device: Launch fails, as POSTINGS_DEVICE_FAULT asks; the CPU is used instead
0 lists; right; 0 on the device, 3 failures
read: postings: device: Read fails, as POSTINGS_DEVICE_FAULT asks; the CPU is used instead
0 lists; right; 0 on the device, 3 failures
