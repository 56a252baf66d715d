--TEST--
Ranked search gives on a device the ids, order, scores and totals that it gives on the CPU
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
skip_without_device();
?>
--FILE--
<?php
require __DIR__ . '/../device.inc';
require __DIR__ . '/../index.inc';
use Postings\{Hits, Index, IndexWriter};

mt_srand(5);
$word = fn (int $words) => 'w' . (int) ($words ** (mt_rand() / mt_getrandmax()) - 1);
$words = fn (int $n, int $words) => implode(' ', array_map(fn () => $word($words), range(1, $n)));
$writer = IndexWriter::open($folder = new_folder(), [
    'title' => ['weight' => 2.5],
    'body' => [],
    'tag' => ['keyword' => true],
    'year' => ['numeric' => true],
], memory: 16 << 20, threads: 1);
for ($i = 0; $i < 6000; $i++) {
    $writer->add($i % 3 ? $i : "id $i", ['title' => $words(mt_rand(1, 4), 400), 'body' => $words(mt_rand(1, 250), 2000), 'tag' => 't' . $i % 7, 'year' => $i % 30]);
    if ($i % 2500 === 2499) {
        $writer->commit();
    }
}
for ($i = 0; $i < 6000; $i += 5) {
    $writer->delete($i % 3 ? $i : "id $i");
}
$writer->commit();
$index = Index::open($folder);

$queries = ['empty' => '', 'unknown' => 'unknown', 'signs' => '!?', 'not' => '-w1', 7 => 'w0', 'twice' => 'w1 w1 w2', 'field' => 'title:w3 w1',
    'other field' => 'title:w1 body:w1', 'without' => 'w2 w3 -w4 -title:w0', 'some unknown' => 'w1 unknown', 'phrase' => '"w0 w1" w2',
    'not the phrase' => 'w0 -"w0 w1"', 'three words' => '"w1 w0 w2"', 'phrase of nothing' => '"w1999 w1998" w0', 'title phrase' => 'title:"w0 w1" w2',
    'not the prefix' => 'w1 -w2*',
    'prefix' => 'w19* w0', 'fuzzy' => 'w12~', 'long' => $words(60, 300), 'too long' => $words(400, 2000)];
while (count($queries) < 50) {
    $queries[] = $words(mt_rand(1, 5), 300);
}
$plain = fn (Hits $hits) => [$hits->total, array_map(fn ($hit) => [$hit->id, $hit->score, $hit->docId], iterator_to_array($hits))];
$batch = fn (...$options) => fn () => array_map($plain, $index->searchBatch($queries, ...$options));
foreach (['all', 'any', 'all-then-any'] as $matching) {
    foreach ([
        [],
        ['limit' => 200, 'total' => true],
        ['limit' => 5, 'offset' => 9],
        ['limit' => most_hits()],
        ['filter' => ['tag' => ['t1', 't4'], 'year' => [3, 20]], 'total' => true],
        ['weights' => ['title' => 0]],
        ['weights' => ['title' => 7, 'body' => 0.25], 'k1' => 0.9, 'b' => 0.4],
    ] as $options) {
        compare("$matching " . json_encode($options), $batch(...$options, matching: $matching));
    }
    compare("$matching, one query", fn () => $plain($index->search('w1 w2', matching: $matching)));
}
$found = $batch(matching: 'any')();
var_dump(array_keys($found) === array_keys($queries), count($found[7][1]));

/** Where a search was done. */
$where = function (callable $search): string {
    use_device();
    $before = Postings\stats();
    $search();
    $after = Postings\stats();
    return ($after['device_calls'] - $before['device_calls']) . ' device, ' . ($after['cpu_calls'] - $before['cpu_calls']) . ' CPU';
};
echo 'usual: ', $where(fn () => $index->searchBatch($queries)), "\n";
echo 'more than most: ', $where(fn () => $index->search('w1', limit: most_hits() + 1)), "\n";
echo 'more than most with the offset: ', $where(fn () => $index->search('w1', limit: 24, offset: most_hits() - 23)), "\n";

// Memory for few lists: some are evicted, and sent again.
ini_set('postings.device_memory', '1M');
$before = Postings\stats();
foreach (['all', 'any'] as $matching) {
    foreach (array_chunk(range(0, 1999), 100) as $i => $numbers) {
        $queries = array_map(fn ($number) => "w$number w" . ($number + 17) % 50, $numbers);
        compare("1M, $matching, $i", $batch(matching: $matching));
    }
}
$after = Postings\stats();
var_dump($after['cache_evictions'] > $before['cache_evictions'], $after['cache_bytes'] <= 1 << 20, $after['cache_misses'] > $before['cache_misses'], $after['cache_hits'] > $before['cache_hits']);
// Of a log that does not fit, the lists that most queries need are there.
use_device();
$log = array_map(fn ($number) => "body:w$number", range(0, 1999));
array_push($log, 'body:w600', 'body:w600');
$few = $index->warm($log);
$before = Postings\stats();
$index->search('body:w600');
$after = Postings\stats();
var_dump($few > 0, $after['cache_misses'] === $before['cache_misses'], $after['device_calls'] - $before['device_calls']);
ini_restore('postings.device_memory');
var_dump($index->warm($log) > $few);

// Phrases of all pairs of some words: the device makes their lists, and keeps them.
$phrases = [];
foreach (range(0, 7) as $a) {
    foreach (range(0, 7) as $b) {
        $phrases[] = "\"w$a w$b\"";
    }
}
$queries = $phrases;
foreach (['all', 'any', 'all-then-any'] as $matching) {
    compare("phrases, $matching", $batch(matching: $matching, total: true));
}
$queries = array_map(fn ($phrase) => "w9* -$phrase", $phrases);
compare('excluded phrases', $batch(matching: 'any', total: true));
use_device();
var_dump($index->warm($phrases) >= 64);
$before = Postings\stats();
foreach ($phrases as $phrase) {
    $index->search($phrase);
}
$after = Postings\stats();
var_dump($after['cache_misses'] === $before['cache_misses'], $after['device_calls'] - $before['device_calls']);

// A commit replaces segments; the old snapshot goes on.
$writer->add('new', ['title' => 'w1', 'body' => 'w1 w2']);
$writer->optimize(reorder: true);
$new = Index::open($folder);
$queries = ['w1', 'w1 w2', 'w1 w2 w3'];
compare('old snapshot', $batch(matching: 'any'));
$index = $new;
compare('new snapshot', fn () => array_map($plain, $new->searchBatch($queries, matching: 'any', total: true)));
unset($index, $new);
?>
--EXPECT--
bool(true)
int(10)
usual: 1 device, 0 CPU
more than most: 0 device, 1 CPU
more than most with the offset: 0 device, 1 CPU
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
bool(true)
int(64)
