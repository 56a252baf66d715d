--TEST--
Vector fields of 32 and 16 bits: nearest(), nearestBatch(), search(nearest:, fusion:), filters, and what is refused
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Filter, Hits, Index, IndexWriter};

/** The definition. */
function similarity(string $metric, array $q, array $x): float
{
    $sum = fn (callable $of) => array_sum(array_map($of, $q, $x));
    return match ($metric) {
        'dot' => $sum(fn ($q, $x) => $q * $x),
        'euclidean' => 1 / (1 + $sum(fn ($q, $x) => ($q - $x) ** 2)),
        'cosine' => $sum(fn ($q, $x) => $q * $x) / sqrt($sum(fn ($q) => $q * $q) * $sum(fn ($q, $x) => $x * $x)),
    };
}

/** The best ids by score; equal scores in the order of ids, which is that of insertion. */
function best(array $scores, int $limit): array
{
    uksort($scores, fn ($a, $b) => [$scores[$b], $a] <=> [$scores[$a], $b]);
    return array_slice($scores, 0, $limit, true);
}

function same(array $expected, Postings\Hits $hits): bool
{
    return array_keys($expected) === $hits->ids()
        && array_reduce(iterator_to_array($hits), fn ($ok, $hit) => $ok && abs($expected[$hit->id] - $hit->score) < 1e-9, true);
}

/** A number as a 16-bit float: rounded to 11 binary digits, or to 24 after the point, ties to even. */
function half(float $x): float
{
    $unit = $x ? 2 ** max(floor(log(abs($x), 2)) - 10, -24) : 1;
    return round($x / $unit, 0, PHP_ROUND_HALF_EVEN) * $unit;
}

mt_srand(7);
$random = fn () => array_map(fn () => unpack('g', pack('g', mt_rand() / mt_getrandmax() - 0.5))[1], range(1, 20));
foreach ([['cosine', 32], ['dot', 16], ['euclidean', 32], ['cosine', 16]] as [$metric, $bits]) {
    $folder = new_folder();
    $embedding = ['vector' => 20, 'metric' => $metric] + ($bits === 16 ? ['bits' => 16] : []);
    $writer = IndexWriter::open($folder, ['body' => [], 'tag' => ['keyword' => true], 'e' => $embedding]);
    $vectors = [];
    for ($i = 0; $i < 600; $i++) {
        $vector = $i % 7 ? $random() : null;
        $writer->add($i, ['body' => str_repeat('ship ', 1 + $i % 4) . "w$i", 'tag' => 't' . $i % 5, 'e' => $i % 2 && $vector ? pack('g*', ...$vector) : $vector]);
        $vectors[$i] = $vector && $bits === 16 ? array_map(half(...), $vector) : $vector;
        if ($i % 250 === 249) {
            $writer->commit();
        }
    }
    $writer->delete(3);
    unset($vectors[3]);
    $writer->commit();
    $index = Index::open($folder);
    echo json_encode($index->fields()['e']), "\n";
    $writer->close();
    $writer = IndexWriter::open($folder, $index->fields());
    $vectors = array_filter($vectors);
    $queries = ['a' => $random(), 'b' => $random(), 5 => $random()];
    $ok = true;
    foreach ($queries as $key => $query) {
        $all = array_map(fn ($x) => similarity($metric, $query, $x), $vectors);
        $ok = $ok && same(best($all, 10), $index->nearest('e', $query));
        $ok = $ok && same(best($all, 40), $index->nearest('e', pack('g*', ...$query), limit: 40));
        $ok = $ok && same(array_slice(best($all, 15), 5, null, true), $index->nearest('e', $query, limit: 10, offset: 5));
        $tagged = array_filter($all, fn ($id) => $id % 5 === 2, ARRAY_FILTER_USE_KEY);
        $ok = $ok && same(best($tagged, 10), $index->nearest('e', $query, filter: ['tag' => 't2']));
        $ok = $ok && same(best($all, 10), $index->nearestBatch('e', $queries)[$key]);
        // Words and vectors.
        $text = [];
        foreach ($index->search('ship w77', matching: 'any', limit: 1000) as $hit) {
            $text[$hit->id] = $hit->score;
        }
        $sums = $ranks = [];
        foreach ([[$text, 2], [$all, 3]] as [$list, $weight]) {
            foreach ($list as $id => $score) {
                $sums[$id] = ($sums[$id] ?? 0) + $weight * $score;
            }
            foreach (array_keys(best($list, 100)) as $rank => $id) {
                $ranks[$id] = ($ranks[$id] ?? 0) + 1 / (61 + $rank);
            }
        }
        $both = fn (mixed ...$more) => $index->search('ship w77', ...$more, matching: 'any', nearest: ['e' => $query], total: true);
        $ok = $ok && same(best($sums, 10), $both(fusion: ['text' => 2, 'e' => 3])) && $both()->total === count($text);
        $ok = $ok && same(best($ranks, 10), $both()) && same(best($ranks, 10), $both(fusion: 'rrf'));
        foreach (['rrf' => $both(), 'sum' => $both(fusion: ['text' => 2, 'e' => 3])] as $way => $hits) {
            $fusion = $way === 'rrf' ? 'rrf' : ['text' => 2, 'e' => 3];
            foreach ($hits as $hit) {
                $explained = $index->explain('ship w77', $hit->id, matching: 'any', nearest: ['e' => $query], fusion: $fusion);
                $ok = $ok && abs($explained['fused'] - $hit->score) < 1e-9
                    && abs($explained['fused'] - array_sum(array_column($explained['lists'], 'adds'))) < 1e-12
                    && abs(($explained['lists'][1]['score'] ?? 0) - ($all[$hit->id] ?? 0)) < 1e-9
                    && array_column($explained['lists'], 'field') === ['text', 'e'];
            }
        }
        $ok = $ok && !isset($index->explain('ship', 1)['fused']);
        // The same in batches and streams, beside queries without vectors, and merged with those of another index.
        foreach (['rrf', ['text' => 2, 'e' => 3]] as $fusion) {
            $asked = ['both' => ['query' => 'ship w77', 'nearest' => ['e' => $query]], 7 => 'ship w77', 'vector' => ['nearest' => ['e' => pack('g*', ...$query)]]];
            $wanted = [
                'both' => $both(fusion: $fusion), 7 => $index->search('ship w77', matching: 'any', total: true),
                'vector' => $index->search('', matching: 'any', total: true, nearest: ['e' => $query], fusion: is_array($fusion) ? ['e' => 3] : 'rrf'),
            ];
            $shown = fn (Hits $hits) => [$hits->ids(), array_map(fn ($hit) => $hit->score, [...$hits]), $hits->total];
            $batch = $index->searchBatch($asked, matching: 'any', total: true, fusion: $fusion);
            $stream = $index->stream(matching: 'any', total: true, fusion: $fusion, deadline: null);
            $tickets = $stream->pushAll($asked);
            for ($taken = []; count($stream) > 0;) {
                $taken += $stream->take(1000);
            }
            $ok = $ok && array_keys($batch) === array_keys($asked);
            foreach ($tickets as $name => $ticket) {
                $ok = $ok && $shown($batch[$name]) === $shown($wanted[$name]) && $shown($taken[$ticket]) === $shown($wanted[$name]);
            }
            $ok = $ok && $shown(Hits::merge([$batch['both']])) === $shown($wanted['both']) && $shown(Hits::merge([$taken[$tickets['both']]])) === $shown($wanted['both']);
        }
        $ok = $ok && same(best($all, 10), $index->search('', nearest: ['e' => $query], fusion: ['e' => 1]));
    }
    var_dump($ok, array_keys($index->nearestBatch('e', $queries)), count($index->nearest('e', $queries['a'], limit: 1000)));
    var_dump($index->search('ship', limit: 1000, filter: [Filter::exists('e')], total: true)->total === count($vectors));
    var_dump($index->nearest('e', $queries['a'], limit: 0)->ids());
    foreach (['rrf', ['text' => 1, 'e' => 1]] as $fusion) {
        $all = $index->search('ship', limit: PHP_INT_MAX, offset: 5, nearest: ['e' => $queries['a']], fusion: $fusion);
        var_dump(count($all) === $index->documents() - 5);
    }
    $writer->optimize();
    $again = Index::open($folder);
    var_dump($again->nearest('e', $queries['a'], limit: 50)->ids() === $index->nearest('e', $queries['a'], limit: 50)->ids());
}

$index = Index::open($folder);
$writer->close();
$vector = $random();
$declare = fn (array $options) => fn () => IndexWriter::open(new_folder(), ['e' => $options]);
outcome('no dimensions', $declare(['metric' => 'dot']));
outcome('0', $declare(['vector' => 0]));
outcome('too many', $declare(['vector' => 4097]));
outcome('no int', $declare(['vector' => '3']));
outcome('metric', $declare(['vector' => 3, 'metric' => 'l2']));
outcome('stored', $declare(['vector' => 3, 'stored' => true]));
outcome('bits', $declare(['vector' => 3, 'bits' => 8]));
outcome('no bits', $declare(['vector' => 3, 'bits' => '16']));
outcome('no vector field', fn () => $index->nearest('body', $vector));
outcome('no field', fn () => $index->nearest('x', $vector));
outcome('too few', fn () => $index->nearest('e', [1, 2]));
outcome('odd', fn () => $index->nearest('e', 'abc'));
outcome('not finite', fn () => $index->nearest('e', [...array_fill(0, 19, 0.5), NAN]));
outcome('too great', fn () => $index->nearest('e', [...array_fill(0, 19, 0.5), 1e39]));
outcome('a string', fn () => $index->nearest('e', [...array_fill(0, 19, 0.5), 'a']));
outcome('none', fn () => $index->nearest('e', 1.5));
outcome('in a batch', fn () => $index->nearestBatch('e', [$vector, [1]]));
outcome('in a search', fn () => $index->search('a', nearest: ['e' => [1]]));
outcome('of a text field', fn () => $index->search('a', nearest: ['body' => $vector]));
outcome('sorted', fn () => $index->search('a', sort: [':id' => 'asc'], nearest: ['e' => $vector]));
outcome('fusion', fn () => $index->search('a', nearest: ['e' => $vector], fusion: 'sum'));
outcome('weight', fn () => $index->search('a', nearest: ['e' => $vector], fusion: ['text' => -1]));
outcome('weight of another', fn () => $index->search('a', nearest: ['e' => $vector], fusion: ['text' => 1, 'x' => 2]));
outcome('weight without a vector', fn () => $index->search('a', fusion: ['text' => 1, 'e' => 2]));
outcome('in a query of a batch', fn () => $index->searchBatch(['a', ['query' => 'a', 'nearest' => ['e' => [1]]]]));
outcome('in a query of a stream', fn () => $index->stream()->push(['nearest' => ['body' => $vector]]));
outcome('no array in a query', fn () => $index->searchBatch([['nearest' => $folder]]));
outcome('sorted batch', fn () => $index->searchBatch([['nearest' => ['e' => $vector]]], sort: [':id' => 'asc']));
outcome('sort by it', fn () => $index->search('a', sort: ['e' => 'asc']));
outcome('filter by it', fn () => $index->search('a', filter: ['e' => 1]));
$folder = new_folder();
$writer = IndexWriter::open($folder, ['e' => ['vector' => 2]]);
outcome('zeros', fn () => $writer->add(1, ['e' => [0, 0]]));
outcome('document', fn () => $writer->add(1, ['e' => [1, 2, 3]]));
outcome('bytes', fn () => $writer->add(1, ['e' => '1234567']));
outcome('text', fn () => $writer->add(1, ['e' => 7]));
$writer->add(1, ['e' => [3, 4]]);
$writer->add(2, []);
$writer->commit();
foreach (Index::open($folder)->nearest('e', [4, 3]) as $hit) {
    printf("%d %.4f\n", $hit->id, $hit->score);
}
$writer->close();
outcome('other bits', fn () => IndexWriter::open($folder, ['e' => ['vector' => 2, 'bits' => 16]]));

// Documents are rounded, those that are looked for are not.
$folder = new_folder();
$writer = IndexWriter::open($folder, ['e' => ['vector' => 2, 'bits' => 16], 'd' => ['vector' => 1, 'bits' => 16, 'metric' => 'dot']]);
outcome('too great for 16 bits', fn () => $writer->add(1, ['e' => [1, -65520]]));
outcome('too small for 16 bits', fn () => $writer->add(1, ['e' => pack('g*', 1e-9, 2 ** -25)]));
foreach ([65519.99, 0.1, 2 ** -24, 1.5 * 2 ** -25, 2 ** -25] as $i => $number) {
    $writer->add($i, ['d' => [$number]]);
}
$writer->commit();
$index = Index::open($folder);
foreach ($index->nearest('d', [1e30]) as $hit) {
    printf("%d %.12g\n", $hit->id, $hit->score / unpack('g', pack('g', 1e30))[1]);
}
var_dump(count($index->nearest('e', [1e-9, 0])));
?>
--EXPECTF--
{"vector":20,"metric":"cosine","bits":32}
bool(true)
array(3) {
  [0]=>
  string(1) "a"
  [1]=>
  string(1) "b"
  [2]=>
  int(5)
}
int(513)
bool(true)
array(0) {
}
bool(true)
bool(true)
bool(true)
{"vector":20,"metric":"dot","bits":16}
bool(true)
array(3) {
  [0]=>
  string(1) "a"
  [1]=>
  string(1) "b"
  [2]=>
  int(5)
}
int(513)
bool(true)
array(0) {
}
bool(true)
bool(true)
bool(true)
{"vector":20,"metric":"euclidean","bits":32}
bool(true)
array(3) {
  [0]=>
  string(1) "a"
  [1]=>
  string(1) "b"
  [2]=>
  int(5)
}
int(513)
bool(true)
array(0) {
}
bool(true)
bool(true)
bool(true)
{"vector":20,"metric":"cosine","bits":16}
bool(true)
array(3) {
  [0]=>
  string(1) "a"
  [1]=>
  string(1) "b"
  [2]=>
  int(5)
}
int(513)
bool(true)
array(0) {
}
bool(true)
bool(true)
bool(true)
no dimensions: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'metric' and 'clusters' need 'vector', the number of dimensions
0: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'vector' must be a number of dimensions from 1 to 4096, 0 given
too many: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'vector' must be a number of dimensions from 1 to 4096, 4097 given
no int: TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'vector' must be int, string given
metric: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'metric' must be 'cosine', 'dot' or 'euclidean'
stored: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': a field of vectors has no option 'stored', only vector, metric, bits and clusters
bits: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'bits' must be 16 or 32, 8 given
no bits: TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'bits' must be int, string given
no vector field: ValueError: Postings\Index::nearest(): Argument #1 ($field) field 'body': must be a vector field
no field: ValueError: Postings\Index::nearest(): Argument #1 ($field) field 'x': there is none, only 'body', 'tag', 'e'
too few: ValueError: Postings\Index::nearest(): Argument #2 ($vector) must have 20 numbers, 2 given
odd: ValueError: Postings\Index::nearest(): Argument #2 ($vector) must be a list of int|float, or a string of 32-bit floats as pack('g*', …) gives, a string of 3 bytes given
not finite: ValueError: Postings\Index::nearest(): Argument #2 ($vector) must have finite numbers: number 19 is not, as a 32-bit float
too great: ValueError: Postings\Index::nearest(): Argument #2 ($vector) must have finite numbers: number 19 is not, as a 32-bit float
a string: TypeError: Postings\Index::nearest(): Argument #2 ($vector) must be a list of int|float, or a string of 32-bit floats as pack('g*', …) gives, a list with string given
none: TypeError: Postings\Index::nearest(): Argument #2 ($vector) must be a list of int|float, or a string of 32-bit floats as pack('g*', …) gives, float given
in a batch: ValueError: Postings\Index::nearestBatch(): Argument #2 ($vectors) at index 1: must have 20 numbers, 1 given
in a search: ValueError: Postings\Index::search(): Argument #21 ($nearest) field 'e': must have 20 numbers, 1 given
of a text field: ValueError: Postings\Index::search(): Argument #21 ($nearest) field 'body': must be a vector field
sorted: ValueError: Postings\Index::search(): Argument #1 ($query) cannot be used: hits of vectors are in the order of their scores: not sorted, distinct or after
fusion: ValueError: Postings\Index::search(): Argument #22 ($fusion) must be 'rrf' or an array of weights by vector field and 'text'
weight: ValueError: Postings\Index::search(): Argument #22 ($fusion) 'text': a weight must be from 0 to 1000000, -1 given
weight of another: ValueError: Postings\Index::search(): Argument #22 ($fusion) field 'x': there is none, only 'body', 'tag', 'e'
weight without a vector: ValueError: Postings\Index::search(): Argument #22 ($fusion) 'e': has a weight, and no vector is looked for in it
in a query of a batch: ValueError: Postings\Index::searchBatch(): Argument #1 ($queries) at index 1: field 'e': must have 20 numbers, 1 given
in a query of a stream: ValueError: Postings\SearchStream::push(): Argument #1 ($query) field 'body': must be a vector field
no array in a query: ValueError: Postings\Index::searchBatch(): Argument #1 ($queries) at index 0: an array must have 'query', a string, 'weighted' and 'nearest', arrays, and nothing else
sorted batch: ValueError: Postings\Index::searchBatch(): Argument #1 ($queries) cannot be used: hits of vectors are in the order of their scores: not sorted, distinct or after
sort by it: ValueError: Postings\Index::search(): Argument #6 ($sort) field 'e': has vectors; hits are sorted by numeric and keyword fields, distances, ':score' and ':id'
filter by it: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'e': is a vector field; filters are Filter::exists() and missing()
zeros: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'e' must not have zeros alone, which have no cosine
document: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'e' must have 2 numbers, 3 given
bytes: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'e' must be a list of int|float, or a string of 32-bit floats as pack('g*', …) gives, a string of 7 bytes given
text: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'e' must be a list of int|float, or a string of 32-bit floats as pack('g*', …) gives, int given
1 0.9600
other bits: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index %s was created otherwise: field "e" is Vector of 2 numbers in 32 bits (Cosine), not Vector of 2 numbers in 16 bits (Cosine). Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
too great for 16 bits: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'e' must have finite numbers: number 1 is not, as a 16-bit float
too small for 16 bits: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'e' must not have zeros alone, as 16-bit floats, which have no cosine
0 65504
1 0.0999755859375
2 5.96046447754e-8
3 5.96046447754e-8
4 0
int(0)
