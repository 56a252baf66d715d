--TEST--
A device that never answers, or is gone: the CPU's results, one warning, one failure, and a process that ends
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
$uses = [
    'decode' => 'fn () => $list->toArray()',
    'intersect' => 'fn () => Postings\intersect($list, $other)',
    'batch' => 'fn () => Postings\intersect_batch([[$list, $other], [$other]])',
    'search' => 'fn () => $ids($index->searchBatch(["posting list", "fast -toy", "\"toy codec\""], matching: "any"))',
    'warm' => 'fn () => $index->warm(["posting list"])',
    'deadline' => 'fn () => array_map(fn ($hits) => $hits->expired, $index->searchBatch(["posting list", "fast"], deadline: 500))',
];
foreach (['hang' => $uses, 'lose' => ['batch' => $uses['batch'], 'search' => $uses['search']]] as $fault => $of) {
    foreach ($of as $name => $use) {
        $code = <<<PHP
            \$index = Postings\Index::open(getenv('FOLDER'));
            \$list = Postings\PostingList::encode(range(0, 30_000, 3));
            \$other = Postings\PostingList::encode(range(0, 30_000, 5));
            \$ids = fn (\$all) => array_map(fn (\$hits) => \$hits->ids(), \$all);
            \$use = $use;
            \$first = \$use();
            \$failures = Postings\stats()['device_failures'];
            // If the device were waited for again, this script would not end.
            ini_set('postings.device_timeout', '3600');
            ini_set('postings.offload', 'never');
            \$expected = \$use();
            ini_set('postings.offload', 'always');
            \$second = \$use();
            \$stats = Postings\stats();
            echo \$failures, ' failure; ', \$first === \$expected ? 'right' : json_encode(\$first), ', ', \$second === \$expected ? 'right' : 'wrong',
                "; \$stats[device_calls] on the device, \$stats[device_failures] in all\n";
            PHP;
        $ini = ['postings.device' => '"' . device_selector() . '"', 'postings.offload' => 'always', 'postings.device_timeout' => '1', 'postings.threads' => '1'];
        [$status, $output] = child($code, $ini, [], ['POSTINGS_DEVICE_FAULT' => $fault, 'FOLDER' => $folder]);
        echo "$fault, $name: $output", $status === 0 ? '' : "status $status\n";
    }
}
?>
--EXPECT--
hang, decode: postings: device: no answer for 1s (postings.device_timeout); this process no longer uses the device; the CPU is used instead
1 failure; right, right; 0 on the device, 1 in all
hang, intersect: postings: device: no answer for 1s (postings.device_timeout); this process no longer uses the device; the CPU is used instead
1 failure; right, right; 0 on the device, 1 in all
hang, batch: postings: device: no answer for 1s (postings.device_timeout); this process no longer uses the device; the CPU is used instead
1 failure; right, right; 0 on the device, 1 in all
hang, search: postings: device: no answer for 1s (postings.device_timeout); this process no longer uses the device; the CPU is used instead
1 failure; right, right; 0 on the device, 1 in all
hang, warm: postings: device: no answer for 1s (postings.device_timeout); this process no longer uses the device; the CPU is used instead
1 failure; right, right; 0 on the device, 1 in all
hang, deadline: postings: device: no answer for 1s (postings.device_timeout); this process no longer uses the device; the CPU is used instead
1 failure; [true,true], right; 0 on the device, 1 in all
lose, batch: postings: device: a command failed: device not available (-2); this process no longer uses the device; the CPU is used instead
1 failure; right, right; 0 on the device, 1 in all
lose, search: postings: device: a command failed: device not available (-2); this process no longer uses the device; the CPU is used instead
1 failure; right, right; 0 on the device, 1 in all
