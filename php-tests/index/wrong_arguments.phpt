--TEST--
Wrong arguments throw, and name the field
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Analyzer, Codec, Index, IndexWriter};

$folder = new_folder();
/** As outcome(), without what differs from machine to machine. */
function refused(string $what, callable $f): void
{
    try {
        $result = var_export($f(), true);
        echo "$what: returned $result\n";
    } catch (Throwable $e) {
        $message = str_replace([$GLOBALS['folder'], getcwd()], ['FOLDER', 'CWD'], $e->getMessage());
        echo "$what: ", get_class($e), ': ', preg_replace('/there are arabic.*/', 'there are …', $message), "\n";
    }
}
$open = fn (mixed ...$arguments) => fn () => IndexWriter::open($folder, ...$arguments);
refused('no index', $open());
refused('no fields', $open([]));
refused('256 fields', $open(array_fill_keys(array_map(fn ($i) => "f$i", range(1, 256)), [])));
foreach (['' => [], 'a:b' => [], 'a b' => [], "\xff" => [], 'a' => 'text', 'b' => ['wieght' => 1], 'c' => ['weight' => 0], 'd' => ['weight' => -1], 'e' => ['weight' => NAN], 'f' => ['weight' => INF],
    'g' => ['weight' => 1e-60], 'h' => ['weight' => '3'], 'i' => ['keyword' => 1], 'j' => ['text' => false], 'k' => ['text' => false, 'keyword' => true, 'weight' => 2], 'l' => ['indexed' => false]] as $name => $options) {
    refused('field', $open([$name => $options]));
}
refused('list of names', $open(['title', 'body']));
refused('memory', $open(['a' => []], memory: 1000));
refused('threads', $open(['a' => []], threads: 0));
refused('threads', $open(['a' => []], threads: 257));
refused('analyzer', $open(['a' => []], 'english'));
refused('nothing was created', fn () => is_dir($folder));
refused('path', fn () => IndexWriter::open("a\0b", ['a' => []]));
refused('path', fn () => IndexWriter::open('/dev/null/index', ['a' => []]));
refused('path', fn () => Index::open('/dev/null/index'));
refused('stream', fn () => Index::open('php://memory'));
refused('no analyzer', fn () => new Analyzer('klingonisch', stopWords: 1));

$index = catalogue($folder);
$writer = IndexWriter::open($folder);
foreach ([
    [1.5, 'text'], [null, 'text'], [true, 'text'], [new ArrayObject(), 'text'], [1, 5], [1, null], [1, ['tittle' => 'x']], [1, [5 => 'x']],
    [1, ['title' => true]], [1, ['title' => [[]]]], [1, ['title' => new ArrayObject()]], [1, ['lang' => new ArrayObject()]], [1, ['lang' => ['en', null]]], [1, ['lang' => str_repeat('x', 1001)]],
    [1, ['price' => '10']], [1, ['price' => new ArrayObject()]], [1, ['price' => NAN]], [1, ['price' => -INF]], [1, ['price' => 2 ** 53 + 1]], [1, ['price' => PHP_INT_MIN]], [1, ['price' => ['1']]],
] as [$id, $document]) {
    refused('add', fn () => $writer->add($id, $document));
}
foreach ([['title' => 'text'], ['title' => [1.5]], ['title' => [['x']]], 'text', ['nosuch' => []]] as $document) {
    refused('addTokens', fn () => $writer->addTokens(1, $document));
}
refused('addAll', fn () => $writer->addAll(['a' => ['price' => 1], 'b' => ['price' => 'x']]));
refused('addAll', fn () => $writer->addAll('text'));
refused('addAll', fn () => $writer->addAll(new stdClass));
refused('addAll', fn () => $writer->addAll((function () { yield 1.5 => 'x'; })()));
refused('addAll', fn () => $writer->addAll([], 'no_such_function'));
refused('delete', fn () => $writer->delete(1.0));
$writer->rollback();

foreach ([
    ['limit' => -1], ['offset' => -1], ['limit' => '10 pages'], ['matching' => 'most'], ['matching' => 1], ['matching' => null], ['matching' => Codec::Simple9],
    ['filter' => ['nosuch' => 1]], ['filter' => ['title' => 'x']], ['filter' => ['lang' => 1.5]], ['filter' => ['lang' => [null]]], ['filter' => ['lang' => null]], ['filter' => ['price' => 'x']],
    ['filter' => ['price' => [1]]], ['filter' => ['price' => [1, 2, 3]]], ['filter' => ['price' => ['min' => 1, 'max' => 2]]], ['filter' => ['price' => [1, '2']]], ['filter' => ['price' => NAN]], ['filter' => ['price' => [NAN, 1]]], ['filter' => 'x'],
    ['sort' => ['nosuch' => 'asc']], ['sort' => ['title' => 'asc']], ['sort' => ['price' => 'up']], ['sort' => ['price' => 1]], ['sort' => ['price']],
    ['weights' => ['nosuch' => 1]], ['weights' => ['price' => 1]], ['weights' => ['title' => -1]], ['weights' => ['title' => NAN]], ['weights' => ['title' => 1e300]], ['weights' => ['title' => '1']],
    ['k1' => -0.1], ['k1' => NAN], ['k1' => INF], ['k1' => 1e300], ['b' => -0.1], ['b' => 1.1], ['b' => NAN],
] as $arguments) {
    refused('search', fn () => $index->search('x', ...$arguments));
}
refused('searchBatch', fn () => $index->searchBatch(['x', 5]));
refused('searchBatch', fn () => $index->searchBatch('x'));
refused('count', fn () => $index->count('x', filter: ['nosuch' => 1]));
refused('facets', fn () => $index->facets('title'));
refused('facets', fn () => $index->facets('nosuch'));
refused('facets', fn () => $index->facets('lang', limit: -1));
refused('suggest', fn () => $index->suggest('x', field: 'lang'));
refused('suggest', fn () => $index->suggest('x', -1));
refused('terms', fn () => $index->terms('x', 'price'));
refused('postings', fn () => $index->postings('x', 'price'));
refused('explain', fn () => $index->explain('x', 1.5));
refused('snippet', fn () => $index->snippet('x', 'y', -1));
refused('docId', fn () => $index->docId(null));
refused('unknown docIDs', fn () => [$index->id(-1), $index->id(6), $index->id(PHP_INT_MAX), $index->docId('nosuch')]);
refused('change a hit', function () use ($index) { $index->search('')[0]->id = 1; });
refused('change hits', function () use ($index) { $index->search('')[0] = 1; });
refused('unset', function () use ($index) { $hits = $index->search(''); unset($hits[0]); });
refused('change total', function () use ($index) { $index->search('')->total = 1; });
refused('new property', function () use ($index) { $index->search('')->other = 1; });
?>
--EXPECT--
no index: Postings\IndexException: FOLDER: there is no index: to create one, say which fields it has
no fields: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) must have 1 to 255 fields, 0 given
256 fields: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) must have 1 to 255 fields, 256 given
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field '': a name must not be empty and must not contain ':' or white space
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a:b': a name must not be empty and must not contain ':' or white space
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a b': a name must not be empty and must not contain ':' or white space
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field '�': a name must be UTF-8
field: TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a': the options must be an array, string given
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'b': no option 'wieght': there are weight, analyzer, text, keyword, numeric, geo, vector, metric, clusters, weights, bits, stored and indexed
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'c': 'weight' must be a number from 0.001 to 1000, 0 given
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'd': 'weight' must be a number from 0.001 to 1000, -1 given
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'weight' must be a number from 0.001 to 1000, NAN given
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': 'weight' must be a number from 0.001 to 1000, INF given
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'g': 'weight' must be a number from 0.001 to 1000, 1E-60 given
field: TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'h': 'weight' must be int|float, string given
field: TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'i': 'keyword' must be bool, int given
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'j': it must be text, keyword, numeric or geo, or have 'stored' => true and 'indexed' => false
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'k': only text has a weight: keywords and numbers are not scored
field: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'l': it is neither indexed nor stored
list of names: TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field '0': the options must be an array, string given
memory: ValueError: Postings\IndexWriter::open(): Argument #5 ($memory) must be at least 16777216 (16 MiB), 1000 given
threads: ValueError: Postings\IndexWriter::open(): Argument #6 ($threads) must be from 1 to 256, 0 given
threads: ValueError: Postings\IndexWriter::open(): Argument #6 ($threads) must be from 1 to 256, 257 given
analyzer: TypeError: Postings\IndexWriter::open(): Argument #3 ($analyzer) must be of type ?Postings\Analyzer, string given
nothing was created: returned false
path: ValueError: Postings\IndexWriter::open(): Argument #1 ($path) must not contain any null bytes
path: Postings\IndexException: /dev/null/index: Not a directory (os error 20)
path: Postings\IndexException: /dev/null/index: Not a directory (os error 20)
stream: Postings\IndexException: CWD/php:/memory: No such file or directory (os error 2)
no analyzer: ValueError: Postings\Analyzer::__construct(): Argument #1 ($language) cannot be used: no stemmer for the language "klingonisch"; there are …
add: TypeError: Postings\IndexWriter::add(): Argument #1 ($id) must be of type int|string, float given
add: TypeError: Postings\IndexWriter::add(): Argument #1 ($id) must be of type int|string, null given
add: TypeError: Postings\IndexWriter::add(): Argument #1 ($id) must be of type int|string, bool given
add: TypeError: Postings\IndexWriter::add(): Argument #1 ($id) must be of type int|string, ArrayObject given
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) must be of type array|string, int given
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) must be of type array|string, null given
add: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'tittle': there is none, only 'title', 'body', 'lang', 'price'
add: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field '5': there is none, only 'title', 'body', 'lang', 'price'
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'title' must be string|Stringable|int|float|DateTimeInterface|null, or a list of string|int|float, bool given
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'title' must be string|Stringable|int|float|DateTimeInterface|null, or a list of string|int|float, array given
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'title' must be string|Stringable|int|float|DateTimeInterface|null, or a list of string|int|float, ArrayObject given
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'lang' must be string|Stringable|int|float|bool|DateTimeInterface|null, or a list of string|int|float|bool, ArrayObject given
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'lang' must be string|Stringable|int|float|bool|DateTimeInterface|null, or a list of string|int|float|bool, null given
add: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) cannot be added: field lang: a keyword of 1001 bytes; the longest may have 1000
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'price' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, string given
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'price' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, ArrayObject given
add: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'price' must be finite, NAN given
add: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'price' must be finite, -INF given
add: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'price' must be from -2^53 to 2^53, 9007199254740993 given
add: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'price' must be from -2^53 to 2^53, -9223372036854775808 given
add: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'price' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, string given
addTokens: TypeError: Postings\IndexWriter::addTokens(): Argument #2 ($document) field 'title' must be a list of string|int, string given
addTokens: TypeError: Postings\IndexWriter::addTokens(): Argument #2 ($document) field 'title' must be a list of string|int, float given
addTokens: TypeError: Postings\IndexWriter::addTokens(): Argument #2 ($document) field 'title' must be a list of string|int, array given
addTokens: TypeError: Postings\IndexWriter::addTokens(): Argument #2 ($document) must be of type array, string given
addTokens: ValueError: Postings\IndexWriter::addTokens(): Argument #2 ($document) field 'nosuch': there is none, only 'title', 'body', 'lang', 'price'
addAll: TypeError: Postings\IndexWriter::addAll(): Argument #1 ($documents) document 'b': field 'price' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, string given
addAll: TypeError: Postings\IndexWriter::addAll(): Argument #1 ($documents) must be of type Traversable|array, string given
addAll: TypeError: Postings\IndexWriter::addAll(): Argument #1 ($documents) must be of type Traversable|array, stdClass given
addAll: TypeError: Postings\IndexWriter::addAll(): Argument #1 ($documents) must have only int|string as keys, float given
addAll: TypeError: Postings\IndexWriter::addAll(): Argument #2 ($progress) must be a valid callback or null, string given
delete: TypeError: Postings\IndexWriter::delete(): Argument #1 ($id) must be of type int|string, float given
search: ValueError: Postings\Index::search(): Argument #2 ($limit) must not be negative, -1 given
search: ValueError: Postings\Index::search(): Argument #3 ($offset) must not be negative, -1 given
search: TypeError: Postings\Index::search(): Argument #2 ($limit) must be of type int, string given
search: ValueError: Postings\Index::search(): Argument #4 ($matching) must be 'all', 'any' or 'all-then-any', 'most' given
search: TypeError: Postings\Index::search(): Argument #4 ($matching) must be of type Postings\Matching|string, int given
search: TypeError: Postings\Index::search(): Argument #4 ($matching) must be of type Postings\Matching|string, null given
search: TypeError: Postings\Index::search(): Argument #4 ($matching) must be of type Postings\Matching|string, Postings\Codec given
search: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'nosuch': there is none, only 'title', 'body', 'lang', 'price'
search: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'title': is text; filters need a keyword or numeric field
search: TypeError: Postings\Index::search(): Argument #5 ($filter) field 'lang': must be string|int, or a list of them, float given
search: TypeError: Postings\Index::search(): Argument #5 ($filter) field 'lang': must be string|int, or a list of them, null given
search: TypeError: Postings\Index::search(): Argument #5 ($filter) field 'lang': must be string|int, or a list of them, null given
search: TypeError: Postings\Index::search(): Argument #5 ($filter) field 'price': must be int|float, or [lowest, highest] with null for none, string given
search: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'price': must be int|float, or [lowest, highest] with null for none, an array of another form given; Filter::is() takes alternatives
search: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'price': must be int|float, or [lowest, highest] with null for none, an array of another form given; Filter::is() takes alternatives
search: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'price': must be int|float, or [lowest, highest] with null for none, an array of another form given; Filter::is() takes alternatives
search: TypeError: Postings\Index::search(): Argument #5 ($filter) field 'price': must be int|float, or [lowest, highest] with null for none, string given
search: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'price': must be int|float, or [lowest, highest] with null for none, NAN given
search: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'price': must be int|float, or [lowest, highest] with null for none, NAN given
search: TypeError: Postings\Index::search(): Argument #5 ($filter) must be of type array, string given
search: ValueError: Postings\Index::search(): Argument #6 ($sort) field 'nosuch': there is none, only 'title', 'body', 'lang', 'price'
search: ValueError: Postings\Index::search(): Argument #6 ($sort) field 'title': is text; hits are sorted by numeric and keyword fields, distances, ':score' and ':id'
search: ValueError: Postings\Index::search(): Argument #6 ($sort) field 'price': must be 'asc' or 'desc', 'up' given
search: TypeError: Postings\Index::search(): Argument #6 ($sort) field 'price': must be 'asc' or 'desc', int given
search: ValueError: Postings\Index::search(): Argument #6 ($sort) field '0': there is none, only 'title', 'body', 'lang', 'price'
search: ValueError: Postings\Index::search(): Argument #7 ($weights) field 'nosuch': there is none, only 'title', 'body', 'lang', 'price'
search: ValueError: Postings\Index::search(): Argument #7 ($weights) field 'price': only text has a weight: keywords and numbers are not scored
search: ValueError: Postings\Index::search(): Argument #7 ($weights) field 'title': must be 0 or a number from 0.001 to 1000, -1 given
search: ValueError: Postings\Index::search(): Argument #7 ($weights) field 'title': must be 0 or a number from 0.001 to 1000, NAN given
search: ValueError: Postings\Index::search(): Argument #7 ($weights) field 'title': must be 0 or a number from 0.001 to 1000, 1E300 given
search: TypeError: Postings\Index::search(): Argument #7 ($weights) field 'title': must be int|float, string given
search: ValueError: Postings\Index::search(): Argument #9 ($k1) must be a number from 0 to 1000, -0.1 given
search: ValueError: Postings\Index::search(): Argument #9 ($k1) must be a number from 0 to 1000, NAN given
search: ValueError: Postings\Index::search(): Argument #9 ($k1) must be a number from 0 to 1000, INF given
search: ValueError: Postings\Index::search(): Argument #9 ($k1) must be a number from 0 to 1000, 1E300 given
search: ValueError: Postings\Index::search(): Argument #10 ($b) must be a number from 0 to 1, -0.1 given
search: ValueError: Postings\Index::search(): Argument #10 ($b) must be a number from 0 to 1, 1.1 given
search: ValueError: Postings\Index::search(): Argument #10 ($b) must be a number from 0 to 1, NAN given
searchBatch: TypeError: Postings\Index::searchBatch(): Argument #1 ($queries) must contain only string or array, int given at index 1
searchBatch: TypeError: Postings\Index::searchBatch(): Argument #1 ($queries) must be of type array, string given
count: ValueError: Postings\Index::count(): Argument #3 ($filter) field 'nosuch': there is none, only 'title', 'body', 'lang', 'price'
facets: ValueError: Postings\Index::facets(): Argument #1 ($field) field 'title': must be a keyword field
facets: ValueError: Postings\Index::facets(): Argument #1 ($field) field 'nosuch': there is none, only 'title', 'body', 'lang', 'price'
facets: ValueError: Postings\Index::facets(): Argument #5 ($limit) must not be negative, -1 given
suggest: ValueError: Postings\Index::suggest(): Argument #3 ($field) field 'lang': must be a text field
suggest: ValueError: Postings\Index::suggest(): Argument #2 ($limit) must not be negative, -1 given
terms: ValueError: Postings\Index::terms(): Argument #2 ($field) field 'price': must be a text or keyword field
postings: ValueError: Postings\Index::postings(): Argument #2 ($field) field 'price': must be a text or keyword field
explain: TypeError: Postings\Index::explain(): Argument #2 ($id) must be of type int|string, float given
snippet: ValueError: Postings\Index::snippet(): Argument #3 ($length) must not be negative, -1 given
docId: TypeError: Postings\Index::docId(): Argument #1 ($id) must be of type int|string, null given
unknown docIDs: returned array (
  0 => NULL,
  1 => NULL,
  2 => NULL,
  3 => NULL,
)
change a hit: Error: Cannot modify readonly property Postings\Hit::$id
change hits: Error: Postings\Hits objects cannot be changed
unset: Error: Postings\Hits objects cannot be changed
change total: Error: Cannot modify readonly property Postings\Hits::$total
new property: Error: Cannot create dynamic property Postings\Hits::$other
