--TEST--
PostingList::encode(): arrays, strings, all codecs; what comes back is what went in
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{Codec, PostingList};

foreach (both_paths() as $docIds) {
    foreach (codecs() as $codec) {
        if (encoded($docIds, $codec) === null) {
            continue;
        }
        $packed = pack('V*', ...$docIds);
        foreach ([$docIds, $packed] as $input) {
            $list = PostingList::encode($input, $codec);
            assert($list->codec() === $codec);
            if ($list->toArray() !== $docIds || $list->toPacked() !== $packed || count($list) !== count($docIds)) {
                echo "wrong: ", count($docIds), " docIDs\n";
            }
            if (iterator_to_array($list) !== $docIds) {
                echo "wrong iteration\n";
            }
            $copy = PostingList::fromBytes($list->toBytes());
            if ($copy->toArray() !== $docIds || !$copy->equals($list) || $copy->toBytes() !== $list->toBytes()) {
                echo "wrong copy\n";
            }
        }
    }
}
// The default codec, and what kinds of arrays are accepted.
var_dump(PostingList::encode([7])->codec());
$seven = 7;
$eight = 8;
$references = [1, &$seven, &$eight];
$hash = ['a' => 1, 'b' => 5, 100 => 6];
$holes = [0, 1, 2, 3, 4];
unset($holes[1], $holes[4]);
$grown = [5 => 10];
$grown[] = 11;
foreach ([$references, $hash, $holes, $grown, [], '', new ArrayObject([1])] as $input) {
    outcome('docIds', fn () => json_encode(PostingList::encode($input)->toArray()));
}
// The input stays as it was.
var_dump($references === [1, 7, 8], $hash === ['a' => 1, 'b' => 5, 100 => 6]);
// Named arguments.
var_dump(count(PostingList::encode(codec: Codec::Simple9, docIds: [1, 2])));
// Unaligned strings.
var_dump(PostingList::encode(substr('x' . pack('V*', 3, 4), 1))->toArray() === [3, 4]);
?>
--EXPECT--
enum(Postings\Codec::QuasiSuccinct)
docIds: returned '[1,7,8]'
docIds: returned '[1,5,6]'
docIds: returned '[0,2,3]'
docIds: returned '[10,11]'
docIds: returned '[]'
docIds: returned '[]'
docIds: TypeError: Postings\PostingList::encode(): Argument #1 ($docIds) must be of type array|string, ArrayObject given
bool(true)
bool(true)
int(2)
bool(true)
