--TEST--
memory_limit counts hits: as many bytes as they take, and the fatal error at the limit; nothing stays behind
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';
require __DIR__ . '/../child.inc';
use Postings\{Index, IndexWriter};

const DOCUMENTS = 200_000;
$make = function (callable $id) {
    $folder = new_folder();
    $writer = IndexWriter::open($folder, ['text' => [], 'kind' => ['keyword' => true]], positions: false);
    $writer->addAll((function () use ($id) {
        for ($i = 0; $i < DOCUMENTS; $i++) {
            yield $id($i) => ['text' => 'word', 'kind' => $i % 2];
        }
    })());
    $writer->commit();
    return $folder;
};
$folders = ['integers' => $make(fn ($i) => 7 * $i), 'strings' => $make(fn ($i) => "document $i")];
foreach ($folders as $kind => $folder) {
    $index = Index::open($folder);
    $index->search('word', limit: 1);
    $before = memory_get_usage();
    $hits = $index->search('word', limit: DOCUMENTS);
    $bytes = (memory_get_usage() - $before) / DOCUMENTS;
    $least = 24 + ($kind === 'strings' ? 14 : 0);
    echo $kind, ': ', $bytes >= $least && $bytes < $least + 10 ? 'counted' : "$bytes bytes a hit", ', ';
    // What they were made of is in them, wherever one looks.
    $last = DOCUMENTS - 1;
    echo json_encode([count($hits), $hits[0]->id, $hits[$last]->id, $hits[$last]->docId, count(array_unique($hits->ids())), isset($hits[DOCUMENTS])]), ', ';
    $iterator = $hits->getIterator();
    unset($hits);
    $iterator->next();
    echo json_encode($iterator->current()->id), ', ';
    unset($iterator);
    echo memory_get_usage() - $before < 100_000 ? 'freed' : 'not freed', "\n";
}
echo json_encode([count($index->search('nothing')), $index->search('nothing')->ids(), iterator_to_array($index->search('nothing'))]), "\n";

// The engine's own hits are not counted, so a batch of many must not hold all of them at once.
$resident = '$resident = fn () => (int) preg_replace("/.*VmHWM:\s*(\d+).*/s", "$1", file_get_contents("/proc/self/status")) >> 10;';
$start = '$index = Postings\Index::open(' . var_export($folders['strings'], true) . '); $index->search("word"); ' . $resident . '$before = $resident();
    register_shutdown_function(fn () => print($resident() - $before < 200 ? "" : "the process grew by " . $resident() - $before . " MB"));';
foreach ([
    'one' => '$index->search("word", limit: 1 << 40)',
    'many' => 'for ($i = 0; $i < 50; $i++) $all[] = $index->search("word", limit: 1 << 40)',
    'batch' => '$index->searchBatch(array_fill(0, 50, "word"), limit: 1 << 40)',
    'stream' => '$stream = $index->stream(limit: 100_000, capacity: 8); $stream->pushAll(array_fill(0, 8, "word")); while (count($stream)) $all[] = $stream->take(60_000)',
] as $name => $code) {
    foreach (['7M', '64M'] as $limit) {
        [$status, $output] = child("$start$code; echo 'there was room';", ['memory_limit' => $limit]);
        $output = preg_replace('/\s*(PHP )?Fatal error: +Allowed memory size of \d+ bytes exhausted.*line \d+\s*(Stack trace:.*\{main\}\s*)?/s', 'memory limit', $output);
        echo "$name, $limit: $status $output\n";
    }
}
// Keys, order and deadline of a batch that is searched in parts.
$queries = array_combine(array_map(fn ($i) => "q$i", range(1, 12)), array_map(fn ($i) => $i % 3 ? 'word' : 'nothing', range(1, 12)));
ini_set('memory_limit', '512M');
$batch = $index->searchBatch($queries, limit: DOCUMENTS);
$right = array_keys($batch) === array_keys($queries);
foreach ($queries as $key => $query) {
    $right = $right && count($batch[$key]) === ($query === 'word' ? DOCUMENTS : 0) && !$batch[$key]->expired;
}
echo $right ? 'right' : 'wrong', "\n";
$batch = $index->searchBatch($queries, limit: DOCUMENTS, deadline: 0);
echo count(array_filter($batch, fn ($hits) => $hits->expired && count($hits) === 0)), " expired\n";
?>
--EXPECT--
integers: counted, [200000,0,1399993,199999,200000,false], 7, freed
strings: counted, [200000,"document 0","document 199999",199999,200000,false], "document 1", freed
[0,[],[]]
one, 7M: 255 memory limit
one, 64M: 0 there was room
many, 7M: 255 memory limit
many, 64M: 255 memory limit
batch, 7M: 255 memory limit
batch, 64M: 255 memory limit
stream, 7M: 255 memory limit
stream, 64M: 0 there was room
right
12 expired
