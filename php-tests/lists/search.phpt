--TEST--
intersect(), intersect_count(), intersect_batch(), contains(), nextGreaterOrEqual(), equals() against a naive model
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{Codec, PostingList};

$arrays = both_paths();
$flipped = array_map(array_flip(...), $arrays);
$codecs = codecs();
$lists = [];
foreach ($arrays as $k => $docIds) {
    $lists[] = encoded($docIds, $codecs[$k % count($codecs)]) ?? PostingList::encode($docIds);
}
$queries = $expected = [];
foreach ($lists as $i => $first) {
    foreach ($lists as $j => $second) {
        $want = common($flipped[$i], $flipped[$j]);
        if (Postings\intersect($first, $second) !== $want || $first->intersect($second) !== $want) {
            echo "wrong: $i and $j\n";
        }
        if (Postings\intersect_count($first, $second) !== count($want)) {
            echo "wrong count: $i and $j\n";
        }
        $queries["$i-$j"] = [$first, $second];
        $expected["$i-$j"] = $want;
    }
    $k = ($i * 5 + 3) % count($lists);
    $l = ($i * 7 + 4) % count($lists);
    $want = common($flipped[$i], $flipped[$k], $flipped[$l]);
    if (Postings\intersect($first, $lists[$k], $lists[$l]) !== $want) {
        echo "wrong: $i, $k and $l\n";
    }
    $queries[] = [$first, $lists[$k], $lists[$l]];
    $expected[] = $want;
    if (Postings\intersect($first) !== $arrays[$i] || $first->intersect() !== $arrays[$i]) {
        echo "wrong: $i alone\n";
    }
}
var_dump(count($queries), Postings\intersect_batch($queries) === $expected);
var_dump(Postings\intersect_batch(array_values($queries)) === array_values($expected));
var_dump(Postings\intersect_batch([]), Postings\intersect_batch([7 => []]));
var_dump(Postings\intersect_batch([3 => ['x' => $lists[9], 'y' => $lists[9]], -1 => [$lists[8]]]));

foreach ($arrays as $i => $docIds) {
    foreach ([-5, 0, 1, 127, 128, 5000, 4294967295, 4294967296, PHP_INT_MAX, ...array_slice($docIds, 0, 300)] as $target) {
        $next = null;
        foreach ($docIds as $docId) {
            if ($docId >= $target) {
                $next = $docId;
                break;
            }
        }
        if ($lists[$i]->nextGreaterOrEqual($target) !== $next || $lists[$i]->contains($target) !== ($next === $target)) {
            echo "wrong: list $i from $target\n";
        }
    }
}

$a = PostingList::encode([1, 2, 3]);
$b = PostingList::encode([1, 2, 3], Codec::Simple9);
$c = PostingList::encode([1, 2, 4]);
var_dump($a->equals($b), $a == $b, $a->equals($c), $a == $c, $a->equals($a), $a === clone $a, $a == clone $a, $a < $c);
?>
--EXPECT--
int(156)
bool(true)
bool(true)
array(0) {
}
array(1) {
  [7]=>
  array(0) {
  }
}
array(2) {
  [3]=>
  array(1) {
    [0]=>
    int(0)
  }
  [-1]=>
  array(0) {
  }
}
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
