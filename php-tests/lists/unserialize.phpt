--TEST--
Neither unserialize(), in any format, nor anything else makes an object without its Rust value, of any class; new makes analyzers only
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\PostingList;

$bytes = PostingList::encode([1, 2])->toBytes();
$payloads = [
    '0:{}', '4:{abcd}', '1:{s:5:"bytes";s:0:"";}', '1:{s:5:"bytes";N;}', '1:{i:0;s:1:"x";}', '1:{s:5:"bytes";a:0:{}}',
    '2:{s:5:"bytes";s:' . strlen($bytes) . ':"' . $bytes . '";i:0;i:0;}', strlen($bytes) . ':{' . $bytes . '}',
];
foreach ((new ReflectionExtension('postings'))->getClassNames() as $class) {
    $reflection = new ReflectionClass($class);
    if ($reflection->isInterface() || $reflection->isSubclassOf(Throwable::class)) {
        continue;
    }
    $made = 0;
    foreach (['O', 'C', 'E', 'a'] as $form) {
        foreach ($payloads as $payload) {
            try {
                $made += @unserialize("$form:" . strlen($class) . ":\"$class\":$payload") instanceof $class;
            } catch (Throwable $e) {
            }
        }
    }
    foreach ([fn () => $reflection->newInstanceWithoutConstructor(), fn () => $reflection->newInstance(), fn () => new $class] as $way) {
        try {
            $made += is_object($way());
        } catch (Throwable $e) {
        }
    }
    echo "$class: $made\n";
}
outcome('C', fn () => unserialize('C:20:"Postings\PostingList":0:{}'));
outcome('C with bytes', fn () => unserialize('C:20:"Postings\PostingList":' . strlen($bytes) . ':{' . $bytes . '}'));
outcome('C inside', fn () => unserialize('a:1:{i:0;C:20:"Postings\PostingList":0:{}}'));
outcome('C of the iterator', fn () => unserialize('C:28:"Postings\PostingListIterator":0:{}'));
outcome('clone', fn () => (clone PostingList::encode([1, 2]))->toArray() === [1, 2]);
foreach ([PostingList::encode([1])->getIterator(), Postings\Yioop\Conjunction::of([], [])] as $object) {
    outcome('clone of ' . $object::class, fn () => clone $object);
    outcome('serialize ' . $object::class, fn () => serialize($object));
}
?>
--EXPECT--
Postings\Codec: 0
Postings\Matching: 0
Postings\PostingListIterator: 0
Postings\PostingList: 0
Postings\Yioop\ShardIterator: 0
Postings\Yioop\Shard: 0
Postings\Yioop\Conjunction: 0
Postings\Analyzer: 2
Postings\Filter: 0
Postings\Hit: 4
Postings\HitsIterator: 0
Postings\Statistics: 0
Postings\Hits: 0
Postings\IndexWriter: 0
Postings\SearchStream: 0
Postings\Index: 0
Postings\Leaf: 0
Postings\LeafRequest: 0
Postings\LeafClient: 0
C: Postings\CorruptDataException: posting list: serialized data: is of the format C:, and lists are written as O:
C with bytes: Postings\CorruptDataException: posting list: serialized data: is of the format C:, and lists are written as O:
C inside: Postings\CorruptDataException: posting list: serialized data: is of the format C:, and lists are written as O:
C of the iterator: Exception: Unserialization of 'Postings\PostingListIterator' is not allowed
clone: returned true
clone of Postings\PostingListIterator: Error: Trying to clone an uncloneable object of class Postings\PostingListIterator
serialize Postings\PostingListIterator: Exception: Serialization of 'Postings\PostingListIterator' is not allowed
clone of Postings\Yioop\Conjunction: Error: Trying to clone an uncloneable object of class Postings\Yioop\Conjunction
serialize Postings\Yioop\Conjunction: Exception: Serialization of 'Postings\Yioop\Conjunction' is not allowed
