--TEST--
serialize() and unserialize(), alone and inside other data; damaged data
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{Codec, PostingList};

foreach (both_paths() as $docIds) {
    foreach (codecs() as $codec) {
        $list = encoded($docIds, $codec);
        if ($list === null) {
            continue;
        }
        $copy = unserialize(serialize($list));
        if ($copy->toArray() !== $docIds || $copy->codec() !== $codec || $copy->toBytes() !== $list->toBytes()) {
            echo "wrong for ", count($docIds), " docIDs\n";
        }
    }
}
$list = PostingList::encode([1, 2, 3]);
$data = unserialize(serialize(['a' => $list, 'b' => [$list], 'c' => clone $list]));
var_dump($data['a'] === $data['b'][0], $data['a'] === $data['c'], $data['a'] == $data['c'], $data['c']->toArray() === [1, 2, 3]);
var_dump(array_keys($list->__serialize()), $list->__serialize()['bytes'] === $list->toBytes());
var_dump(unserialize(serialize($list), ['allowed_classes' => [PostingList::class]]) == $list);

$serialized = serialize($list);
outcome('magic', fn () => unserialize(str_replace('PSTL', 'PSTX', $serialized)));
outcome('no data', fn () => unserialize('O:20:"Postings\PostingList":0:{}'));
outcome('no bytes', fn () => unserialize('O:20:"Postings\PostingList":1:{s:5:"bytes";i:5;}'));
outcome('more data', fn () => unserialize('O:20:"Postings\PostingList":2:{s:5:"bytes";s:0:"";s:1:"x";i:1;}'));
outcome('empty bytes', fn () => unserialize('O:20:"Postings\PostingList":1:{s:5:"bytes";s:0:"";}'));
outcome('cut', fn () => @unserialize(substr($serialized, 0, -5)));
outcome('iterator', fn () => serialize($list->getIterator()));
outcome('iterator back', fn () => unserialize('O:28:"Postings\PostingListIterator":0:{}'));
?>
--EXPECTF--
bool(true)
bool(false)
bool(true)
bool(true)
array(1) {
  [0]=>
  string(5) "bytes"
}
bool(true)
bool(true)
magic: Postings\CorruptDataException: posting list: header at byte 0: %s
no data: Postings\CorruptDataException: posting list: serialized data: %s
no bytes: Postings\CorruptDataException: posting list: serialized data: %s
more data: Postings\CorruptDataException: posting list: serialized data: %s
empty bytes: Postings\CorruptDataException: posting list: header at byte 0: %s
cut: returned false
iterator: Exception: Serialization of 'Postings\PostingListIterator' is not allowed
iterator back: Exception: Unserialization of 'Postings\PostingListIterator' is not allowed
