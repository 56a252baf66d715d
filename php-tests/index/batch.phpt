--TEST--
searchBatch() gives what search() gives, with any number of threads, and keeps keys
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

mt_srand(3);
$writer = IndexWriter::open($folder = new_folder(), ['title' => ['weight' => 2], 'body' => []], memory: 16 << 20);
for ($i = 0; $i < 2000; $i++) {
    $words = fn (int $n) => implode(' ', array_map(fn () => 'w' . (int) (200 * (mt_rand() / mt_getrandmax()) ** 3), range(1, $n)));
    $writer->add($i, ['title' => $words(3), 'body' => $words(mt_rand(1, 60))]);
    if ($i % 700 === 0) {
        $writer->commit();
    }
}
$writer->commit();
$index = Index::open($folder);
$queries = ['none' => 'nothing', 'empty' => '', 5 => 'w1', '7' => '"w1 w2"'];
for ($i = 0; $i < 300; $i++) {
    $queries["q$i"] = implode(' ', array_map(fn () => 'w' . mt_rand(0, 60), range(1, mt_rand(1, 5))));
}
$plain = fn ($hits) => [array_map(fn ($hit) => [$hit->id, $hit->score, $hit->docId], iterator_to_array($hits)), $hits->total];
foreach ([[], ['matching' => 'any'], ['matching' => 'all-then-any', 'limit' => 50, 'offset' => 3, 'total' => true, 'weights' => ['title' => 0]]] as $options) {
    foreach ([0, 1, 2, 7] as $threads) {
        ini_set('postings.threads', $threads);
        $batch = $index->searchBatch($queries, ...$options);
        $same = array_keys($batch) === array_keys($queries);
        foreach ($queries as $key => $query) {
            $same = $same && $plain($batch[$key]) === $plain($index->search($query, ...$options));
        }
        echo json_encode($options), " $threads threads: ", $same ? 'same' : 'different', "\n";
    }
}
outcome('none', fn () => $index->searchBatch([]));
?>
--EXPECT--
[] 0 threads: same
[] 1 threads: same
[] 2 threads: same
[] 7 threads: same
{"matching":"any"} 0 threads: same
{"matching":"any"} 1 threads: same
{"matching":"any"} 2 threads: same
{"matching":"any"} 7 threads: same
{"matching":"all-then-any","limit":50,"offset":3,"total":true,"weights":{"title":0}} 0 threads: same
{"matching":"all-then-any","limit":50,"offset":3,"total":true,"weights":{"title":0}} 1 threads: same
{"matching":"all-then-any","limit":50,"offset":3,"total":true,"weights":{"title":0}} 2 threads: same
{"matching":"all-then-any","limit":50,"offset":3,"total":true,"weights":{"title":0}} 7 threads: same
none: returned array (
)
