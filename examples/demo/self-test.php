<?php

/**
 * Tests the demo: documents are read as they should be, and the index finds what BM25 finds, computed in plain PHP for
 * every document. On Debian with 3,000 packages, spread over all.
 */

declare(strict_types=1);

namespace Postings\Demo;

use Postings\{Analyzer, Index, IndexWriter};

require __DIR__ . '/Batch.php';
require __DIR__ . '/Console.php';
require __DIR__ . '/Corpus.php';

/** BM25 over the fields of Corpus: every document is scored for every word. */
final class Exhaustive
{
    private const K1 = 1.2;
    private const B = 0.75;

    /** @var array<string, array<int|string, list<string>>> field => document => terms */
    private array $terms = [];
    private int $documents = 0;

    /** @param array<int|string, array<string, string|int>> $documents */
    public function __construct(array $documents, private readonly Analyzer $analyzer)
    {
        $this->documents = count($documents);
        foreach (['name', 'summary', 'text'] as $field) {
            foreach ($documents as $id => $document) {
                $this->terms[$field][$id] = $analyzer->tokens((string) ($document[$field] ?? ''));
            }
        }
    }

    /**
     * All documents that have all words, or any of them, in any field.
     *
     * @return array<int|string, float> document => score, best first, equal ones in the order of the documents
     */
    public function search(string $query, bool $all): array
    {
        $scores = $found = [];
        $words = $this->analyzer->tokens($query);
        foreach ($words as $word) {
            $matches = [];
            foreach ($this->terms as $field => $terms) {
                $average = array_sum(array_map('count', $terms)) / $this->documents;
                $frequencies = array_filter(array_map(static fn (array $t): int => count(array_keys($t, $word, true)), $terms));
                $n = count($frequencies);
                $idf = log(1 + ($this->documents - $n + 0.5) / ($n + 0.5));
                foreach ($frequencies as $id => $tf) {
                    $norm = self::K1 * (1 - self::B + self::B * self::rounded(count($terms[$id])) / $average);
                    $scores[$id] = ($scores[$id] ?? 0) + (Corpus::FIELDS[$field]['weight'] ?? 1) * $idf * (self::K1 + 1) * $tf / ($tf + $norm);
                    $matches[$id] = true;
                }
            }
            foreach (array_keys($matches) as $id) {
                $found[$id] = ($found[$id] ?? 0) + 1;
            }
        }
        $inOrder = [];
        foreach (array_keys($this->terms['name']) as $id) {
            if (($found[$id] ?? 0) >= ($all ? count($words) : 1)) {
                $inOrder[$id] = $scores[$id];
            }
        }
        arsort($inOrder);
        return $inOrder;
    }

    /** Lengths above 40 are rounded down to eight steps per doubling, from 24 on. */
    private static function rounded(int $length): int
    {
        if ($length <= 40) {
            return $length;
        }
        $step = 2 << (int) floor(log(($length - 24) / 16, 2));
        return $length - ($length - 24) % $step;
    }
}

$passed = $failed = 0;
$check = static function (string $what, bool $good) use (&$passed, &$failed): void {
    $good ? ++$passed : ++$failed;
    echo $good ? '' : "FAILED: $what\n";
};

Console::start([], "php -d extension=…/postings.so self-test.php\n");
$folder = sys_get_temp_dir() . '/postings-demo-' . getmypid();
mkdir("$folder/texts/deeper", 0777, true);
register_shutdown_function(static fn () => exec('rm -rf ' . escapeshellarg($folder)));

/** Indexes documents, in several segments with deletions where told so, and compares searches with exhaustive ones. */
$compare = static function (string $what, array $documents, array $queries, bool $pieces) use ($folder, $check): void {
    $analyzer = new Analyzer('english');
    $writer = IndexWriter::open("$folder/" . md5($what), Corpus::FIELDS, $analyzer);
    foreach (array_chunk($documents, $pieces ? (int) ceil(count($documents) / 7) : PHP_INT_MAX, true) as $chunk) {
        $writer->add('deleted later', ['text' => implode(' ', $queries)]);
        $writer->addAll($chunk);
        $writer->commit();
    }
    $writer->delete('deleted later');
    $writer->optimize(reorder: !$pieces);
    $index = Index::open("$folder/" . md5($what));
    $exhaustive = new Exhaustive($documents, $analyzer);
    $check("$what: number of documents", count($index) === count($documents));
    foreach ($queries as $query) {
        foreach (['all', 'any'] as $matching) {
            $expected = $exhaustive->search($query, $matching === 'all');
            $hits = $index->search($query, limit: 20, matching: $matching, total: true);
            $check("$what: $query ($matching): total $hits->total, not " . count($expected), $hits->total === count($expected));
            $check("$what: $query ($matching): number of hits", count($hits) === min(20, count($expected)));
            // Scores decide, not ids: those of two documents may differ in the last bits only.
            $best = array_values($expected);
            foreach ($hits as $k => $hit) {
                $own = $expected[$hit->id] ?? -1;
                $check("$what: $query ($matching): hit $k, $hit->id: $hit->score, not $own", abs($hit->score - $own) <= 1e-6 * $own && abs($hit->score - $best[$k]) <= 1e-6 * $best[$k]);
            }
        }
    }
};

// Documents of a file and of a folder.
file_put_contents("$folder/corpus.tsv", "a\tone two\nb\tthree\tfour\r\nno tab here\n");
$tsv = iterator_to_array(Corpus::of("$folder/corpus.tsv"));
$check('tsv: names', array_keys($tsv) === ['a', 'b', 'line 3']);
$check('tsv: texts', array_column($tsv, 'text') === ['one two', "three\tfour", 'no tab here']);
file_put_contents("$folder/texts/a.txt", 'one');
file_put_contents("$folder/texts/deeper/b.txt", 'two');
file_put_contents("$folder/texts/binary", "\0\1");
file_put_contents("$folder/texts/.hidden", 'three');
$texts = iterator_to_array(Corpus::of("$folder/texts/"));
ksort($texts);
$check('folder: names', array_keys($texts) === ['a.txt', 'deeper/b.txt']);
$check('folder: texts and sections', $texts['deeper/b.txt']['text'] === 'two' && $texts['deeper/b.txt']['section'] === 'deeper');
$throws = false;
try {
    Corpus::of("$folder/none")->current();
} catch (\RuntimeException $e) {
    $throws = str_contains($e->getMessage(), 'cannot be read');
}
$check('no such file', $throws);

// Texts of 0 to 299 words, frequent and rare ones.
mt_srand(7);
$words = ['apple', 'banana', 'cherry', 'date', 'elder', 'fig', 'grape', 'hazel', 'iris', 'juniper'];
$pick = static fn (int $count): string => implode(' ', array_map(static fn () => $words[(int) (10 * (mt_rand() / mt_getrandmax()) ** 3 * 0.999)], range(1, $count)));
$documents = [];
for ($i = 0; $i < 700; ++$i) {
    $documents["doc $i"] = ['name' => $words[$i % 10], 'summary' => $i % 3 === 0 ? $pick(4) : '', 'text' => $i % 50 === 0 ? '' : $pick($i % 300 + 1), 'size' => $i];
}
foreach ([true, false] as $pieces) {
    $compare($pieces ? 'generated, 7 commits' : 'generated, reordered', $documents, ['apple', 'juniper', 'fig grape', 'apple iris juniper', 'banana cherry date elder', 'nothing', 'nothing apple'], $pieces);
}

// Batches of drawn queries.
$index = Index::open("$folder/" . md5('generated, 7 commits'));
$queries = Batch::queries($index, 50);
$check('batch: 50 queries', count($queries) === 50);
foreach ($queries as $query) {
    $check("batch: $query finds something", count($index->search($query)) > 0);
}
ob_start();
Batch::run($index, 50, 'any');
$printed = ob_get_clean();
$check("batch: $printed", preg_match_all('/queries per second$/m', $printed) === (str_contains($printed, 'no device') ? 2 : 3));

// The packages of this machine, if it is a Debian machine with package lists.
if (is_executable('/usr/bin/apt-cache')) {
    $packages = [];
    $all = $empty = 0;
    foreach (Corpus::debian() as $name => $document) {
        $empty += $name === '' || $document['summary'] === '' ? 1 : 0;
        if (++$all % 20 === 0 && count($packages) < 3000) {
            $packages[$name] = $document;
        }
    }
    if ($packages === []) {
        echo "SKIPPED: apt-cache dumpavail is empty\n";
    } else {
        $check('debian: names and short descriptions', $empty === 0);
        $compare('debian', $packages, ['library', 'web server', 'development files for the library', 'python module', 'perl', 'text search engine', 'documentation for haskell', 'a game'], true);
    }
} else {
    echo "SKIPPED: there is no apt-cache\n";
}

echo "demo: $passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
