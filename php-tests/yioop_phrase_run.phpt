--TEST--
Postings\Yioop\Conjunction: a phrase of words that stand in long runs
--EXTENSIONS--
postings
--FILE--
<?php
require __DIR__ . '/helpers.inc';

use Postings\Yioop;
use Postings\Yioop\{Conjunction, Shard};

// One document; 15 words stand at positions 1 to 40 and 900, the last at 1000 and, for the second list, at 16 too.
[$run, $never, $once] = array_map(fn ($at) => Yioop\pack_posting(0, $at), [[...range(1, 40), 900], [1000], [16, 1000]]);
$lists = str_repeat($run, 15) . $never . $once;
$docMap = pack('NN', 7, 60 << 8 | 3) . str_repeat('k', 24);
$file = tempnam(sys_get_temp_dir(), 'postings');
file_put_contents($file, pack('N10', 0, 0, strlen($lists), strlen($docMap), 0, 1, 1, 0, 60, 0) . $lists . $docMap);
$shard = Shard::open($file);
$ranges = [];
for ($i = 0; $i < 15; $i++) {
    $ranges[] = [$i * strlen($run), ($i + 1) * strlen($run) - 4];
}
$at = 15 * strlen($run);
$last = [[$at, $at + strlen($never) - 4], [$at + strlen($never), strlen($lists) - 4]];
foreach ($last as $range) {
    $query = Conjunction::of([[$shard, [...$ranges, $range]]], range(0, 15), [array_fill(0, 16, 1)]);
    echo count($query), ' document, ', count($query->next()), " with the phrase\n";
}
unlink($file);
?>
--EXPECT--
1 document, 0 with the phrase
1 document, 1 with the phrase
