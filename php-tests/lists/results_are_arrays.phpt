--TEST--
Results are ordinary arrays and strings: they can be changed, sorted, merged, made into hashes
--FILE--
<?php
use Postings\{PostingList, Yioop};

foreach ([0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 25, 31, 33, 40, 41, 100, 200, 1000, 5000, 20000, 40001] as $n) {
    $docIds = $n ? range(10, 9 + $n) : [];
    $array = PostingList::encode($docIds)->toArray();
    assert(array_is_list($array));
    $copy = $array;
    $array[] = 500000;
    $want = [...$docIds, 500000];
    if ($array !== $want || $copy !== $docIds) {
        echo "append: $n\n";
    }
    $array['key'] = 'x';
    $array[1 << 40] = 'y';
    unset($array[0]);
    $want['key'] = 'x';
    $want[1 << 40] = 'y';
    unset($want[0]);
    if ($array !== $want || serialize($array) !== serialize($want)) {
        echo "hash: $n\n";
    }
    $array = PostingList::encode($docIds)->toArray();
    array_unshift($array, -1);
    rsort($array);
    $array = array_merge($array, $copy, array_reverse($copy));
    $array = array_values(array_unique($array));
    if ($array !== [...array_reverse($docIds), -1]) {
        echo "sort: $n\n";
    }
    $string = PostingList::encode($docIds)->toPacked();
    $string .= 'x';
    if ($string !== pack('V*', ...$docIds) . 'x' || hash('crc32b', $string) !== hash('crc32b', pack('V*', ...$docIds) . 'x')) {
        echo "string: $n\n";
    }
}
$postings = Yioop\pack_posting(3, [1, 5]) . Yioop\pack_posting(9, [2, 3, 70000]);
$unpacked = Yioop\unpack_postings($postings);
$unpacked[0][1][] = 6;
$unpacked[0][] = 'more';
$unpacked[1]['name'] = 'x';
$unpacked[] = 'end';
for ($i = 0; $i < 40; $i++) {
    $unpacked[1][1][] = $i;
    $unpacked[0][1]["k$i"] = $i;
}
echo count($unpacked), ' ', count($unpacked[0][1]), ' ', count($unpacked[1][1]), ' ', json_encode([$unpacked[0][0], $unpacked[0][2]]), "\n";
var_dump(Yioop\unpack_postings($postings) === [[3, [1, 5]], [9, [2, 3, 70000]]]);
$offsets = Yioop\intersect($postings, $postings, $postings);
$offsets['x'] = 1;
for ($i = 10; $i < 50; $i++) {
    $offsets[$i] = [$i];
    $offsets[3][] = $i;
}
unset($offsets[9]);
var_dump(count($offsets), count($offsets[3]), isset($offsets[3], $offsets[49]), isset($offsets[9]));
?>
--EXPECT--
3 43 43 [3,"more"]
bool(true)
int(42)
int(43)
bool(true)
bool(false)
