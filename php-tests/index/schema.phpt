--TEST--
New fields on an index that exists, several kinds of one value, fields that are only stored, values as they came
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

enum Size: string
{
    case Large = 'L';
}
enum Level: int
{
    case Top = 3;
}
enum Plain
{
    case Case;
}
class Shown
{
    public function __toString(): string
    {
        return 'shown text';
    }
}

echo "growth\n";
$folder = new_folder();
$old = ['title' => ['stored' => true], 'brand' => ['keyword' => true]];
$writer = IndexWriter::open($folder, $old);
$writer->add('a', ['title' => 'red shoe', 'brand' => 'Acme']);
$writer->commit();
$writer->close();
$new = ['title' => ['weight' => 2, 'stored' => true]] + $old + [
    'year' => ['weight' => 1, 'keyword' => true, 'numeric' => true, 'stored' => true],
    'price' => ['numeric' => true, 'stored' => true],
    'raw' => ['stored' => true, 'indexed' => false],
];
$index = Index::open($folder);
$writer = IndexWriter::open($folder, $new);
echo json_encode($writer->fields()), "\n";
$writer->add('b', ['title' => 'blue shoe', 'brand' => 'Best', 'year' => 2020, 'price' => 10, 'raw' => ['any', 1, 2.5, true]]);
$writer->add('c', ['title' => 'blue boot', 'year' => 2021, 'price' => 9.5, 'raw' => 'text']);
$writer->commit();
outcome('before', fn () => [count($index), array_keys($index->fields()), $index->reload(), count($index)]);
outcome('same', fn () => $index->fields() === $writer->fields());
foreach (['old and new', 'merged'] as $state) {
    echo "$state: ", ids($index, 'shoe'), ids($index, 'year:2020'), ids($index, '2020'), ids($index, '', filter: ['year' => '2020']), ids($index, '', filter: ['year' => 2021]),
        ids($index, '', filter: ['year' => [2020, null]]), ids($index, '', filter: ['year' => ['2021', '2020']]), ids($index, '', sort: ['year' => 'desc']), ids($index, '', sort: ['price' => 'asc']),
        ids($index, 'any'), json_encode($index->facets('year')), json_encode($index->terms('', 'brand')), "\n";
    foreach (['a', 'b', 'c'] as $id) {
        echo "  ", json_encode($index->stored($id), JSON_PRESERVE_ZERO_FRACTION), "\n";
    }
    $writer->optimize();
    $index->reload();
}
outcome('filter by what is only stored', fn () => $index->search('', filter: ['raw' => 'x']));
outcome('filter by text', fn () => $index->search('', filter: ['title' => 'x']));
$writer->close();
$opened = fn (array $fields) => fn () => array_keys(IndexWriter::open($folder, $fields)->fields());
outcome('the same', $opened($new));
$why = function (string $what, array $fields) use ($folder): void {
    try {
        IndexWriter::open($folder, $fields)->close();
        echo "$what: opened\n";
    } catch (ValueError $e) {
        echo "$what: ", preg_replace('/^.*was created otherwise: (.*?)\. Open it.*$/', '$1', $e->getMessage()), "\n";
    }
};
$why('removed', $old);
$why('another kind', ['brand' => ['numeric' => true]] + $new);
$why('one kind more', ['year' => ['keyword' => true, 'numeric' => true]] + $new);
$why('not kept', ['price' => ['numeric' => true]] + $new);
$why('in front', ['zero' => []] + $new);
$why('behind', $new + ['more' => []]);
$writer = IndexWriter::open($folder, ['zero' => []] + array_reverse($new));
$writer->add('d', ['zero' => 'nought', 'title' => 'green boot', 'price' => 3]);
$writer->commit();
$index->reload();
echo 'any order: ', implode(' ', array_keys($writer->fields())), ids($index, 'nought boot'), ids($index, '', filter: ['price' => 3]), "\n";
$writer->close();

echo "declared\n";
foreach ([
    ['text' => true], ['text' => false, 'keyword' => true], ['text' => true, 'keyword' => true], ['keyword' => true, 'numeric' => true], ['indexed' => true, 'weight' => 2],
    ['text' => false], ['indexed' => false], ['indexed' => false, 'stored' => true, 'keyword' => true], ['text' => false, 'weight' => 2], ['indexed' => 1],
] as $options) {
    outcome(json_encode($options), fn () => json_encode(IndexWriter::open(new_folder(), ['f' => $options])->fields()['f']));
}

echo "values\n";
$writer = IndexWriter::open($folder = new_folder(), [
    'text' => ['stored' => true], 'tag' => ['keyword' => true, 'stored' => true], 'number' => ['numeric' => true, 'stored' => true],
    'both' => ['keyword' => true, 'numeric' => true, 'stored' => true], 'kept' => ['stored' => true, 'indexed' => false],
]);
$moment = new DateTimeImmutable('2024-05-06T07:08:09.5+02:00');
$writer->addAll([
    'ints' => ['text' => 2020, 'tag' => 7, 'number' => 2020, 'both' => -1, 'kept' => PHP_INT_MAX],
    'floats' => ['text' => 2.5, 'tag' => 0.1, 'number' => 2020.0, 'both' => 1e20, 'kept' => -0.5],
    'truths' => ['tag' => true, 'number' => false, 'both' => true, 'kept' => false],
    'lists' => ['text' => ['one two', 'two three'], 'tag' => ['x', 5, 1.5, false], 'kept' => [1, 'a']],
    'times' => ['text' => $moment, 'tag' => new DateTime('2024-05-06 00:00 UTC'), 'number' => $moment, 'both' => $moment],
    'objects' => ['text' => new Shown(), 'tag' => Size::Large, 'number' => Level::Top, 'both' => Level::Top, 'kept' => new Shown()],
    'strings' => ['text' => 'x', 'tag' => 'Any', 'kept' => ''],
]);
$writer->commit();
$index = Index::open($folder);
foreach ($index->search('', limit: 20) as $hit) {
    echo $hit->id, ' ', serialize($hit->fields) === serialize($index->stored($hit->id)) ? '' : '?', json_encode($hit->fields, JSON_PRESERVE_ZERO_FRACTION), "\n";
}
echo ids($index, '', filter: ['tag' => '7']), ids($index, '', filter: ['tag' => true]), ids($index, '', filter: ['tag' => ['5', 'L']]), ids($index, '', filter: ['tag' => '2024-05-06T00:00:00+00:00']),
    ids($index, '', filter: ['number' => [$moment->getTimestamp(), null]]), ids($index, '', filter: ['number' => 0]), ids($index, '', filter: ['both' => 1]), ids($index, '', filter: ['both' => 'true']), "\n";
echo ids($index, '"one two"'), ids($index, '"two two"'), ids($index, 'three one'), ids($index, '2020'), ids($index, '"shown text"'), "\n";
foreach ([['number' => 'abc'], ['both' => 'abc'], ['both' => ['1']], ['text' => true], ['tag' => Plain::Case], ['tag' => [[1]]], ['kept' => [null]], ['kept' => NAN], ['number' => INF], ['both' => 2 ** 60], ['text' => new stdClass()]] as $document) {
    outcome(array_key_first($document), fn () => $writer->add('x', $document));
}
?>
--EXPECT--
growth
{"title":{"weight":2,"stored":true},"brand":{"keyword":true},"year":{"weight":1,"keyword":true,"numeric":true,"stored":true},"price":{"numeric":true,"stored":true},"raw":{"indexed":false,"stored":true}}
before: returned array (
  0 => 1,
  1 => 
  array (
    0 => 'title',
    1 => 'brand',
  ),
  2 => true,
  3 => 3,
)
same: returned true
old and new: ["a","b"]["b"]["b"]["b"]["c"]["b","c"]["b","c"]["c","b","a"]["c","b","a"][]{"2020":1,"2021":1}{"Acme":1,"Best":1}
  {"title":"red shoe"}
  {"title":"blue shoe","year":2020,"price":10,"raw":["any",1,2.5,true]}
  {"title":"blue boot","year":2021,"price":9.5,"raw":"text"}
merged: ["a","b"]["b"]["b"]["b"]["c"]["b","c"]["b","c"]["c","b","a"]["c","b","a"][]{"2020":1,"2021":1}{"Acme":1,"Best":1}
  {"title":"red shoe"}
  {"title":"blue shoe","year":2020,"price":10,"raw":["any",1,2.5,true]}
  {"title":"blue boot","year":2021,"price":9.5,"raw":"text"}
filter by what is only stored: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'raw': is only stored; filters need a keyword or numeric field
filter by text: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'title': is text; filters need a keyword or numeric field
the same: returned array (
  0 => 'title',
  1 => 'brand',
  2 => 'year',
  3 => 'price',
  4 => 'raw',
)
removed: it has a field "year"; it has a field "price"; it has a field "raw"
another kind: field "brand" is Keyword, not Numeric
one kind more: field "year" is Text and Keyword and Numeric, not Keyword and Numeric; field "year" is stored
not kept: field "price" is stored
in front: opened
behind: opened
any order: title brand year price raw zero["d"]["d"]
declared
{"text":true}: returned '{"weight":1}'
{"text":false,"keyword":true}: returned '{"keyword":true}'
{"text":true,"keyword":true}: returned '{"weight":1,"keyword":true}'
{"keyword":true,"numeric":true}: returned '{"keyword":true,"numeric":true}'
{"indexed":true,"weight":2}: returned '{"weight":2}'
{"text":false}: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': it must be text, keyword, numeric or geo, or have 'stored' => true and 'indexed' => false
{"indexed":false}: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': it is neither indexed nor stored
{"indexed":false,"stored":true,"keyword":true}: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': it cannot be text, keyword, numeric or geo without being indexed
{"text":false,"weight":2}: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': only text has a weight: keywords and numbers are not scored
{"indexed":1}: TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': 'indexed' must be bool, int given
values
ints {"text":2020,"tag":7,"number":2020,"both":-1,"kept":9223372036854775807}
floats {"text":2.5,"tag":0.1,"number":2020.0,"both":1.0e+20,"kept":-0.5}
truths {"tag":true,"number":false,"both":true,"kept":false}
lists {"text":["one two","two three"],"tag":["x",5,1.5,false],"kept":[1,"a"]}
times {"text":"2024-05-06T07:08:09.500000+02:00","tag":"2024-05-06T00:00:00+00:00","number":1714972089.5,"both":"2024-05-06T07:08:09.500000+02:00"}
objects {"text":"shown text","tag":"L","number":3,"both":3,"kept":"shown text"}
strings {"text":"x","tag":"Any","kept":""}
["ints"]["truths"]["lists","objects"]["times"]["times"]["truths"]["truths"]["truths"]
["lists"][]["lists"]["ints"]["objects"]
number: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'number' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, string given
both: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'both' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, string given
both: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'both' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, string given
text: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'text' must be string|Stringable|int|float|DateTimeInterface|null, or a list of string|int|float, bool given
tag: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'tag' must be string|Stringable|int|float|bool|DateTimeInterface|null, or a list of string|int|float|bool, Plain given
tag: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'tag' must be string|Stringable|int|float|bool|DateTimeInterface|null, or a list of string|int|float|bool, array given
kept: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'kept' must be string|Stringable|int|float|bool|DateTimeInterface|null, or a list of string|int|float|bool, null given
kept: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'kept' must be finite, NAN given
number: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'number' must be finite, INF given
both: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'both' must be from -2^53 to 2^53, 1152921504606846976 given
text: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'text' must be string|Stringable|int|float|DateTimeInterface|null, or a list of string|int|float, stdClass given
