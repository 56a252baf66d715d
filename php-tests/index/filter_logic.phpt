--TEST--
Filters: not, any, all, bounds, alternatives, missing values, ids, lists of docIDs
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Filter, Index, IndexWriter, PostingList};

// Five commits of documents with few values; the definition is PHP's.
$folder = new_folder();
$writer = IndexWriter::open($folder, ['text' => [], 'tag' => ['keyword' => true], 'price' => ['numeric' => true]]);
$documents = [];
mt_srand(5);
for ($i = 0; $i < 500; $i++) {
    $tags = array_values(array_unique(array_map(fn () => ['red', 'green', 'blue', '7'][mt_rand(0, 3)], array_fill(0, mt_rand(0, 2), 0))));
    $document = ['text' => $i % 3 ? 'word' : '', 'tag' => $tags] + (mt_rand(0, 3) ? ['price' => mt_rand(-4, 8) / 2] : []);
    $documents[$i] = $document;
    $writer->add($i, $document);
    if ($i % 100 === 99) {
        $writer->commit();
    }
}
foreach ([3, 77, 250, 499] as $id) {
    $writer->delete($id);
    unset($documents[$id]);
}
$writer->commit();
$index = Index::open($folder);
$has = fn (string ...$tags) => fn ($d) => array_intersect($tags, $d['tag']) !== [];
$price = fn (callable $is) => fn ($d) => isset($d['price']) && $is($d['price']);
$docIds = PostingList::encode(array_values(array_filter(array_map(fn ($id) => $index->docId($id), [1, 2, 300, 499]), is_int(...))));
$cases = [
    'nothing' => [[], fn () => true],
    'as before' => [['tag' => ['red', 'blue'], 'price' => [0, 1.5]], fn ($d) => $has('red', 'blue')($d) && $price(fn ($p) => $p >= 0 && $p <= 1.5)($d)],
    'not' => [[Filter::not(['tag' => 'red'])], fn ($d) => !$has('red')($d)],
    'not both' => [[Filter::not(['tag' => 'red', 'price' => 1])], fn ($d) => !($has('red')($d) && $price(fn ($p) => $p == 1)($d))],
    'any' => [[Filter::any(['tag' => 'red'], ['price' => [2, null]])], fn ($d) => $has('red')($d) || $price(fn ($p) => $p >= 2)($d)],
    'any of none' => [[Filter::any()], fn () => false],
    'all of none' => [[Filter::all()], fn () => true],
    'not all of none' => [[Filter::not([])], fn () => false],
    'two on one field' => [['tag' => 'red', Filter::is('tag', 'blue')], fn ($d) => $has('red')($d) && $has('blue')($d)],
    'all, nested arrays' => [[['tag' => 'red', [Filter::all(['tag' => 'blue'], Filter::exists('price'))]]], fn ($d) => $has('red')($d) && $has('blue')($d) && isset($d['price'])],
    'in' => [[Filter::in('price', -1, 2)], $price(fn ($p) => $p >= -1 && $p <= 2)],
    'in, open' => [[Filter::in('price', null, null)], $price(fn () => true)],
    'above' => [[Filter::above('price', 1)], $price(fn ($p) => $p > 1)],
    'below' => [[Filter::below('price', 0)], $price(fn ($p) => $p < 0)],
    'above and below' => [[Filter::above('price', -0.5), Filter::below('price', 0.5)], $price(fn ($p) => $p == 0)],
    'at least, at most' => [[Filter::atLeast('price', 1.5), Filter::atMost('price', 2)], $price(fn ($p) => $p >= 1.5 && $p <= 2)],
    'above INF' => [[Filter::above('price', INF)], fn () => false],
    'beyond floats' => [[Filter::above('price', PHP_INT_MIN), Filter::is('price', [1, PHP_INT_MAX])], $price(fn ($p) => $p == 1)],
    'two numbers' => [[Filter::is('price', [-1, 2])], $price(fn ($p) => $p == -1 || $p == 2)],
    'one number' => [[Filter::is('price', 0.5)], $price(fn ($p) => $p == 0.5)],
    'no number' => [[Filter::is('price', [])], fn () => false],
    'an integer keyword' => [[Filter::is('tag', 7)], $has('7')],
    'missing keyword' => [[Filter::missing('tag')], fn ($d) => $d['tag'] === []],
    'missing number' => [[Filter::missing('price')], fn ($d) => !isset($d['price'])],
    'missing text' => [[Filter::missing('text')], fn ($d) => $d['text'] === ''],
    'exists' => [[Filter::exists('tag'), Filter::exists('text')], fn ($d) => $d['tag'] !== [] && $d['text'] !== ''],
    'not missing' => [[Filter::not(Filter::missing('price'))], fn ($d) => isset($d['price'])],
    'ids' => [[Filter::ids(5, [6, 7, 499], '8')], fn ($d, $id) => in_array($id, [5, 6, 7], true)],
    'docIDs' => [[$docIds], fn ($d, $id) => in_array($id, [1, 2, 300], true)],
    'not these docIDs' => [[Filter::not([$docIds])], fn ($d, $id) => !in_array($id, [1, 2, 300], true)],
    'ids or docIDs' => [[Filter::any(Filter::ids(9), [$docIds])], fn ($d, $id) => in_array($id, [1, 2, 9, 300], true)],
    'a million ids' => [[Filter::ids(range(0, 1_999_998, 2))], fn ($d, $id) => $id % 2 === 0],
];
foreach ($cases as $what => [$filter, $is]) {
    foreach (['', 'word'] as $query) {
        $wanted = array_keys(array_filter($documents, fn ($d, $id) => $is($d, $id) && ($query === '' || $d['text'] !== ''), ARRAY_FILTER_USE_BOTH));
        $hits = $index->search($query, limit: 1000, filter: $filter, total: true);
        $found = $hits->ids();
        sort($found);
        $stream = $index->stream(limit: 1000, filter: $filter);
        $stream->push($query);
        [$streamed] = array_values($stream->take(60_000));
        $same = $found === $wanted && $hits->total === count($wanted) && $index->count($query, filter: $filter) === count($wanted)
            && $index->searchBatch([$query, $query], limit: 1000, filter: $filter)[1]->ids() === $hits->ids() && $streamed->ids() === $hits->ids()
            && array_sum($index->facets('tag', $query, filter: $filter)) === array_sum(array_map(fn ($id) => count($documents[$id]['tag']), $wanted));
        if (!$same) {
            echo "$what, '$query': ", json_encode($found), ' instead of ', json_encode($wanted), "\n";
        }
    }
}
echo count($cases), " filters\n";

$search = fn (array $filter) => fn () => $index->search('', filter: $filter);
outcome('no field', $search([Filter::not(['nosuch' => 1])]));
outcome('text', $search([Filter::is('text', 'word')]));
outcome('bounds of keywords', $search([Filter::above('tag', 1)]));
outcome('a keyword that is a float', $search([Filter::is('tag', 1.5)]));
outcome('a number that is a string', $search([Filter::any(Filter::is('price', '1'))]));
outcome('no condition', $search(['red']));
outcome('a string', fn () => Filter::not('red'));
outcome('a string', fn () => Filter::any(['tag' => 'red'], 5));
outcome('NAN', fn () => Filter::in('price', 1, NAN));
outcome('NAN', fn () => Filter::is('price', [1, NAN]));
outcome('a bound that is a string', fn () => Filter::above('price', '1'));
outcome('null', fn () => Filter::below('price', null));
outcome('a value that is none', fn () => Filter::is('tag', ['red', null]));
outcome('ids', fn () => Filter::ids(1, [2, 3.5]));
outcome('new', fn () => new Filter());
outcome('deep filters', function () {
    for ($filter = Filter::exists('tag'), $depth = 1; $depth < 10_000; $depth++) {
        $filter = Filter::not($filter);
    }
});
outcome('deep arrays', function () use ($index) {
    for ($filter = ['tag' => 'red'], $depth = 1; $depth < 10_000; $depth++) {
        $filter = [$filter];
    }
    return $index->count(filter: $filter);
});
outcome('an array in itself', function () use ($index) {
    $filter = ['tag' => 'red'];
    $filter[] = &$filter;
    try {
        return $index->count(filter: $filter);
    } finally {
        // PHP would not free it.
        $filter = null;
    }
});
outcome('many', function () {
    for ($filter = Filter::exists('tag'), $times = 0; $times < 60; $times++) {
        $filter = Filter::any($filter, $filter);
    }
});
outcome('many in an array', fn () => $index->count(filter: array_fill(0, 1_000_000, Filter::exists('tag'))));
?>
--EXPECT--
32 filters
no field: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'nosuch': there is none, only 'text', 'tag', 'price'
text: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'text': is text; filters need a keyword or numeric field
bounds of keywords: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'tag': is a keyword field; bounds need a numeric field
a keyword that is a float: TypeError: Postings\Index::search(): Argument #5 ($filter) field 'tag': must be string|int, or a list of them, float given
a number that is a string: TypeError: Postings\Index::search(): Argument #5 ($filter) field 'price': must be int|float, or a list of them, string given
no condition: ValueError: Postings\Index::search(): Argument #5 ($filter) field '0': there is none, only 'text', 'tag', 'price'
a string: TypeError: Postings\Filter::not(): Argument #1 ($conditions) must be of type Postings\Filter|array, string given
a string: TypeError: Postings\Filter::any(): Argument #2 must be of type Postings\Filter|array, int given
NAN: ValueError: Postings\Filter::in(): Argument #3 ($high) must be a number, NAN given
NAN: ValueError: Postings\Filter::is(): Argument #2 ($value) must be a value, NAN given
a bound that is a string: TypeError: Postings\Filter::above(): Argument #2 ($bound) must be of type int|float, string given
null: TypeError: Postings\Filter::below(): Argument #2 ($bound) must be of type int|float, null given
a value that is none: TypeError: Postings\Filter::is(): Argument #2 ($value) must be of type int|float|string|bool, or a list of them, null given
ids: TypeError: Postings\Filter::ids(): Argument #2 must be of type int|string, or a list of them, float given at index 1
new: Error: Call to private Postings\Filter::__construct() from global scope
deep filters: ValueError: Postings\Filter::not(): Argument #1 ($conditions) must not nest conditions deeper than 64
deep arrays: ValueError: Postings\Index::count(): Argument #3 ($filter) must not nest conditions deeper than 64
an array in itself: ValueError: Postings\Index::count(): Argument #3 ($filter) must not nest conditions deeper than 64
many: ValueError: Postings\Filter::any(): Argument #1 must have at most 10000 conditions: give several values to one
many in an array: ValueError: Postings\Index::count(): Argument #3 ($filter) must have at most 10000 conditions: give several values to one