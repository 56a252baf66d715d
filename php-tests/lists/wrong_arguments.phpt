--TEST--
Arguments of wrong types and counts: PHP's own words; null, weak and strict types
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\PostingList;

$list = PostingList::encode([1, 2, 3]);
outcome('codec', fn () => PostingList::encode([1], 'qs'));
outcome('no docIds', fn () => PostingList::encode());
outcome('bytes', fn () => PostingList::fromBytes([]));
outcome('too many', fn () => $list->count(1));
outcome('contains', fn () => $list->contains('x'));
outcome('contains, weak', fn () => $list->contains('2'));
outcome('next', fn () => $list->nextGreaterOrEqual([]));
outcome('equals', fn () => $list->equals(new stdClass));
outcome('method intersect', fn () => $list->intersect($list, 5));
outcome('intersect', fn () => Postings\intersect());
outcome('intersect first', fn () => Postings\intersect([]));
outcome('intersect rest', fn () => Postings\intersect($list, null));
outcome('intersect_count', fn () => Postings\intersect_count($list, 'x'));
outcome('batch', fn () => Postings\intersect_batch('x'));
outcome('batch query', fn () => Postings\intersect_batch([[$list], $list]));
outcome('batch list', fn () => Postings\intersect_batch(['a' => [$list], 'b' => [$list, 3]]));
outcome('simple9_decode', fn () => Postings\simple9_decode(new stdClass));
outcome('qs_encode c', fn () => Postings\qs_encode([1], 'x'));
outcome('qs_encode c = 0', fn () => Postings\qs_encode([1], 0));
outcome('qs_encode c = -1', fn () => Postings\qs_encode([1], -1.0));
outcome('qs_encode c = INF', fn () => Postings\qs_encode([1], INF));
outcome('qs_encode c = NAN', fn () => Postings\qs_encode([1], NAN));
outcome('devices', fn () => Postings\devices(1));
outcome('stats', fn () => Postings\stats(1));
outcome('doc_indexes', fn () => Postings\Yioop\doc_indexes([]));
outcome('pack_posting', fn () => Postings\Yioop\pack_posting(1, 'x'));
outcome('Yioop intersect', fn () => Postings\Yioop\intersect('', []));
outcome('unknown name', fn () => $list->contains(id: 1));
?>
--EXPECT--
codec: TypeError: Postings\PostingList::encode(): Argument #2 ($codec) must be of type Postings\Codec, string given
no docIds: ArgumentCountError: Postings\PostingList::encode() expects at least 1 argument, 0 given
bytes: TypeError: Postings\PostingList::fromBytes(): Argument #1 ($bytes) must be of type string, array given
too many: ArgumentCountError: Postings\PostingList::count() expects exactly 0 arguments, 1 given
contains: TypeError: Postings\PostingList::contains(): Argument #1 ($docId) must be of type int, string given
contains, weak: returned true
next: TypeError: Postings\PostingList::nextGreaterOrEqual(): Argument #1 ($docId) must be of type int, array given
equals: TypeError: Postings\PostingList::equals(): Argument #1 ($other) must be of type Postings\PostingList, stdClass given
method intersect: TypeError: Postings\PostingList::intersect(): Argument #2 must be of type Postings\PostingList, int given
intersect: ArgumentCountError: Postings\intersect() expects at least 1 argument, 0 given
intersect first: TypeError: Postings\intersect(): Argument #1 ($first) must be of type Postings\PostingList, array given
intersect rest: TypeError: Postings\intersect(): Argument #2 must be of type Postings\PostingList, null given
intersect_count: TypeError: Postings\intersect_count(): Argument #2 must be of type Postings\PostingList, string given
batch: TypeError: Postings\intersect_batch(): Argument #1 ($queries) must be of type array, string given
batch query: TypeError: Postings\intersect_batch(): Argument #1 ($queries) must contain only arrays of Postings\PostingList, Postings\PostingList given as query 1
batch list: TypeError: Postings\intersect_batch(): Argument #1 ($queries) must contain only arrays of Postings\PostingList, int given at index 1 of query 1
simple9_decode: TypeError: Postings\simple9_decode(): Argument #1 ($words) must be of type string, stdClass given
qs_encode c: TypeError: Postings\qs_encode(): Argument #2 ($c) must be of type float, string given
qs_encode c = 0: ValueError: Postings\qs_encode(): Argument #2 ($c) must be a finite number greater than 0
qs_encode c = -1: ValueError: Postings\qs_encode(): Argument #2 ($c) must be a finite number greater than 0
qs_encode c = INF: ValueError: Postings\qs_encode(): Argument #2 ($c) must be a finite number greater than 0
qs_encode c = NAN: ValueError: Postings\qs_encode(): Argument #2 ($c) must be a finite number greater than 0
devices: ArgumentCountError: Postings\devices() expects exactly 0 arguments, 1 given
stats: ArgumentCountError: Postings\stats() expects exactly 0 arguments, 1 given
doc_indexes: TypeError: Postings\Yioop\doc_indexes(): Argument #1 ($postings) must be of type string, array given
pack_posting: TypeError: Postings\Yioop\pack_posting(): Argument #2 ($positions) must be of type array, string given
Yioop intersect: TypeError: Postings\Yioop\intersect(): Argument #2 must be of type string, array given
unknown name: Error: Unknown named parameter $id
