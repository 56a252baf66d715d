--TEST--
Sorting by keywords, ids and scores; pages after a hit; facets of a search; distinct hits
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

$folder = new_folder();
$writer = IndexWriter::open($folder, ['text' => [], 'tag' => ['keyword' => true, 'stored' => true], 'price' => ['numeric' => true, 'stored' => true]]);
$documents = [];
mt_srand(9);
for ($i = 0; $i < 400; $i++) {
    $id = $i % 2 ? $i * 37 % 400 : "id$i";
    $tags = array_map(fn () => 't' . mt_rand(0, 60), array_fill(0, mt_rand(0, 2), 0));
    $documents[] = $document = ['id' => $id, 'tag' => $tags, 'price' => mt_rand(0, 4) ? mt_rand(0, 9) : null, 'text' => str_repeat('word ', mt_rand(1, 5))];
    unset($document['id']);
    $writer->add($id, $document);
    if ($i % 150 === 149) {
        $writer->commit();
    }
}
$writer->commit();
$index = Index::open($folder);

// The order of two documents by PHP's own means.
$order = function (array $a, array $b, array $sort): int {
    foreach ($sort as $key => $direction) {
        $of = fn ($d) => match ($key) {
            'tag' => $d['tag'] ? ($direction === 'asc' ? min($d['tag']) : max($d['tag'])) : null,
            'price' => $d['price'],
            ':score' => $d['score'],
            ':id' => $d['id'],
        };
        [$x, $y] = [$of($a), $of($b)];
        if ($x === null || $y === null) {
            $compared = ($x === null) <=> ($y === null);
        } else {
            $compared = match (true) {
                is_string($x) && is_string($y) => strcmp($x, $y),
                is_string($x) || is_string($y) => is_string($x) <=> is_string($y),
                default => $x <=> $y,
            };
            $compared = $direction === 'asc' ? $compared : -$compared;
        }
        if ($compared !== 0) {
            return $compared;
        }
    }
    return $a['at'] <=> $b['at'];
};
$scores = [];
foreach ($index->search('word', limit: 1000) as $hit) {
    $scores[$hit->id] = $hit->score;
}
foreach ($documents as $at => &$document) {
    $document += ['at' => $at, 'score' => $scores[$document['id']]];
}
unset($document);
$sorts = [[], ['tag' => 'asc'], ['tag' => 'desc'], ['price' => 'asc', 'tag' => 'desc'], [':score' => 'asc'], [':score' => 'desc'], [':id' => 'asc'], [':id' => 'desc'], ['price' => 'desc', ':score' => 'desc', ':id' => 'desc'], ['tag' => 'ASC', ':score' => 'desc']];
foreach ($sorts as $sort) {
    $wanted = $documents;
    usort($wanted, fn ($a, $b) => $order($a, $b, array_map(strtolower(...), $sort ?: [':score' => 'desc'])));
    $wanted = array_column($wanted, 'id');
    $all = $index->search('word', limit: 1000, sort: $sort);
    $pages = [];
    for ($after = null; count($page = $index->search('word', limit: 33, sort: $sort, after: $after)) > 0; $after = $page[count($page) - 1]) {
        array_push($pages, ...$page->ids());
    }
    $last = $all[99];
    $values = array_map(fn ($key) => match ($key) {
        'tag' => $last->fields['tag'] === [] ? null : (strtolower($sort['tag']) === 'asc' ? min($last->fields['tag']) : max($last->fields['tag'])),
        'price' => $last->fields['price'] ?? null,
        ':score' => $last->score,
        ':id' => $last->id,
    }, array_keys($sort ?: [':score' => 'desc']));
    $batch = $index->searchBatch(['word'], limit: 5, sort: $sort, after: [...$values, $last->id]);
    outcome(json_encode($sort), fn () => [$all->ids() === $wanted, $pages === $wanted, $batch[0]->ids() === array_slice($wanted, 100, 5)] === [true, true, true]);

    // The first of each value.
    foreach (['tag' => fn ($d) => $d['tag'] ? min($d['tag']) : null, 'price' => fn ($d) => $d['price']] as $field => $value) {
        $seen = $first = [];
        $by_id = array_column($documents, null, 'id');
        foreach ($wanted as $id) {
            $key = $value($by_id[$id]);
            if ($key === null || !isset($seen[$key])) {
                $first[] = $id;
                $key === null || $seen[$key] = true;
            }
        }
        $hits = $index->search('word', limit: 30, offset: 5, sort: $sort, total: true, distinct: $field);
        if ($hits->ids() !== array_slice($first, 5, 30) || $hits->total !== 400) {
            echo "distinct $field is wrong\n";
        }
    }
}

// Facets.
$filter = ['price' => [3, 7]];
$counts = [];
foreach ($documents as $document) {
    if ($document['price'] >= 3 && $document['price'] <= 7 && $document['price'] !== null) {
        foreach (array_unique($document['tag']) as $tag) {
            $counts[$tag] = ($counts[$tag] ?? 0) + 1;
        }
    }
}
uksort($counts, fn ($a, $b) => [$counts[$b], $a] <=> [$counts[$a], $b]);
$hits = $index->search('word', limit: 1, filter: $filter, total: true, facets: ['tag' => 12, 'price']);
outcome('facets', fn () => $hits->facets['tag'] === array_slice($counts, 0, 12, true));
outcome('all values', fn () => $index->search('word', filter: $filter, facets: ['tag' => PHP_INT_MAX])->facets['tag'] === $counts);
outcome('numbers', fn () => json_encode($hits->facets['price']));
outcome('as facets()', fn () => $index->facets('tag', 'word', filter: $filter, limit: 12) === $hits->facets['tag']);
outcome('total', fn () => $hits->total === $index->count('word', filter: $filter) && $hits->facets['price']['count'] === $hits->total);
outcome('in a batch', fn () => $index->searchBatch(['word', 'nothing'], facets: ['price', 'tag'])[1]->facets);
outcome('without', fn () => $index->search('word')->facets);
outcome('the default', fn () => count($index->search('word', facets: ['tag'])->facets['tag']));

foreach ([['facets' => ['text']], ['facets' => ['nosuch']], ['facets' => ['tag' => -1]], ['facets' => ['tag' => 'x']], ['facets' => [[]]], ['distinct' => 'text'], ['distinct' => 'nosuch'], ['distinct' => 5], ['sort' => [':nosuch' => 'asc']], ['sort' => [':score' => 1]],
    ['after' => 5], ['after' => []], ['after' => [1.0, 'nosuch']], ['after' => ['x', 1]], ['after' => [1.0, 1.5]], ['after' => [NAN, 1]], ['after' => [1.0, 1], 'distinct' => 'tag'], ['after' => [1.0, 1], 'matching' => 'all-then-any'], ['after' => [5, 1], 'sort' => [':id' => 'asc'], 'limit' => 1], ['after' => [[], 1], 'sort' => ['tag' => 'asc']]] as $wrong) {
    outcome(json_encode($wrong, JSON_PARTIAL_OUTPUT_ON_ERROR), fn () => $index->search('word', ...$wrong)->ids());
}
?>
--EXPECT--
[]: returned true
{"tag":"asc"}: returned true
{"tag":"desc"}: returned true
{"price":"asc","tag":"desc"}: returned true
{":score":"asc"}: returned true
{":score":"desc"}: returned true
{":id":"asc"}: returned true
{":id":"desc"}: returned true
{"price":"desc",":score":"desc",":id":"desc"}: returned true
{"tag":"ASC",":score":"desc"}: returned true
facets: returned true
all values: returned true
numbers: returned '{"min":3,"max":7,"count":160}'
as facets(): returned true
total: returned true
in a batch: returned array (
  'price' => 
  array (
    'min' => NULL,
    'max' => NULL,
    'count' => 0,
  ),
  'tag' => 
  array (
  ),
)
without: returned NULL
the default: returned 10
{"facets":["text"]}: ValueError: Postings\Index::search(): Argument #11 ($facets) field 'text': must be a keyword or numeric field
{"facets":["nosuch"]}: ValueError: Postings\Index::search(): Argument #11 ($facets) field 'nosuch': there is none, only 'text', 'tag', 'price'
{"facets":{"tag":-1}}: ValueError: Postings\Index::search(): Argument #11 ($facets) field 'tag': must not be negative, -1 given
{"facets":{"tag":"x"}}: TypeError: Postings\Index::search(): Argument #11 ($facets) must contain names of fields, or name => the most values, string given for 'tag'
{"facets":[[]]}: TypeError: Postings\Index::search(): Argument #11 ($facets) must contain names of fields, or name => the most values, array given for '0'
{"distinct":"text"}: ValueError: Postings\Index::search(): Argument #12 ($distinct) field 'text': must be a keyword or numeric field
{"distinct":"nosuch"}: ValueError: Postings\Index::search(): Argument #12 ($distinct) field 'nosuch': there is none, only 'text', 'tag', 'price'
{"distinct":5}: ValueError: Postings\Index::search(): Argument #12 ($distinct) field '5': there is none, only 'text', 'tag', 'price'
{"sort":{":nosuch":"asc"}}: ValueError: Postings\Index::search(): Argument #6 ($sort) field ':nosuch': there is none, only 'text', 'tag', 'price'
{"sort":{":score":1}}: TypeError: Postings\Index::search(): Argument #6 ($sort) ':score': must be 'asc' or 'desc', int given
{"after":5}: TypeError: Postings\Index::search(): Argument #13 ($after) must be of type Postings\Hit|array|null, int given
{"after":[]}: ValueError: Postings\Index::search(): Argument #13 ($after) must have a value for each of 1 sort keys, and an id: 0 given
{"after":[1,"nosuch"]}: ValueError: Postings\Index::search(): Argument #13 ($after) names document 'nosuch', which the index does not have
{"after":["x",1]}: TypeError: Postings\Index::search(): Argument #13 ($after) must have int|float at index 0, string given
{"after":[1,1.5]}: TypeError: Postings\Index::search(): Argument #13 ($after) must have an id, int|string, at index 1, float given
{"after":[0,1]}: ValueError: Postings\Index::search(): Argument #13 ($after) cannot be used: what hits are to come after has other values than they are sorted by
{"after":[1,1],"distinct":"tag"}: ValueError: Postings\Index::search(): Argument #13 ($after) cannot be used: hits after another one cannot be distinct: use an offset
{"after":[1,1],"matching":"all-then-any"}: ValueError: Postings\Index::search(): Argument #13 ($after) cannot be used: hits with any word, which follow those with all, need an offset
{"after":[5,1],"sort":{":id":"asc"},"limit":1}: returned array (
  0 => 7,
)
{"after":[[],1],"sort":{"tag":"asc"}}: TypeError: Postings\Index::search(): Argument #13 ($after) must have string|int|null at index 0, array given