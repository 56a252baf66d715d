--TEST--
A result of more docIDs than an array of PHP can hold is an Error that says so
--INI--
memory_limit=1G
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
// 28 gaps of 1 a word: 2^30 + 20 docIDs.
$words = str_repeat("\x90\0\0\0", intdiv(1 << 30, 28) + 1);
outcome('simple9_decode', fn () => Postings\simple9_decode($words));
?>
--EXPECT--
simple9_decode: Error: a result of 1073741844 elements is too long: an array of PHP holds at most 1073741824
