--TEST--
PostingList objects: no constructor, no properties, clone, dump, comparison, uninitialised objects
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{PostingList, PostingListIterator};

$list = PostingList::encode([1, 2, 3]);
outcome('new', fn () => new PostingList);
outcome('new iterator', fn () => new PostingListIterator);
outcome('reflection', fn () => (new ReflectionClass(PostingList::class))->newInstanceWithoutConstructor());
outcome('reflection, iterator', fn () => (new ReflectionClass(PostingListIterator::class))->newInstanceWithoutConstructor());
outcome('property', fn () => $list->x = 1);
outcome('unknown property', fn () => @$list->x);
outcome('isset', fn () => isset($list->x));
outcome('change', fn () => $list->__unserialize(PostingList::encode([9])->__serialize()));
outcome('clone of an iterator', fn () => clone $list->getIterator());
var_dump($list, (array) $list, json_encode($list), $list instanceof Countable, $list instanceof IteratorAggregate);
$clone = clone $list;
unset($list);
gc_collect_cycles();
var_dump($clone->toArray());
$class = new ReflectionClass(PostingList::class);
var_dump($class->isFinal(), $class->isCloneable(), $class->isInstantiable(), $class->isIterable());
// The one way to an object without a list: an object in its data, which is unserialized first and refers to it.
class Holder
{
    public static ?PostingList $held;

    public function __unserialize(array $data): void
    {
        self::$held = $data[0];
    }
}
outcome('bad data', fn () => unserialize('O:20:"Postings\PostingList":1:{s:5:"bytes";O:6:"Holder":1:{i:0;r:1;}}'));
$held = Holder::$held;
foreach (['toArray', 'count', 'toBytes', 'toPacked', 'codec', 'getIterator', '__serialize', 'intersect'] as $method) {
    outcome($method, fn () => $held->$method());
}
outcome('contains', fn () => $held->contains(1));
outcome('equals', fn () => $clone->equals($held));
outcome('intersect', fn () => Postings\intersect($clone, $held));
outcome('foreach', function () use ($held) { foreach ($held as $_); });
outcome('==', fn () => $held == $clone);
outcome('clone', fn () => count(clone $held));
var_dump($held);
$held->__unserialize($clone->__serialize());
var_dump($held->toArray() === [1, 2, 3]);
?>
--EXPECTF--
new: Error: Call to private Postings\PostingList::__construct() from %s
new iterator: Error: Call to private Postings\PostingListIterator::__construct() from %s
reflection: ReflectionException: Class Postings\PostingList is an internal class marked as final that cannot be instantiated without invoking its constructor
reflection, iterator: ReflectionException: Class Postings\PostingListIterator is an internal class marked as final that cannot be instantiated without invoking its constructor
property: Error: Cannot create dynamic property Postings\PostingList::$x
unknown property: returned NULL
isset: returned false
change: Error: Postings\PostingList objects cannot be changed
clone of an iterator: Error: Trying to clone an uncloneable object of class Postings\PostingListIterator
object(Postings\PostingList)#%d (0) {
}
array(0) {
}
string(2) "{}"
bool(true)
bool(true)
array(3) {
  [0]=>
  int(1)
  [1]=>
  int(2)
  [2]=>
  int(3)
}
bool(true)
bool(true)
bool(false)
bool(true)
bad data: Postings\CorruptDataException: posting list: serialized data: is not an array with the one string 'bytes'
toArray: Error: Postings\PostingList object has not been initialised
count: Error: Postings\PostingList object has not been initialised
toBytes: Error: Postings\PostingList object has not been initialised
toPacked: Error: Postings\PostingList object has not been initialised
codec: Error: Postings\PostingList object has not been initialised
getIterator: Error: Postings\PostingList object has not been initialised
__serialize: Error: Postings\PostingList object has not been initialised
intersect: Error: Postings\PostingList object has not been initialised
contains: Error: Postings\PostingList object has not been initialised
equals: Error: Postings\PostingList object has not been initialised
intersect: Error: Postings\PostingList object has not been initialised
foreach: Error: Postings\PostingList object has not been initialised
==: returned false
clone: Error: Postings\PostingList object has not been initialised
object(Postings\PostingList)#%d (0) {
}
bool(true)
