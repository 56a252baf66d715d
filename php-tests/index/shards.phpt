--TEST--
Several indexes, told the sum of their statistics, find what one index of all documents finds
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';

use Postings\{Analyzer, Filter, Hits, Index, IndexWriter, Leaf, LeafClient, Statistics};

mt_srand(21);
$fields = ['title' => ['weight' => 2, 'stored' => true], 'body' => [], 'tag' => ['keyword' => true], 'price' => ['numeric' => true]];
$words = fn (int $count): string => implode(' ', array_map(fn () => 'w' . (int) (mt_rand(0, 40) * mt_rand(0, 40) / 20), range(1, $count)));
$open = fn (string $folder, ?string $language = null) => IndexWriter::open($folder, $fields, new Analyzer($language));
$one = $open($joined = new_folder());
$shards = [];
foreach (range(0, 3) as $shard) {
    $writer = $open($folder = new_folder());
    foreach (range(0, 3) as $commit) {
        foreach (range(1, 40) as $number) {
            $id = 1000 * $shard + 40 * $commit + $number;
            $writer->add($id, [
                'title' => $words(3), 'body' => $words(mt_rand(5, 60)), 'tag' => ['t' . mt_rand(0, 4)], 'price' => mt_rand(0, 20),
            ]);
        }
        $writer->commit();
    }
    $writer->close();
    $one->addIndex($folder);
    $shards[] = Index::open($folder);
    $leaves[] = Leaf::open($folder);
}
$one->commit();
$one->close();
$one = Index::open($joined);
$client = LeafClient::fromResponse($leaves[0]->handle(LeafClient::schemaRequest()));
$ask = fn ($request) => array_map(fn ($leaf) => $request->read($leaf->handle($request->bytes($leaf->commit()))), $leaves);

// By way of bytes, as from another machine.
function all(array $shards, array|string $queries, array $reading = [], int $rounds = 1): Statistics
{
    for ($sum = null; $rounds > 0; --$rounds) {
        $bytes = array_map(fn ($shard) => $shard->statistics($queries, ...$reading, statistics: $sum)->toBytes(), $shards);
        $sum = Statistics::sum(...array_map(Statistics::fromBytes(...), $bytes));
    }
    return $sum;
}

$same = function (string $what, Hits $merged, Hits $wanted): void {
    $values = fn (Hits $hits) => array_map(fn ($hit) => [$hit->id, $hit->score, $hit->fields, $hit->distance], iterator_to_array($hits));
    if ($values($merged) !== $values($wanted) || $merged->total !== $wanted->total || $merged->facets !== $wanted->facets) {
        echo "$what: differs\n";
    }
};
$queries = ['w1', 'w1 w5', 'w3 w9 -w2', '+w7 w1 w2', '"w1 w2"', '"w2 w3"~2', 'w1* w0', 'w12~ w4', 'title:w6 w3^2', 'nobody w1', ''];
$options = [
    [], ['matching' => 'any'], ['matching' => 'all-then-any'], ['weights' => ['title' => 0]], ['k1' => 0.9, 'b' => 0.3],
    ['filter' => ['tag' => 't1', Filter::above('price', 3)], 'matching' => 'any'], ['sort' => ['price' => 'desc', 'tag' => 'asc']],
    ['sort' => ['tag' => 'asc', ':score' => 'desc'], 'matching' => 'any'], ['distinct' => 'tag', 'matching' => 'any'],
    ['typos' => 1, 'prefix' => true], ['facets' => ['tag' => 9, 'price'], 'matching' => 'any'], ['synonyms' => ['w1' => 'w17']],
];
$reading = array_flip(['weights', 'typos', 'prefix', 'fields', 'syntax', 'maxWords', 'synonyms']);
$count = 0;
foreach ($options as $given) {
    $sum = all($shards, $queries, array_intersect_key($given, $reading));
    $batches = array_map(fn ($shard) => $shard->searchBatch($queries, ...$given, limit: 25, total: true, statistics: $sum), $shards);
    $fromBatches = $ask($client->searchBatch($queries, ...$given, limit: 25, total: true, statistics: $sum));
    $told = $ask($client->statistics($queries, ...array_intersect_key($given, $reading)));
    if (Statistics::sum(...$told)->toBytes() !== $sum->toBytes()) {
        echo json_encode($given), ": leaves tell otherwise\n";
    }
    foreach ($queries as $at => $query) {
        $what = json_encode([$query, $given]);
        $hits = array_map(fn ($shard) => $shard->search($query, ...$given, limit: 25, total: true, statistics: $sum), $shards);
        $wanted = $one->search($query, ...$given, limit: 20, offset: 5, total: true);
        $same($what, Hits::merge($hits, 20, 5), $wanted);
        $from = $ask($client->search($query, ...$given, limit: 25, total: true, statistics: $sum));
        $same("$what, from leaves", Hits::merge($from, 20, 5), $wanted);
        $same("$what, from leaves in two steps", Hits::merge([Hits::merge(array_slice($from, 0, 2), 25), Hits::merge(array_slice($from, 2), 25)], 20, 5), $wanted);
        $same("$what, from leaves in a batch", Hits::merge(array_column($fromBatches, $at), 20, 5), $wanted);
        $same("$what, batch", Hits::merge(array_column($batches, $at), 20, 5), $wanted);
        // In two steps.
        $halves = [Hits::merge(array_slice($hits, 0, 2), 25), Hits::merge(array_slice($hits, 2), 25)];
        $same("$what, in two steps", Hits::merge($halves, 20, 5), $wanted);
        if (!isset($given['sort']) && !isset($given['distinct']) && !isset($given['facets']) && ($given['matching'] ?? '') !== 'all-then-any') {
            $same("$what, unserialized", Hits::merge(unserialize(serialize($hits)), 20, 5), $wanted);
        }
        $explained = array_intersect_key($given, $reading + ['matching' => 1, 'k1' => 1, 'b' => 1]);
        foreach ($wanted->ids() as $id) {
            $parts = array_filter(array_map(fn ($shard) => $shard->explain($query, $id, ...$explained, statistics: $sum), $shards));
            if (array_values($parts) !== [$one->explain($query, $id, ...$explained)]) {
                echo "$what: explained otherwise\n";
            }
        }
        $counted = array_intersect_key($given, $reading + ['matching' => 1, 'filter' => 1]);
        $counts = array_map(fn ($shard) => $shard->count($query, ...$counted, statistics: $sum), $shards);
        if (array_sum($counts) !== $wanted->total) {
            echo "$what: counted otherwise\n";
        }
        ++$count;
    }
}
echo "$count compared\n";

// Streams.
$sum = all($shards, $queries);
$taken = array_map(function ($shard) use ($queries, $sum) {
    $stream = $shard->stream(deadline: null, statistics: $sum);
    $tickets = $stream->pushAll($queries);
    for ($taken = []; count($stream) > 0;) {
        $taken += $stream->take(1000);
    }
    return array_map(fn ($ticket) => $taken[$ticket], $tickets);
}, $shards);
foreach ($queries as $at => $query) {
    $same("$query, stream", Hits::merge(array_column($taken, $at)), $one->search($query));
}

// What they are.
$sum = all($shards, 'w1 w5');
var_dump($sum->documents(), $sum->indexes(), count($sum), strlen($sum->toBytes()) <= 100 * count($sum));
var_dump($sum->tokens()['title'] === 3 * 640, count($shards[0]->statistics([])));

// What does not fit.
$throws = function (callable $call): void {
    try {
        $call();
        echo "nothing was thrown\n";
    } catch (Throwable $error) {
        echo $error::class, ': ', preg_replace('/[0-9a-f]{16}/', '…', $error->getMessage()), "\n";
    }
};
$throws(fn () => $shards[0]->search('w3', statistics: $sum));
$throws(fn () => $shards[0]->search('w1*', statistics: $sum));
$throws(fn () => $shards[0]->searchBatch(['w1', 'w3'], statistics: $sum));
$throws(fn () => $shards[0]->search('w1', statistics: Statistics::sum(...array_map(fn ($shard, $query) => $shard->statistics($query), $shards, ['w1', 'w1', 'w1', 'w2']))));
$throws(fn () => Statistics::sum());
$throws(fn () => Statistics::sum($sum, 1));
$throws(fn () => Statistics::fromBytes(substr($sum->toBytes(), 0, -1)));
$throws(fn () => Statistics::fromBytes(''));
$throws(fn () => $shards[0]->statistics(1.5));
$throws(fn () => $shards[0]->statistics(['w1', []]));
$throws(fn () => $shards[0]->search('w1', statistics: 'w1'));
$hits = array_map(fn ($shard) => $shard->search('w1', statistics: $sum), $shards);
$throws(fn () => Hits::merge($hits, 11));
$throws(fn () => Hits::merge([]));
$throws(fn () => Hits::merge([$hits[0], 'w1']));
$throws(fn () => Hits::merge([$hits[0], $shards[1]->search('w1', sort: ['price' => 'asc'])]));
$throws(fn () => Hits::merge([$shards[1]->search('w1', offset: 1)]));
$throws(fn () => Hits::merge([unserialize(serialize($shards[1]->search('w1', sort: ['price' => 'asc'])))]));
$throws(fn () => Hits::merge(array_map(fn ($shard) => $shard->search('w1', facets: ['tag' => 2], statistics: $sum), $shards)));
var_dump(array_sum(Hits::merge(array_map(fn ($shard) => $shard->search('', facets: ['tag' => 9]), $shards), facets: 9)->facets['tag']));
$counted = array_map(fn ($shard) => $shard->search('', facets: ['tag' => 9]), $shards);
var_dump(count(Hits::merge($counted, facets: ['tag' => 2])->facets['tag']), count(Hits::merge($counted, facets: ['other' => 2])->facets['tag']));
$throws(fn () => Hits::merge($counted, facets: 'tag'));
$throws(fn () => Hits::merge($counted, facets: ['tag' => 'all']));
$throws(fn () => Hits::merge($counted, facets: ['tag' => -1]));
var_dump($shards[0]->search('w1', statistics: null) == $shards[0]->search('w1'), $sum == $sum, $sum == Statistics::fromBytes($sum->toBytes()));

// Where terms are stems, what another index has is known after a second round.
$shards = [];
$one = $open($joined = new_folder(), 'english');
foreach (['run', 'running', 'other'] as $number => $title) {
    $writer = $open($folder = new_folder(), 'english');
    $writer->add($number, ['title' => $title]);
    $writer->commit();
    $writer->close();
    $one->addIndex($folder);
    $shards[] = Index::open($folder);
}
$one->commit();
$one->close();
$one = Index::open($joined);
$throws(fn () => $shards[0]->search('runn*', statistics: all($shards, 'runn*')));
$throws(fn () => $shards[0]->search('runn*', statistics: $sum));
$sum = all($shards, 'runn*', rounds: 2);
$same('stems', Hits::merge(array_map(fn ($shard) => $shard->search('runn*', total: true, statistics: $sum), $shards)), $one->search('runn*', total: true));
echo count($one->search('runn*')), "\n";
?>
--EXPECT--
132 compared
int(640)
int(4)
int(4)
bool(true)
bool(true)
int(0)
Postings\StatisticsException: the statistics do not tell of the term "w3" of the field title
Postings\StatisticsException: the statistics do not tell of what "w1*" stands for in the field title: those of a sum need the same queries, or a second round
Postings\StatisticsException: the statistics do not tell of the term "w3" of the field title
Postings\StatisticsException: of the term "w1" of the field title only 3 of 4 indexes tell: those of a sum need the same queries, or a second round
Postings\StatisticsException: there are no statistics to sum up
TypeError: Postings\Statistics::sum(): Argument #2 must be of type Postings\Statistics, int given
Postings\CorruptDataException: statistics: checksum at byte 62: it is wrong
Postings\CorruptDataException: statistics: end at byte 0: no checksum
TypeError: Postings\Index::statistics(): Argument #1 ($queries) must be of type array|string, float given
TypeError: Postings\Index::statistics(): Argument #1 ($queries) must contain only string, array given at index 1
TypeError: Postings\Index::search(): Argument #20 ($statistics) must be of type ?Postings\Statistics, string given
ValueError: Postings\Hits::merge(): Argument #1 ($hits) cannot be used: hits 0 were limited to 10, and 11 are to be merged
ValueError: Postings\Hits::merge(): Argument #1 ($hits) must have Hits to merge, [] given
TypeError: Postings\Hits::merge(): Argument #1 ($hits) must contain only Postings\Hits, string given at index 1
ValueError: Postings\Hits::merge(): Argument #1 ($hits) must be of searches that order, group and count alike: those at index 1 differ
ValueError: Postings\Hits::merge(): Argument #1 ($hits) cannot be used: hits 0 do not begin at the first: they have an offset or a place
ValueError: Postings\Hits::merge(): Argument #1 ($hits) have hits at index 0 that were unserialized, and are not in the order of scores alone
ValueError: Postings\Hits::merge(): Argument #1 ($hits) have too few values of the facet 'tag' for the 2 most frequent of all: ask each index for more than 2, or merge with a smaller $facets
int(640)
int(2)
int(5)
TypeError: Postings\Hits::merge(): Argument #4 ($facets) must be of type array|int|null, string given
TypeError: Postings\Hits::merge(): Argument #4 ($facets) must contain only int, string given for 'tag'
ValueError: Postings\Hits::merge(): Argument #4 ($facets) must not be negative, -1 given
bool(false)
bool(true)
bool(false)
Postings\StatisticsException: of the term "run" of the field title only 1 of 3 indexes tell: those of a sum need the same queries, or a second round
Postings\StatisticsException: the statistics are of another schema or analyzer, …; that of the index is …
2
