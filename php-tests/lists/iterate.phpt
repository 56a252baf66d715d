--TEST--
foreach, getIterator(), generators, nested and interrupted iteration
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\PostingList;

$docIds = doc_ids(1000, 30);
$list = PostingList::encode($docIds);
$keys = $values = [];
foreach ($list as $key => $value) {
    $keys[] = $key;
    $values[] = $value;
}
var_dump($keys === array_keys($docIds), $values === $docIds);
$iterator = $list->getIterator();
var_dump(get_class($iterator), $iterator instanceof Iterator, $iterator->valid(), $iterator->key(), $iterator->current() === $docIds[0]);
for ($values = []; $iterator->valid(); $iterator->next()) {
    $values[] = $iterator->current();
}
var_dump($values === $docIds, $iterator->current(), $iterator->key());
$iterator->next();
$iterator->rewind();
var_dump($iterator->key(), iterator_to_array($iterator) === $docIds, iterator_count($iterator), [...$list] === $docIds);

$short = PostingList::encode([3, 4, 5]);
foreach ($short as $a) {
    foreach ($short as $b) {
        if ($b === 5) {
            break;
        }
        echo "$a-$b ";
    }
}
echo "\n";
function all(PostingList $list)
{
    yield from $list;
}
foreach (all($short) as $key => $value) {
    echo "$key=>$value ";
}
[, $second] = iterator_to_array($short);
echo $second, "\n";
// The iterator keeps its list.
$iterator = PostingList::encode([7, 8])->getIterator();
gc_collect_cycles();
foreach ($iterator as $value) {
    echo $value, ' ';
}
// Rewound in the middle of foreach.
$times = 0;
foreach ($iterator as $key => $value) {
    if ($key === 1 && $times++ === 0) {
        $iterator->rewind();
    }
    echo "[$key=>$value]";
}
echo "\n";
foreach (PostingList::encode([]) as $_) {
    echo "never\n";
}
foreach (new LimitIterator($list->getIterator(), 128, 2) as $key => $value) {
    var_dump($value === $docIds[$key]);
}
outcome('by reference', function () use ($short) { foreach ($short as &$_); });
?>
--EXPECT--
bool(true)
bool(true)
string(28) "Postings\PostingListIterator"
bool(true)
bool(true)
int(0)
bool(true)
bool(true)
NULL
NULL
int(0)
bool(true)
int(1000)
bool(true)
3-3 3-4 4-3 4-4 5-3 5-4 
0=>3 1=>4 2=>5 4
7 8 [0=>7][1=>8][1=>8]
bool(true)
bool(true)
by reference: Error: An iterator cannot be used with foreach by reference
