--TEST--
PostingList::encode(): options of codecs by name, options(), and Codec::Auto
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{Codec, PostingList};

$docIds = doc_ids(1000, 40);
$list = PostingList::encode($docIds, Codec::QuasiSuccinct, c: 4.0);
var_dump($list->options(), $list->toArray() === $docIds);
var_dump(PostingList::fromBytes($list->toBytes())->options());
var_dump(PostingList::encode($docIds, c: 1)->toBytes() === PostingList::encode($docIds)->toBytes());
var_dump(PostingList::encode(c: 2, docIds: $docIds)->options());
var_dump(PostingList::encode($docIds, Codec::Simple9)->options());
// Whatever the codec: a list is made again from what options() returns, but for what the codec chose.
foreach (codecs() as $codec) {
    $one = PostingList::encode($docIds, $codec);
    $again = PostingList::encode($docIds, $codec, ...array_filter($one->options(), fn ($value) => $value !== null));
    if ($again->toBytes() !== $one->toBytes()) {
        echo "wrong: $codec->name\n";
    }
}
outcome('unknown', fn () => PostingList::encode([1], Codec::QuasiSuccinct, d: 1));
outcome('none', fn () => PostingList::encode([1], Codec::Simple9, c: 1));
outcome('range', fn () => PostingList::encode([1], c: -1));
outcome('NAN', fn () => PostingList::encode([1], c: NAN));
outcome('too small', fn () => count(PostingList::encode([4000000000], c: 0.001)));
outcome('string', fn () => PostingList::encode([1], c: '1'));
outcome('null', fn () => PostingList::encode([1], c: null));
outcome('position', fn () => PostingList::encode([1], Codec::QuasiSuccinct, 2.0));
outcome('Auto', fn () => PostingList::encode([1], Codec::Auto, c: 2.0));

$auto = PostingList::encode($docIds, Codec::Auto);
var_dump($auto->toArray() === $docIds, $auto->codec() !== Codec::Auto);
foreach (codecs() as $codec) {
    if ($codec === $auto->codec() && $auto->toBytes() !== PostingList::encode($docIds, $codec)->toBytes()) {
        echo "wrong\n";
    }
}
var_dump(strlen($auto->toBytes()) <= strlen(PostingList::encode($docIds)->toBytes()));
?>
--EXPECT--
array(1) {
  ["c"]=>
  float(4)
}
bool(true)
array(1) {
  ["c"]=>
  float(4)
}
bool(true)
array(1) {
  ["c"]=>
  float(2)
}
array(0) {
}
unknown: ValueError: Postings\PostingList::encode(): Argument #3 cannot be used: qs has no option 'd' (it has: c)
none: ValueError: Postings\PostingList::encode(): Argument #3 cannot be used: simple9 has no option 'c' (it has: none)
range: ValueError: Postings\PostingList::encode(): Argument #3 cannot be used: qs: option 'c' must be a number from 0.0009765625 to 1024, -1 given
NAN: ValueError: Postings\PostingList::encode(): Argument #3 cannot be used: qs: option 'c' must be a number from 0.0009765625 to 1024, NaN given
too small: returned 1
string: TypeError: Postings\PostingList::encode(): Argument #3 must have numbers only, string given as 'c'
null: TypeError: Postings\PostingList::encode(): Argument #3 must have numbers only, null given as 'c'
position: ArgumentCountError: Postings\PostingList::encode() expects at most 2 arguments, 3 given
Auto: ValueError: Postings\PostingList::encode(): Argument #3 cannot be used: auto has no option 'c' (it has: none)
bool(true)
bool(true)
bool(true)
