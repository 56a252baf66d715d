--TEST--
simple9_encode(), simple9_decode(), qs_encode(), qs_decode(): the papers' examples, encoded and decoded
--FILE--
<?php
require __DIR__ . '/../helpers.inc';

$words = Postings\simple9_encode([1624, 1650, 1876, 1972, 2356]);
echo implode(' ', array_map(fn ($word) => sprintf('%032b', $word), unpack('N*', $words))), "\n";
// Selector 8 is read as 9, as some number it.
var_dump(Postings\simple9_decode("\x80\0\0\0") === range(0, 27), Postings\simple9_decode("\x90\0\0\0") === range(0, 27));
foreach (both_paths() as $docIds) {
    foreach ([$docIds, pack('V*', ...$docIds)] as $input) {
        if ($docIds !== [4294967295] && Postings\simple9_decode(Postings\simple9_encode($input)) !== $docIds) {
            echo "simple9: wrong for ", count($docIds), " docIDs\n";
        }
        foreach ([0.25, 0.5, 1.0, 2, 64.0] as $c) {
            if (Postings\qs_decode(Postings\qs_encode($input, $c)) !== $docIds) {
                echo "qs: wrong for ", count($docIds), " docIDs, c = $c\n";
            }
        }
    }
}
var_dump(Postings\simple9_encode([]), Postings\simple9_decode(''));
var_dump(Postings\qs_encode([1, 3, 16, 35]) === Postings\qs_encode([1, 3, 16, 35], c: 1.0));
?>
--EXPECT--
00010001100101100000000000011001 00100111000010010111111011111110
bool(true)
bool(true)
string(0) ""
array(0) {
}
bool(true)
