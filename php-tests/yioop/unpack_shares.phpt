--TEST--
unpack_postings(): equal position lists share memory as PHP's arrays do; changing one does not change another
--FILE--
<?php
use function Postings\Yioop\{pack_posting, unpack_postings};

// Positions below and above the bound up to which they are shared, one and more of them.
$wanted = $bytes = [];
foreach (range(1, 4000) as $doc) {
    $positions = match ($doc % 5) {
        0 => [$doc % 300 + 1],
        1, 2 => [7],
        3 => [7, 8],
        4 => [255 + $doc % 3],
    };
    $wanted[] = [$doc, $positions];
    $bytes[] = pack_posting($doc, $positions);
}
$list = implode($bytes);
$result = unpack_postings($list);
var_dump($result === $wanted);

// Changes of elements, by reference too, of sorts and sizes that make Zend reallocate or rehash.
$result[0][1][] = 'more';
$result[1][1][0] = 'other';
$result[5][1]['key'] = 'hash';
foreach ($result as $at => &$posting) {
    if ($at >= 1000 && $at < 1010) {
        $posting[1] = array_merge($posting[1], range(1, 20));
    } elseif ($at >= 2000 && $at < 2010) {
        array_pop($posting[1]);
    }
}
unset($posting);
$wanted[0][1][] = 'more';
$wanted[1][1][0] = 'other';
$wanted[5][1]['key'] = 'hash';
foreach ($wanted as $at => &$posting) {
    if ($at >= 1000 && $at < 1010) {
        $posting[1] = array_merge($posting[1], range(1, 20));
    } elseif ($at >= 2000 && $at < 2010) {
        array_pop($posting[1]);
    }
}
unset($posting);
var_dump($result === $wanted);
var_dump(unserialize(serialize($result)) === $wanted);

// The last owner of a shared list changes it in place.
$one = $result[6][1];
$result = null;
$one[] = 8;
$one['cycle'] = &$one;
unset($one);
var_dump(gc_collect_cycles());

// Nothing is left over.
$before = memory_get_usage();
for ($i = 0; $i < 50; ++$i) {
    $all = unpack_postings($list);
    if ($i % 2) {
        shuffle($all);
    }
    gc_collect_cycles();
}
unset($all, $i);
var_dump(memory_get_usage() - $before < 4096);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
