--TEST--
Readers in other processes see a commit whole, at reload() and when they open the index; never a part of one
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
    while (!feof(STDIN)) {
        $index->reload();
        $hits = $index->searchBatch(array_map(fn ($r) => "r$r", range(0, 30)), limit: 0, total: true);
        $totals = array_filter(array_map(fn ($h) => $h->total, $hits));
        if (count($totals) !== 1 || reset($totals) !== 50 || count($index) !== 50) {
            exit('a part of a commit: ' . json_encode($totals));
        }
        if (key($totals) !== ($last ?? null)) {
            echo $last = key($totals), "\n";
        }
        // Does not wait, but notices the end.
        $ready = [STDIN];
        $none = [];
        if (stream_select($ready, $none, $none, 0)) {
            fgets(STDIN);
        }
    }
    PHP;
$reader = '$folder = ' . var_export($folder, true) . ';' . $reader;
$command = [PHP_BINARY, '-n', '-d', 'extension=' . getenv('POSTINGS_LIBRARY'), '-r', $reader];
$process = proc_open($command, [0 => ['pipe', 'r'], 1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
$waited = 0;
for ($round = 1; $round <= 30; $round++) {
    $fill($round);
    // Most commits come while it reads, but it is waited for now and then.
    while ($round % 5 === 0 && ($line = fgets($pipes[1])) !== "$round\n") {
        if ($line === false || !preg_match('/^\d+$/', $line)) {
            exit("the reader said $line" . stream_get_contents($pipes[1]));
        }
    }
    $waited += (int) ($round % 5 === 0);
}
fclose($pipes[0]);
echo stream_get_contents($pipes[1]);
echo $waited, proc_close($process) === 0 ? ' and more commits, all whole' : '', "\n";
// A reader that is never told keeps its snapshot, though its files are gone from the folder.
$index = Index::open($folder);
for ($round = 31; $round < 45; $round++) {
    $fill($round);
}
$writer->optimize();
echo count($index->search('r30', limit: 100)), ' ', count(Index::open($folder)->search('r44', limit: 100)), ' ', $index->reload() ? 'newer' : 'none', ' ', count($index->search('r30')), "\n";
?>
--EXPECT--
6 and more commits, all whole
50 50 newer 0
