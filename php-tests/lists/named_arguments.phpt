--TEST--
Named arguments: those of a parameter arrive, unknown ones are refused, in variadic functions too
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{Codec, PostingList, Yioop};

$a = PostingList::encode([1, 2, 3]);
$b = PostingList::encode([2, 3, 4]);
$p = Yioop\pack_posting(1, [1]);
echo json_encode(PostingList::encode(codec: Codec::Simple9, docIds: [7])->toArray()), "\n";
echo json_encode(Postings\intersect(first: $b)), "\n";
outcome('method', fn () => $a->intersect(others: $b));
outcome('method, two', fn () => $a->intersect($b, x: $b));
outcome('method, keys', fn () => call_user_func_array([$a, 'intersect'], ['fox' => $b]));
outcome('method, unpacked', fn () => $a->intersect(...['fox' => $b]));
outcome('intersect', fn () => Postings\intersect($a, rest: $b));
outcome('intersect, keys', fn () => call_user_func_array('Postings\intersect', ['first' => $a, 'x' => $b]));
outcome('intersect_count', fn () => Postings\intersect_count($a, x: $b));
outcome('Yioop', fn () => Yioop\intersect($p, rest: $p));
outcome('Yioop, keys', fn () => call_user_func_array('Postings\Yioop\intersect', ['first' => $p, 'x' => $p]));
// Every variadic function and method there is.
$functions = array_map(fn ($name) => new ReflectionFunction($name), get_extension_funcs('postings'));
foreach ((new ReflectionExtension('postings'))->getClasses() as $class) {
    array_push($functions, ...$class->getMethods());
}
$variadic = array_filter($functions, fn ($function) => $function->isVariadic());
echo implode(', ', array_map(fn ($function) => $function->name, $variadic)), "\n";
outcome('no parameters', fn () => $a->count(x: 1));
outcome('optional', fn () => PostingList::encode([1], kodec: Codec::Simple9));
outcome('option', fn () => PostingList::encode([1], kodec: 1));
outcome('static', fn () => call_user_func_array([PostingList::class, 'fromBytes'], ['string' => '']));
?>
--EXPECT--
[7]
[2,3,4]
method: ArgumentCountError: Postings\PostingList::intersect() does not accept unknown named parameters
method, two: ArgumentCountError: Postings\PostingList::intersect() does not accept unknown named parameters
method, keys: ArgumentCountError: Postings\PostingList::intersect() does not accept unknown named parameters
method, unpacked: ArgumentCountError: Postings\PostingList::intersect() does not accept unknown named parameters
intersect: ArgumentCountError: Postings\intersect() does not accept unknown named parameters
intersect, keys: ArgumentCountError: Postings\intersect() does not accept unknown named parameters
intersect_count: ArgumentCountError: Postings\intersect_count() does not accept unknown named parameters
Yioop: ArgumentCountError: Postings\Yioop\intersect() does not accept unknown named parameters
Yioop, keys: ArgumentCountError: Postings\Yioop\intersect() does not accept unknown named parameters
Postings\intersect, Postings\intersect_count, Postings\Yioop\intersect, encode, intersect, intersectList, any, all, ids, sum
no parameters: Error: Unknown named parameter $x
optional: TypeError: Postings\PostingList::encode(): Argument #3 must have numbers only, Postings\Codec given as 'kodec'
option: ValueError: Postings\PostingList::encode(): Argument #3 cannot be used: qs has no option 'kodec' (it has: c)
static: Error: Unknown named parameter $string
