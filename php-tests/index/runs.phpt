--TEST--
Documents that take more than the memory of a writer become one segment, and are found as those of a writer that has enough
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Analyzer, Index, IndexWriter};

function word(int $number): string
{
    return 'w' . base_convert((string) ($number * 7919), 10, 36) . ['', 's', 'ing'][$number % 3];
}

/** An index of documents, some of which replace others, and how many files there were before it was committed or searched. */
function written(int $memory, int $threads, bool $deletes): array
{
    $folder = new_folder();
    $writer = IndexWriter::open(
        $folder,
        ['text' => [], 'tag' => ['keyword' => true], 'number' => ['numeric' => true, 'stored' => true]],
        new Analyzer('english'),
        memory: $memory,
        threads: $threads,
    );
    mt_srand(7);
    for ($i = 0; $i < 12_000; $i++) {
        $text = '';
        for ($j = 0; $j < 100; $j++) {
            // The first words are common, the last ones rare.
            $text .= word((int) (100000 * (mt_rand() / mt_getrandmax()) ** 4)) . ' ';
        }
        // One of ten replaces a document that may be in a run already.
        $writer->add($i % 10 ? $i : intdiv($i, 3), ['text' => $text, 'tag' => 't' . $i % 50, 'number' => $i]);
    }
    $waiting = count(glob("$folder/*.segment"));
    if ($deletes) {
        $writer->deleteWhere(['tag' => 't7']);
    }
    $writer->commit();
    $writer->close();
    return [Index::open($folder), $waiting];
}

$shown = function (Index $index): array {
    [$a, $b, $c, $rare] = array_map('word', [0, 1, 2, 50001]);
    $queries = [$a, "$a $b", "\"$a $b\"", "$c OR $rare", "$a w1*", "$rare~1", "$a -$rare", $rare];
    $hits = array_map(fn ($query) => [
        array_map(fn ($hit) => [$hit->id, round($hit->score, 9), $hit->fields], iterator_to_array($index->search($query, limit: 20))),
        $index->count($query),
    ], $queries);
    return [$hits, $index->facets('tag', $a, limit: 60), $index->suggest('w1'), $index->terms('w2', 'text', limit: 50), count($index)];
};
foreach ([false, true] as $deletes) {
    [$whole, $waiting] = written(512 << 20, 1, $deletes);
    $expected = $shown($whole);
    echo $deletes ? 'Some deleted' : 'None deleted', "; with enough memory, files before the commit: ", $waiting, "\n";
    echo '  queries that find something: ', count(array_filter($expected[0], fn ($found) => $found[1] > 0)), "\n";
    foreach ([1, 2] as $threads) {
        [$index, $waiting] = written(16 << 20, $threads, $deletes);
        outcome("  $threads threads, several files before the commit", fn () => $waiting > 2);
        outcome('  segments', fn () => count(preg_grep('/segment$/', array_column($index->files(), 'name'))));
        outcome('  the same is found', fn () => $shown($index) == $expected);
    }
}
?>
--EXPECT--
None deleted; with enough memory, files before the commit: 0
  queries that find something: 7
  1 threads, several files before the commit: returned true
  segments: returned 1
  the same is found: returned true
  2 threads, several files before the commit: returned true
  segments: returned 1
  the same is found: returned true
Some deleted; with enough memory, files before the commit: 0
  queries that find something: 7
  1 threads, several files before the commit: returned true
  segments: returned 1
  the same is found: returned true
  2 threads, several files before the commit: returned true
  segments: returned 1
  the same is found: returned true
