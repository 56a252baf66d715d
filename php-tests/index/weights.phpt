--TEST--
Weights fields: search(weighted:), batches, streams, counts, facets, explain(), with words and vectors, and what is refused
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Filter, Hits, Index, IndexWriter, Leaf, LeafClient, Statistics};

/** What is kept of a weight: the front of its bits, as a 32-bit float. */
function kept(float $weight, int $bits): float
{
    [$cut, $least] = [8 => [19, 2 ** -8], 16 => [11, 2 ** -8], 32 => [0, 2 ** -32]][$bits];
    $as = fn ($float) => unpack('V', pack('g', $float))[1];
    $code = (max($as($weight) - $as($least), 0) + (1 << $cut >> 1)) >> $cut;
    return unpack('g', pack('V', $as($least) + ($code << $cut)))[1];
}

/** A number as a 32-bit float. */
function single(float $number): float
{
    return unpack('g', pack('g', $number))[1];
}

function best(array $scores, int $limit): array
{
    uksort($scores, fn ($a, $b) => [$scores[$b], $a] <=> [$scores[$a], $b]);
    return array_slice($scores, 0, $limit, true);
}

function same(array $expected, Postings\Hits $hits): bool
{
    return array_keys($expected) === $hits->ids()
        && array_reduce(iterator_to_array($hits), fn ($ok, $hit) => $ok && abs($expected[$hit->id] / $hit->score - 1) < 1e-6, true);
}

mt_srand(11);
foreach ([8, 16, 32] as $bits) {
    $folder = new_folder();
    $writer = IndexWriter::open($folder, ['body' => [], 'tag' => ['keyword' => true], 'w' => ['weights' => true, 'bits' => $bits]]);
    $documents = [];
    for ($i = 0; $i < 900; $i++) {
        $weights = [];
        for ($term = 0; $term < 20; $term++) {
            // Terms that are integers are keys of their own in PHP.
            if (mt_rand(0, $term) === 0) {
                $weights[$term % 2 ? $term : "##$term"] = mt_rand(1, 4000) / 1000;
            }
        }
        $writer->add($i, ['body' => $i % 3 ? 'sea' : 'land', 'tag' => 't' . $i % 5, 'w' => $weights]);
        $documents[$i] = array_map(fn ($weight) => kept($weight, $bits), $weights);
        if ($i % 400 === 399) {
            $writer->commit();
        }
    }
    $writer->delete(8);
    unset($documents[8]);
    $writer->commit();
    $index = Index::open($folder);
    echo json_encode($index->fields()['w']), "\n";
    $queries = [
        'one' => ['##0' => 1],
        'some' => ['##0' => 0.5, 1 => 2, '##2' => 1.25, '7' => 3, '##18' => 4, 'nowhere' => 9, '##4' => 0],
        'all' => array_fill_keys([...array_map(fn ($term) => "##$term", range(0, 18, 2)), ...range(1, 19, 2)], 0.75),
    ];
    $ok = true;
    $score = function (array $query, array $own) {
        $common = array_filter(array_intersect_key($query, $own));
        return $common ? array_sum(array_map(fn ($term) => single($query[$term] * $own[$term]), array_keys($common))) : null;
    };
    foreach ($queries as $key => $query) {
        $all = array_filter(array_map(fn ($own) => $score($query, $own), $documents), fn ($of) => $of !== null);
        $weighted = ['w' => $query];
        $ok = $ok && same(best($all, 10), $index->search('', weighted: $weighted));
        $ok = $ok && same(best($all, 900), $index->search('', limit: 900, weighted: $weighted));
        $ok = $ok && $index->count(weighted: $weighted) === count($all);
        $ok = $ok && $index->search('', total: true, weighted: $weighted)->total === count($all);
        $tagged = array_filter($all, fn ($id) => $id % 5 === 2, ARRAY_FILTER_USE_KEY);
        $ok = $ok && same(best($tagged, 7), $index->search('', limit: 7, filter: ['tag' => 't2'], weighted: $weighted));
        $facets = array_count_values(array_map(fn ($id) => 't' . $id % 5, array_keys($all)));
        uksort($facets, fn ($a, $b) => [$facets[$b], $a] <=> [$facets[$a], $b]);
        $ok = $ok && $index->facets('tag', '', weighted: $weighted) === $facets;
        // Words decide what is found, and weights add to the scores.
        $hits = $index->search('sea', limit: 900, weighted: $weighted);
        $ok = $ok && count($hits) === $index->count('sea');
        $words = array_column(array_map(fn ($hit) => [$hit->id, $hit->score], iterator_to_array($index->search('sea', limit: 900))), 1, 0);
        foreach ($hits as $hit) {
            $ok = $ok && abs($words[$hit->id] + ($all[$hit->id] ?? 0) - $hit->score) < 1e-5;
        }
        $ok = $ok && $index->count('sea', 'any', weighted: $weighted) === count(array_filter($documents, fn ($own, $id) => $id % 3 || isset($all[$id]), ARRAY_FILTER_USE_BOTH));
        $id = array_key_first(best($all, 1));
        $explained = $index->explain('', $id, weighted: $weighted);
        $ok = $ok && $explained['matches'] && abs($explained['score'] / $all[$id] - 1) < 1e-6;
        foreach ($explained['parts'] as $part) {
            $ok = $ok && abs($part['weight'] * $documents[$id][$part['term']] / $part['score'] - 1) < 1e-6
                && abs($part['weight'] / $query[$part['term']] - 1) < 1e-4 && $part['field'] === 'w';
        }
    }
    $batch = $index->searchBatch(array_map(fn ($query) => ['weighted' => ['w' => $query]], $queries) + ['words' => 'sea', 'both' => ['query' => 'sea', 'weighted' => ['w' => ['7' => 2]]]]);
    $ok = $ok && array_keys($batch) === ['one', 'some', 'all', 'words', 'both'];
    foreach ($queries as $key => $query) {
        $ok = $ok && $batch[$key]->ids() === $index->search('', weighted: ['w' => $query])->ids();
    }
    $ok = $ok && $batch['words']->ids() === $index->search('sea')->ids();
    $ok = $ok && $batch['both']->ids() === $index->search('sea', weighted: ['w' => [7 => 2]])->ids();
    $stream = $index->stream();
    $tickets = [$stream->push(['weighted' => ['w' => $queries['some']]]), ...$stream->pushAll(['sea', ['query' => 'sea', 'weighted' => ['w' => ['7' => 2]]]])];
    $answers = [];
    while (count($stream)) {
        $answers += $stream->take(1000);
    }
    $ok = $ok && array_map(fn ($ticket) => $answers[$ticket]->ids(), $tickets) === [$batch['some']->ids(), $batch['words']->ids(), $batch['both']->ids()];
    $ok = $ok && $index->count('', filter: [Filter::exists('w')]) === count(array_filter($documents));
    var_dump($ok);
    $writer->optimize();
    $again = Index::open($folder)->search('', weighted: ['w' => $queries['all']]);
    var_dump($again->ids() === $batch['all']->ids());
    $index = $writer = null;
    Index::drop($folder);
}

// Two leaves find what one index of all documents finds.
$fields = ['body' => [], 'w' => ['weights' => true]];
$one = IndexWriter::open($joined = new_folder(), $fields);
foreach ([0, 1] as $shard) {
    $writer = IndexWriter::open($folder = new_folder(), $fields);
    for ($i = 0; $i < 200; $i++) {
        $weights = array_map(fn () => mt_rand(1, 4000) / 1000, array_fill_keys(array_rand(range(0, 19), mt_rand(2, 9)), 0));
        $writer->add(1000 * $shard + $i, ['body' => $i % 3 ? 'sea' : 'land', 'w' => $weights]);
    }
    $writer->commit();
    $writer->close();
    $one->addIndex($folder);
    $leaves[] = Leaf::open($folder);
}
$one->commit();
$one->close();
$one = Index::open($joined);
$client = LeafClient::fromResponse($leaves[0]->handle(LeafClient::schemaRequest()));
$ask = fn ($request) => array_map(fn ($leaf) => $request->read($leaf->handle($request->bytes())), $leaves);
$weighted = ['w' => [3 => 1.5, '7' => 0.25, 'nowhere' => 1]];
$queries = ['weights' => ['weighted' => $weighted], 'both' => ['query' => 'sea', 'weighted' => $weighted], 'words' => 'land'];
$statistics = Statistics::sum(...$ask($client->statistics(['', 'sea', 'land'])));
$batches = $ask($client->searchBatch($queries, 30, statistics: $statistics));
$pairs = fn (Hits $hits) => array_map(fn ($hit) => [$hit->id, $hit->score], iterator_to_array($hits));
foreach ($queries as $key => $query) {
    $wanted = is_string($query) ? $one->search($query, 30) : $one->search($query['query'] ?? '', 30, weighted: $weighted);
    var_dump(count($wanted) === 30 && $pairs(Hits::merge(array_column($batches, $key), 30)) === $pairs($wanted));
}
$single = Hits::merge($ask($client->search('sea', 30, statistics: $statistics, weighted: $weighted)), 30);
var_dump(count($single) === 30 && $pairs($single) === $pairs($one->search('sea', 30, weighted: $weighted)));

$folder = new_folder();
$writer = IndexWriter::open($folder, ['body' => [], 'w' => ['weights' => true]]);
$refused = function (callable $call) {
    try {
        $call();
        echo "accepted\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
};
foreach (['text', 7, ['a' => 'b'], ['a' => -1], ['a' => NAN], ['a' => INF], ['a' => 1e9], ['a' => null], ['' => 1], [str_repeat('x', 1001) => 1]] as $value) {
    $refused(fn () => $writer->add(1, ['w' => $value]));
}
$refused(fn () => $writer->add(2, ['w' => null]));
$refused(fn () => $writer->add(3, ['w' => []]));
$refused(fn () => $writer->add(4, ['w' => ['a' => 0, 'b' => 1e-30]]));
$refused(fn () => $writer->add(5, ['w' => array_fill(0, 100000, 0.5)]));
$writer->commit();
$index = Index::open($folder);
echo json_encode([$index->search('', weighted: ['w' => ['a' => 1]])->ids(), $index->search('', weighted: ['w' => ['b' => 1, '99999' => 2]])->ids(), $index->search('', weighted: [])->ids()]), "\n";
foreach ([['w' => ['a' => -1]], ['w' => ['a' => 'x']], ['w' => ['a' => NAN]], ['w' => 3], ['body' => ['a' => 1]], ['none' => []], ['w' => array_fill(0, 16385, 1)]] as $weighted) {
    $refused(fn () => $index->search('', weighted: $weighted));
}
$refused(fn () => $index->searchBatch([['weighted' => ['body' => []]]]));
$refused(fn () => $index->searchBatch([['words' => 'sea']]));
$refused(fn () => $index->searchBatch([7]));
$refused(fn () => $index->stream()->push(7));
$refused(fn () => $index->search('', filter: ['w' => 'a']));
$refused(fn () => $index->search('a', sort: ['w' => 'asc']));
foreach ([['weights' => false], ['weights' => 1], ['bits' => 8], ['weights' => true, 'bits' => 12], ['weights' => true, 'bits' => '8'], ['weights' => true, 'stored' => true], ['weights' => true, 'vector' => 3]] as $options) {
    $refused(fn () => IndexWriter::open(new_folder(), ['w' => $options]));
}
$writer = null;
$refused(fn () => IndexWriter::open($folder, ['body' => [], 'w' => ['weights' => true, 'bits' => 16]]));
--EXPECTF--
{"weights":true,"bits":8}
bool(true)
bool(true)
{"weights":true,"bits":16}
bool(true)
bool(true)
{"weights":true,"bits":32}
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'w' must be an array of weights by term, each int|float, string given
TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'w' must be an array of weights by term, each int|float, int given
TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'w' must be an array of weights by term, each int|float, string given for 'a'
ValueError: Postings\IndexWriter::add(): Argument #2 ($document) cannot be added: field w: the weight of "a" must be a number from 0 to 248, -1 given
ValueError: Postings\IndexWriter::add(): Argument #2 ($document) cannot be added: field w: the weight of "a" must be a number from 0 to 248, NaN given
ValueError: Postings\IndexWriter::add(): Argument #2 ($document) cannot be added: field w: the weight of "a" must be a number from 0 to 248, inf given
ValueError: Postings\IndexWriter::add(): Argument #2 ($document) cannot be added: field w: the weight of "a" must be a number from 0 to 248, 1000000000 given
TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'w' must be an array of weights by term, each int|float, null given for 'a'
ValueError: Postings\IndexWriter::add(): Argument #2 ($document) cannot be added: field w: a term of 0 bytes; terms have 1 to 1000
ValueError: Postings\IndexWriter::add(): Argument #2 ($document) cannot be added: field w: a term of 1001 bytes; terms have 1 to 1000
accepted
accepted
accepted
accepted
[[],[5,4],[2,3,4,5]]
ValueError: Postings\Index::search(): Argument #23 ($weighted) the weight of "a" must be a number from 0 to 1000000000, -1 given
TypeError: Postings\Index::search(): Argument #23 ($weighted) field 'w' must be an array of weights by term, each int|float, string given for 'a'
ValueError: Postings\Index::search(): Argument #23 ($weighted) the weight of "a" must be a number from 0 to 1000000000, NaN given
TypeError: Postings\Index::search(): Argument #23 ($weighted) field 'w' must be an array of weights by term, each int|float, int given
ValueError: Postings\Index::search(): Argument #23 ($weighted) field 'body' must be a weights field
ValueError: Postings\Index::search(): Argument #23 ($weighted) field 'none': there is none, only 'body', 'w'
ValueError: Postings\Index::search(): Argument #23 ($weighted) a query has at most 16384 terms with weights, 16385 given
ValueError: Postings\Index::searchBatch(): Argument #1 ($queries) at index 0: field 'body' must be a weights field
ValueError: Postings\Index::searchBatch(): Argument #1 ($queries) at index 0: an array must have 'query', a string, 'weighted' and 'nearest', arrays, and nothing else
TypeError: Postings\Index::searchBatch(): Argument #1 ($queries) must contain only string or array, int given at index 0
TypeError: Postings\SearchStream::push(): Argument #1 ($query) must be of type array|string, int given
ValueError: Postings\Index::search(): Argument #5 ($filter) field 'w': has weights; filters are Filter::exists() and missing()
ValueError: Postings\Index::search(): Argument #6 ($sort) field 'w': has weights; hits are sorted by numeric and keyword fields, distances, ':score' and ':id'
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'w': a field of weights has 'weights' => true
TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'w': 'weights' must be bool, int given
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'w': a field of weights has 'weights' => true
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'w': 'bits' must be 8, 16 or 32, 12 given
TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'w': 'bits' must be int, string given
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'w': a field of weights has no option 'stored', only weights and bits
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'w': a field of vectors has no option 'weights', only vector, metric, bits and clusters
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index %s was created otherwise: field "w" is Weights in 8 bits, not Weights in 16 bits. Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
