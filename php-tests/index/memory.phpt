--TEST--
memory_limit ends a script as usual, wherever it strikes; nothing grows with the number of calls
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
$writer = IndexWriter::open($folder, ['text' => ['stored' => true], 'tag' => ['keyword' => true, 'stored' => true]]);
$writer->addAll((function () {
    for ($i = 0; $i < 30000; $i++) {
        yield "document $i" => ['text' => "text w$i " . str_repeat('x', 500), 'tag' => "tag $i"];
    }
})());
$writer->add('large', ['text' => str_repeat('large text ', 1000000)]);
$writer->commit();
$writer->close();
$start = '$index = Postings\Index::open(' . var_export($folder, true) . '); $hits = $index->search("", limit: 1 << 40); echo "start\n"; ';
foreach ([
    'iterator_to_array($hits)', '$hits->ids()', 'json_encode($hits)', '$index->facets("tag", limit: 1 << 40)', '$index->terms(limit: 1 << 40)', '$index->stored("large")',
    '$index->searchBatch(array_fill(0, 30000, ""), limit: 1)', '$index->highlight("text", $index->stored("large")["text"])',
    '(new Postings\Analyzer())->tokens(str_repeat("word ", 100000))',
] as $code) {
    // The script has all but some 3 MB of its memory: were memory_limit itself as small, PHP would come to twice of it, where
    // it kills the process, by making one of its own arrays larger.
    $full = '$full = str_repeat("x", 13 << 20); ini_set("memory_limit", "16M");';
    [$status, $output] = child("$start$full$code; echo 'there was room';");
    echo $code, ': ', $status, ' ', preg_replace(['/\s*(PHP )?Fatal error: +Allowed memory size of \d+ bytes exhausted.*/s', '/\s+/'], [' memory limit', ' '], $output), "\n";
}

// Memory does not grow with the number of calls, failing ones included.
$index = Index::open($folder);
$resident = fn () => (int) preg_replace('/.*VmRSS:\s*(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
$other = IndexWriter::open(new_folder(), ['text' => []], memory: 16 << 20);
class Failing
{
    public function __toString(): string
    {
        throw new DomainException();
    }
}
$try = function (callable $code) {
    try {
        $code();
    } catch (Throwable) {
    }
};
$round = function () use ($index, $other, $try) {
    for ($i = 0; $i < 300; $i++) {
        foreach ($index->search("w$i text", limit: 20, total: true, filter: ['tag' => ["tag $i", 'x']], weights: ['text' => 2]) as $hit) {
            $hit->fields;
        }
        json_encode($index->search("w$i"));
        $index->searchBatch(['a' => "w$i", 'b' => 'nosuch']);
        $index->terms('w1', limit: 20);
        $index->suggest('w1');
        $index->explain("w$i text", "document $i");
        $index->snippet('text', str_repeat('a text ', 100));
        $index->stored("document $i");
        $try(fn () => $index->search('x', filter: ['text' => 1]));
        $try(fn () => $index->searchBatch(['x', 1]));
        $text = str_repeat('text ', 1000);
        $try(fn () => $other->add(1, ['text' => $text, 'no' => 1]));
        $try(fn () => $other->addAll((function () use ($text) { yield 1 => $text; yield 2 => ['text' => new Failing()]; })()));
        $try(fn () => $other->addAll([1 => $text], fn () => throw new DomainException()));
        $other->rollback();
        (new Postings\Analyzer('english', stopWords: ['x']))->tokens($text);
        $try(fn () => new Postings\Analyzer('klingon'));
        Index::open($index === null ? '' : $GLOBALS['folder']);
    }
};
$round();
$round();
$before = [memory_get_usage(), $resident()];
for ($i = 0; $i < 5; $i++) {
    $round();
}
$after = [memory_get_usage(), $resident()];
outcome('PHP memory', fn () => $after[0] - $before[0] < 10000);
outcome('resident memory', fn () => $after[1] - $before[1] < 8192 ? true : $after[1] - $before[1]);
?>
--EXPECT--
iterator_to_array($hits): 255 start memory limit
$hits->ids(): 255 start memory limit
json_encode($hits): 255 start memory limit
$index->facets("tag", limit: 1 << 40): 255 start memory limit
$index->terms(limit: 1 << 40): 255 start memory limit
$index->stored("large"): 255 start memory limit
$index->searchBatch(array_fill(0, 30000, ""), limit: 1): 255 start memory limit
$index->highlight("text", $index->stored("large")["text"]): 255 start memory limit
(new Postings\Analyzer())->tokens(str_repeat("word ", 100000)): 255 start memory limit
PHP memory: returned true
resident memory: returned true
