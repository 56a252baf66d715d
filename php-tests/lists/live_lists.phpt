--TEST--
stats() counts the lists in memory and their bytes; clones count once
--FILE--
<?php
use Postings\PostingList;

$count = fn () => [Postings\stats()['lists'], Postings\stats()['list_bytes']];
$start = $count();
$list = PostingList::encode(range(0, 999));
[$lists, $bytes] = $count();
var_dump($lists - $start[0], $bytes - $start[1] >= strlen($list->toBytes()), $bytes - $start[1] < 2 * strlen($list->toBytes()) + 4096);
$clone = clone $list;
$iterator = $list->getIterator();
var_dump($count() === [$lists, $bytes]);
$second = PostingList::fromBytes($list->toBytes());
$third = unserialize(serialize($list));
var_dump($count()[0] - $start[0]);
$list = $second = $third = null;
var_dump($count() === [$lists, $bytes]);
$clone = null;
var_dump($count() === [$lists, $bytes]);
$iterator = null;
var_dump($count() === $start);
try {
    PostingList::fromBytes('damaged');
} catch (Postings\CorruptDataException $e) {
}
var_dump($count() === $start);
?>
--EXPECT--
int(1)
bool(true)
bool(true)
bool(true)
int(3)
bool(true)
bool(true)
bool(true)
bool(true)
