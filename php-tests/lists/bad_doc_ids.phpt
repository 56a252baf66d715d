--TEST--
docIDs that cannot be coded: ValueError and TypeError name the index
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{Codec, PostingList};

$bad = [
    'unsorted' => [1, 5, 3],
    'repeated' => [1, 2, 2],
    'negative' => [-1],
    'too large' => [1, 4294967296],
    'float' => [1, 2.0],
    'numeric string' => [1, '2'],
    'null' => [null],
    'bool' => [0, true],
    'array' => [1, []],
    'object' => [1, 2, new stdClass],
    'in a hash' => ['a' => 1, 'b' => 'x'],
    'after a hole' => [2 => 1, 7 => -5],
    'three bytes' => 'abc',
    'packed, unsorted' => pack('V*', 9, 8),
    'int' => 5,
    'null itself' => null,
];
foreach ($bad as $what => $docIds) {
    outcome($what, fn () => PostingList::encode($docIds));
}
$reference = 'x';
outcome('reference', fn () => PostingList::encode([1, &$reference]));
outcome('simple9_encode', fn () => Postings\simple9_encode([4, 4]));
outcome('qs_encode', fn () => Postings\qs_encode([4, 4]));
outcome('c too small', fn () => Postings\qs_encode([1, 4294967295], 1e-9));
outcome('first docID of 2^28', fn () => Postings\simple9_encode([1 << 28]));
outcome('gap', fn () => PostingList::encode([1, 2, 3 + (1 << 28)], Codec::Simple9));
outcome('largest gap', fn () => PostingList::encode([1, 2 + (1 << 28) - 1], Codec::Simple9)->toArray());
?>
--EXPECTF--
unsorted: ValueError: Postings\PostingList::encode(): Argument #1 ($docIds) must be strictly increasing, docID 3 at index 2 is not greater than 5 before it
repeated: ValueError: Postings\PostingList::encode(): Argument #1 ($docIds) must be strictly increasing, docID 2 at index 2 is not greater than 2 before it
negative: ValueError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only docIDs from 0 to 4294967295, -1 given at index 0
too large: ValueError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only docIDs from 0 to 4294967295, 4294967296 given at index 1
float: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only int, float given at index 1
numeric string: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only int, string given at index 1
null: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only int, null given at index 0
bool: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only int, bool given at index 1
array: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only int, array given at index 1
object: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only int, stdClass given at index 2
in a hash: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only int, string given at index 1
after a hole: ValueError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only docIDs from 0 to 4294967295, -5 given at index 1
three bytes: ValueError: Postings\PostingList::encode(): Argument #1 ($docIds) must be docIDs of 4 bytes each, 3 bytes given
packed, unsorted: ValueError: Postings\PostingList::encode(): Argument #1 ($docIds) must be strictly increasing, docID 8 at index 1 is not greater than 9 before it
int: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must be of type array|string, int given
null itself: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must be of type array|string, null given
reference: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must contain only int, string given at index 1
simple9_encode: ValueError: Postings\simple9_encode(): Argument #1 ($docIds) must be strictly increasing, docID 4 at index 1 is not greater than 4 before it
qs_encode: ValueError: Postings\qs_encode(): Argument #1 ($docIds) must be strictly increasing, docID 4 at index 1 is not greater than 4 before it
c too small: ValueError: Postings\qs_encode(): Argument #2 ($c) cannot be used: c = 0.000000001 is too small: 2 docIDs up to 4294967295 would take 2147483649 upper bits
first docID of 2^28: ValueError: Postings\simple9_encode(): Argument #1 ($docIds) cannot be used: simple9 cannot code 268435456 at index 0: %s
gap: ValueError: Postings\PostingList::encode(): Argument #1 ($docIds) cannot be used: simple9 cannot code 268435456 at index 2: %s
largest gap: returned array (
  0 => 1,
  1 => 268435457,
)
