--TEST--
With strict_types, string parameters take strings only, as PHP's own do
--FILE--
<?php
declare(strict_types=1);
require __DIR__ . '/../helpers.inc';
use Postings\Yioop;

foreach ([5, 1.5, true, null] as $value) {
    $name = json_encode($value);
    outcome("doc_indexes($name)", fn () => Yioop\doc_indexes($value));
    outcome("intersect($name)", fn () => Yioop\intersect($value));
    outcome("intersect('', $name)", fn () => Yioop\intersect('', $value));
}
?>
--EXPECTF--
doc_indexes(5): TypeError: Postings\Yioop\doc_indexes(): Argument #1 ($postings) must be of type string, int given
intersect(5): TypeError: Postings\Yioop\intersect(): Argument #1 ($first) must be of type string, int given
intersect('', 5): TypeError: Postings\Yioop\intersect(): Argument #2 must be of type string, int given
doc_indexes(1.5): TypeError: Postings\Yioop\doc_indexes(): Argument #1 ($postings) must be of type string, float given
intersect(1.5): TypeError: Postings\Yioop\intersect(): Argument #1 ($first) must be of type string, float given
intersect('', 1.5): TypeError: Postings\Yioop\intersect(): Argument #2 must be of type string, float given
doc_indexes(true): TypeError: Postings\Yioop\doc_indexes(): Argument #1 ($postings) must be of type string, %r(bool|true)%r given
intersect(true): TypeError: Postings\Yioop\intersect(): Argument #1 ($first) must be of type string, %r(bool|true)%r given
intersect('', true): TypeError: Postings\Yioop\intersect(): Argument #2 must be of type string, %r(bool|true)%r given
doc_indexes(null): TypeError: Postings\Yioop\doc_indexes(): Argument #1 ($postings) must be of type string, null given
intersect(null): TypeError: Postings\Yioop\intersect(): Argument #1 ($first) must be of type string, null given
intersect('', null): TypeError: Postings\Yioop\intersect(): Argument #2 must be of type string, null given
