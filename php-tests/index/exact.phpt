--TEST--
Integers beyond 2^53 in filters are not rounded; names of fields that no query could use are refused
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

const EXACT = 2 ** 53;
$folder = new_folder();
$writer = IndexWriter::open($folder, ['text' => [], 'number' => ['numeric' => true]]);
outcome('add', fn () => $writer->add('too large', ['number' => EXACT + 1]));
foreach ([-EXACT, 0, EXACT, EXACT * 2.0, 1e300] as $i => $number) {
    $writer->add($i, ['text' => 'a', 'number' => $number]);
}
$writer->commit();
$index = Index::open($folder);
foreach ([
    EXACT, EXACT + 1, EXACT + 2, EXACT * 2, EXACT * 2 + 1, -EXACT, -EXACT - 1, PHP_INT_MAX, PHP_INT_MIN, (float) (EXACT + 1),
    [EXACT, EXACT + 1], [EXACT + 1, EXACT * 2 - 1], [EXACT + 1, EXACT * 2], [null, EXACT + 1], [EXACT + 1, null],
    [-EXACT - 1, 0], [0, PHP_INT_MAX], [PHP_INT_MIN, -1], [PHP_INT_MAX, null],
] as $filter) {
    echo json_encode($filter), ' ', ids($index, '', filter: ['number' => $filter]), "\n";
}
foreach (['-a', '"a', '“a', 'a:b', 'a b', 'a-b', 'a"'] as $name) {
    outcome($name, fn () => array_keys(IndexWriter::open(new_folder(), [$name => []])->fields())[0]);
}
?>
--EXPECT--
add: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'number' must be from -2^53 to 2^53, 9007199254740993 given
9007199254740992 [2]
9007199254740993 []
9007199254740994 []
18014398509481984 [3]
18014398509481985 []
-9007199254740992 [0]
-9007199254740993 []
9223372036854775807 []
-9223372036854775808 []
9007199254740992 [2]
[9007199254740992,9007199254740993] [2]
[9007199254740993,18014398509481983] []
[9007199254740993,18014398509481984] [3]
[null,9007199254740993] [0,1,2]
[9007199254740993,null] [3,4]
[-9007199254740993,0] [0,1]
[0,9223372036854775807] [1,2,3]
[-9223372036854775808,-1] [0]
[9223372036854775807,null] [4]
-a: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the name of the field "-a" must not begin with '-', which excludes words in queries
"a: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the name of the field ""a" must not begin with a quotation mark, which begins a phrase in queries
“a: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the name of the field "“a" must not begin with a quotation mark, which begins a phrase in queries
a:b: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a:b': a name must not be empty and must not contain ':' or white space
a b: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a b': a name must not be empty and must not contain ':' or white space
a-b: returned 'a-b'
a": returned 'a"'
