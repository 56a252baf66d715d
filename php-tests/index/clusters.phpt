--TEST--
Vectors in clusters: nearest(probes:), nearestBatch(probes:), LeafClient, and what is refused
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter, Leaf, LeafClient};

mt_srand(11);
$noise = fn (float $size) => fn () => $size * (mt_rand() / mt_getrandmax() - 0.5);
$vector = fn (array $centre) => pack('g*', ...array_map(fn ($x) => $x + $noise(2)(), $centre));
$centres = array_map(fn () => array_map($noise(2), range(1, 8)), range(1, 100));
$fields = ['tag' => ['keyword' => true], 'e' => ['vector' => 8, 'clusters' => true], 'plain' => ['vector' => 2]];
$folder = new_folder();
$writer = IndexWriter::open($folder, $fields, threads: 1);
for ($i = 0; $i < 6000; $i++) {
    $writer->add($i, ['tag' => 't' . $i % 4, 'e' => $vector($centres[$i % 100])]);
}
$writer->commit();
// A segment that is too small for clusters.
for (; $i < 6100; $i++) {
    $writer->add($i, ['tag' => 't' . $i % 4, 'e' => $vector($centres[$i % 100])]);
}
$writer->delete(7);
$writer->commit();
$index = Index::open($folder);
echo json_encode($index->fields()['e']), "\n";
$queries = array_map($vector, array_slice($centres, 0, 50));
$recall = function (Index $index, ?int $probes, mixed ...$options) use ($queries): float {
    $found = 0;
    $all = $index->nearestBatch('e', $queries, ...$options);
    foreach ($index->nearestBatch('e', $queries, ...$options, probes: $probes) as $key => $hits) {
        $found += count(array_intersect($all[$key]->ids(), $hits->ids()));
        if ($hits->ids() !== $index->nearest('e', $queries[$key], ...$options, probes: $probes)->ids()) {
            echo "a batch finds something else\n";
        }
    }
    return $found / array_sum(array_map(count(...), $all));
};
$tagged = ['filter' => ['tag' => 't1'], 'limit' => 5, 'offset' => 2];
foreach ([[], $tagged] as $options) {
    var_dump($recall($index, 1, ...$options) < 1, $recall($index, 16, ...$options) > 0.8);
    var_dump($recall($index, null, ...$options), $recall($index, 1000, ...$options), $recall($index, PHP_INT_MAX, ...$options));
}
$scores = fn (iterable $hits) => array_map(fn ($hit) => [$hit->id, $hit->score], iterator_to_array($hits));
$leaf = Leaf::open($folder);
$client = LeafClient::fromResponse($leaf->handle(LeafClient::schemaRequest()));
foreach ([1, 4, null] as $probes) {
    $request = $client->nearest('e', $queries[0], probes: $probes);
    var_dump($scores($request->read($leaf->handle($request->bytes()))) === $scores($index->nearest('e', $queries[0], probes: $probes)));
}
$writer->optimize();
$merged = Index::open($folder);
var_dump($merged->documents(), $recall($merged, 16) > 0.9, $recall($merged, 1000));
$writer->close();

// Without the option, the next segments have none.
IndexWriter::open($folder, array_replace_recursive($fields, ['e' => ['clusters' => false]]))->commit();
outcome('no more', fn () => Index::open($folder)->nearest('e', $queries[0], probes: 1));
outcome('0', fn () => $index->nearest('e', $queries[0], probes: 0));
outcome('negative', fn () => $index->nearestBatch('e', $queries, probes: -3));
outcome('text', fn () => $index->nearest('e', $queries[0], probes: 'many'));
outcome('no clusters', fn () => $index->nearest('plain', [1, 2], probes: 1));
outcome('no clusters, in a batch', fn () => $index->nearestBatch('plain', [], probes: 1));
outcome('no clusters, elsewhere', fn () => $client->nearest('plain', [1, 2], probes: 1));
outcome('not of a search', fn () => $index->search('a', nearest: ['e' => $queries[0]], probes: 1));
outcome('no bool', fn () => IndexWriter::open(new_folder(), ['e' => ['vector' => 3, 'clusters' => 1]]));
outcome('no vectors', fn () => IndexWriter::open(new_folder(), ['e' => ['clusters' => true]]));
?>
--EXPECT--
{"vector":8,"metric":"cosine","bits":32,"clusters":true}
bool(true)
bool(true)
float(1)
float(1)
float(1)
bool(true)
bool(true)
float(1)
float(1)
float(1)
bool(true)
bool(true)
bool(true)
int(6099)
bool(true)
float(1)
no more: ValueError: Postings\Index::nearest(): Argument #7 ($probes) must be null: field 'e' has no clusters
0: ValueError: Postings\Index::nearest(): Argument #7 ($probes) must be null or at least 1, 0 given
negative: ValueError: Postings\Index::nearestBatch(): Argument #7 ($probes) must be null or at least 1, -3 given
text: TypeError: Postings\Index::nearest(): Argument #7 ($probes) must be of type ?int, string given
no clusters: ValueError: Postings\Index::nearest(): Argument #7 ($probes) must be null: field 'plain' has no clusters
no clusters, in a batch: ValueError: Postings\Index::nearestBatch(): Argument #7 ($probes) must be null: field 'plain' has no clusters
no clusters, elsewhere: ValueError: Postings\LeafClient::nearest(): Argument #7 ($probes) must be null: field 'plain' has no clusters
not of a search: Error: Unknown named parameter $probes
no bool: TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'clusters' must be bool, int given
no vectors: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'e': 'metric' and 'clusters' need 'vector', the number of dimensions