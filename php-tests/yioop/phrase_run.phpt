--TEST--
Postings\Yioop\Conjunction: a phrase of words that stand in long runs
--EXTENSIONS--
postings
--FILE--
<?php
require __DIR__ . '/shard.inc';

use Postings\Yioop;
use Postings\Yioop\Conjunction;

// One document; 15 words stand at positions 1 to 40 and 900, the last at 1000 and, for the second list, at 16 too.
[$run, $never, $once] = array_map(fn ($at) => Yioop\pack_posting(0, $at), [[...range(1, 40), 900], [1000], [16, 1000]]);
[$shard, $ranges] = shard([...array_fill(0, 15, $run), $never, $once], 1);
foreach ([$ranges[15], $ranges[16]] as $range) {
    $query = Conjunction::of([[$shard, [...array_slice($ranges, 0, 15), $range]]], range(0, 15), [array_fill(0, 16, 1)]);
    echo count($query), ' document, ', count($query->next()), " with the phrase\n";
}
?>
--EXPECT--
1 document, 0 with the phrase
1 document, 1 with the phrase
