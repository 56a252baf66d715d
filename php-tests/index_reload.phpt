--TEST--
Readers in other processes see a commit whole, at reload() and when they open the index; never a part of one
--SKIPIF--
<?php
require __DIR__ . '/child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/index.inc';
require __DIR__ . '/child.inc';
use Postings\{Index, IndexWriter};

$folder = new_folder();
$writer = IndexWriter::open($folder, ['text' => []]);
$fill = function (int $round) use ($writer) {
    for ($i = 0; $i < 50; $i++) {
        $writer->add($i, "round r$round");
    }
    $writer->commit();
};
$fill(0);
$reader = <<<'PHP'
    $index = Postings\Index::open($folder);
    $seen = [];
    $end = microtime(true) + 20;
    while (($round = $index->search('round', limit: 1)->ids() === [] ? -1 : 0) !== -1 && !file_exists("$folder.end") && microtime(true) < $end) {
        $index->reload();
        $hits = $index->searchBatch(array_map(fn ($r) => "r$r", range(0, 30)), limit: 0, total: true);
        $totals = array_filter(array_map(fn ($h) => $h->total, $hits));
        if (count($totals) !== 1 || reset($totals) !== 50 || count($index) !== 50) {
            exit('a part of a commit: ' . json_encode($totals));
        }
        $seen[key($totals)] = true;
    }
    echo count($seen) > 1 ? 'several commits, all whole' : 'saw ' . json_encode($seen), "\n";
    PHP;
$reader = '$folder = ' . var_export($folder, true) . ';' . $reader;
$command = [PHP_BINARY, '-n', '-d', 'extension=' . getenv('POSTINGS_LIBRARY'), '-r', $reader];
$process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
for ($round = 1; $round <= 30; $round++) {
    $fill($round);
    usleep(10000);
}
touch("$folder.end");
echo stream_get_contents($pipes[1]);
proc_close($process);
unlink("$folder.end");
// A reader that is never told keeps its snapshot, though its files are gone from the folder.
$index = Index::open($folder);
for ($round = 31; $round < 45; $round++) {
    $fill($round);
}
$writer->optimize();
echo count($index->search('r30', limit: 100)), ' ', count(Index::open($folder)->search('r44', limit: 100)), ' ', $index->reload() ? 'newer' : 'none', ' ', count($index->search('r30')), "\n";
?>
--EXPECT--
several commits, all whole
50 50 newer 0
