--TEST--
Postings\Yioop: golden vectors made by Yioop itself; intersect; errors
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\Yioop;

$vectors = json_decode(file_get_contents(__DIR__ . '/vectors.json'), true);
foreach ($vectors['postings'] as ['doc_index' => $docIndex, 'positions' => $positions, 'hex' => $hex]) {
    $posting = [$docIndex, $positions];
    if (bin2hex(Yioop\pack_posting($docIndex, $positions)) !== $hex) {
        echo "pack: $hex\n";
    }
    if (Yioop\unpack_postings(hex2bin($hex)) !== [$posting] || Yioop\doc_indexes(hex2bin($hex)) !== [$docIndex]) {
        echo "unpack: $hex\n";
    }
}
foreach ($vectors['rebase'] as ['hex' => $hex, 'add' => $add, 'result_hex' => $result]) {
    if (bin2hex(Yioop\add_doc_index(hex2bin($hex), $add)) !== $result) {
        echo "add_doc_index: $hex\n";
    }
}
// Where Yioop's own packing loses data, the separate form is written, which Yioop reads back rightly.
var_dump(Yioop\unpack_postings(Yioop\pack_posting(40000, [600, 601])) === [[40000, [600, 601]]]);

// Lists: every posting, its doc index and its offset.
mt_srand(3);
$lists = $maps = [];
foreach ([3000, 800, 50, 1] as $n) {
    $list = '';
    $postings = $offsets = [];
    foreach (doc_ids($n, 12, $n) as $docIndex) {
        $docIndex += 32000;
        $positions = [];
        for ($i = mt_rand(1, 9), $position = 0; $i > 0; $i--) {
            $positions[] = $position += mt_rand(1, 300);
        }
        $offsets[$docIndex] = strlen($list);
        $list .= Yioop\pack_posting($docIndex, $positions);
        $postings[] = [$docIndex, $positions];
    }
    var_dump(Yioop\unpack_postings($list) === $postings, Yioop\doc_indexes($list) === array_keys($offsets));
    $lists[] = $list;
    $maps[] = $offsets;
}
foreach ([[0], [0, 1], [1, 0], [0, 1, 2], [2, 0, 3], [0, 0], [0, 1, 2, 3]] as $choice) {
    $expected = [];
    foreach (common(...array_map(fn ($k) => $maps[$k], $choice)) as $docIndex) {
        $expected[$docIndex] = array_map(fn ($k) => $maps[$k][$docIndex], $choice);
    }
    if (Yioop\intersect(...array_map(fn ($k) => $lists[$k], $choice)) !== $expected) {
        echo 'intersect: ', implode(' ', $choice), "\n";
    }
}
var_dump(Yioop\doc_indexes(''), Yioop\unpack_postings(''), Yioop\intersect('', $lists[0]), Yioop\add_doc_index('', 5));

outcome('doc index below 0', fn () => Yioop\pack_posting(-1, [1]));
outcome('doc index of 2^27', fn () => Yioop\pack_posting((1 << 27) + 1, [1]));
outcome('positions that fall', fn () => Yioop\pack_posting(1, [2, 1]));
outcome('position below 0', fn () => Yioop\pack_posting(1, [-2]));
outcome('position no integer', fn () => Yioop\pack_posting(1, [1, 'x']));
outcome('offset too low', fn () => Yioop\add_doc_index($lists[3], -100000));
outcome('cut', fn () => Yioop\unpack_postings(substr($lists[0], 0, 6)));
outcome('middle first', fn () => Yioop\doc_indexes("\x80\0\0\1"));
outcome('second list damaged', fn () => Yioop\intersect($lists[0], 'abc'));
for ($i = 0; $i < 3000; $i++) {
    $bytes = random_bytes(4 * mt_rand(1, 20));
    $results = [];
    foreach (['doc_indexes', 'unpack_postings', 'intersect'] as $function) {
        try {
            $result = ("Postings\\Yioop\\$function")($bytes);
            $results[] = $function === 'unpack_postings' ? array_column($result, 0) : $result;
        } catch (Postings\CorruptDataException) {
            $results[] = null;
        }
    }
    if ($results[0] !== $results[1] || is_null($results[0]) !== is_null($results[2])) {
        echo 'they disagree: ', bin2hex($bytes), "\n";
    }
}
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
array(0) {
}
array(0) {
}
array(0) {
}
string(0) ""
doc index below 0: ValueError: Postings\Yioop\pack_posting(): Argument #1 ($docIndex) must be from 0 to 4294967295, -1 given
doc index of 2^27: ValueError: Postings\Yioop\pack_posting(): %s
positions that fall: ValueError: Postings\Yioop\pack_posting(): Argument #2 ($positions) must be strictly increasing, position 1 at index 1 is not greater than 2 before it
position below 0: ValueError: Postings\Yioop\pack_posting(): Argument #2 ($positions) must contain only positions from 0 to 4294967295, -2 given at index 0
position no integer: TypeError: Postings\Yioop\pack_posting(): Argument #2 ($positions) must contain only int, string given at index 1
offset too low: ValueError: Postings\Yioop\add_doc_index(): Argument #2 ($offset) cannot be used: %s
cut: Postings\CorruptDataException: modified9: %s at byte 4: %s
middle first: Postings\CorruptDataException: modified9: %s at byte 0: %s
second list damaged: Postings\CorruptDataException: modified9: %s at byte 0: %s
