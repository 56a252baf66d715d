--TEST--
PostingList::intersectList(): the docIDs of intersect(), as a list, for every codec
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{Codec, PostingList};

$runs = [...range(5, 4000), ...range(9000, 70000), 4294967295];
$arrays = [[], [7], doc_ids(3000, 2), doc_ids(3000, 2, 5), doc_ids(2000, 40, 3), $runs, range(0, 70000, 3)];
foreach (codecs() as $codec) {
    foreach ($arrays as $i => $one) {
        foreach ($arrays as $j => $other) {
            [$a, $b] = [encoded($one, $codec) ?? PostingList::encode($one), PostingList::encode($other, Codec::PartitionedEliasFano)];
            $list = $a->intersectList($b, $b);
            if ($list->codec() !== Codec::PartitionedEliasFano || $list->toArray() !== $a->intersect($b)) {
                echo "wrong: $codec->name, $i and $j\n";
            }
            // Made from ranges and bits or from docIDs: what is written is read.
            if (PostingList::fromBytes($list->toBytes()) != $list || count($list->intersectList()) !== count($list)) {
                echo "wrong bytes: $codec->name, $i and $j\n";
            }
        }
    }
}
$list = PostingList::encode($runs, Codec::PartitionedEliasFano);
var_dump(strlen($list->intersectList($list)->toBytes()) < 200);
outcome('named', fn () => $list->intersectList(x: $list));
outcome('type', fn () => $list->intersectList([1]));
?>
--EXPECT--
bool(true)
named: ArgumentCountError: Postings\PostingList::intersectList() does not accept unknown named parameters
type: TypeError: Postings\PostingList::intersectList(): Argument #1 must be of type Postings\PostingList, array given
