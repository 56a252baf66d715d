<?php

/** Tests the demo on a small corpus: the index is read back, and its results equal those of a plain scan of the text. */

declare(strict_types=1);

namespace Postings\Demo;

use Postings\Codec;

require __DIR__ . '/Console.php';
require __DIR__ . '/Corpus.php';
require __DIR__ . '/IndexWriter.php';
require __DIR__ . '/IndexReader.php';

$passed = $failed = 0;
$check = static function (string $what, bool $good) use (&$passed, &$failed): void {
    if ($good) {
        ++$passed;
    } else {
        ++$failed;
        echo "FAILED: $what\n";
    }
};
$throws = static function (callable $call, string $message): bool {
    try {
        $call();
    } catch (\RuntimeException $e) {
        return str_contains($e->getMessage(), $message);
    }
    return false;
};

Console::start([], "php -d extension=…/postings.so self-test.php\n");
$folder = sys_get_temp_dir() . '/postings-demo-' . getmypid();
mkdir($folder);
register_shutdown_function(static function () use ($folder): void {
    array_map('unlink', glob("$folder/*"));
    rmdir($folder);
});

$check('words', Corpus::words("Zwei Wörter, 2 words; words 007") === ['zwei', 'wörter', '2', 'words', '007']);

// A corpus with lists of all lengths: document i contains a word for each of its divisors; two more words are rare.
$tsv = "$folder/corpus.tsv";
$texts = [];
for ($i = 0; $i < 3000; ++$i) {
    $text = 'all';
    foreach ([2, 3, 5, 7, 11, 128, 1000] as $divisor) {
        $text .= $i % $divisor === 0 ? " div$divisor" : '';
    }
    $texts["doc $i"] = $text . ($i === 1234 ? ' Unique 42' : '');
}
file_put_contents($tsv, implode('', array_map(static fn (string $n, string $t): string => "$n\t$t\n", array_keys($texts), $texts)) . "no tab here\n");
$documents = iterator_to_array(Corpus::tsv($tsv));
$check('tsv: all lines', count($documents) === 3001 && $documents['doc 0'] === $texts['doc 0']);
$check('tsv: a line without a tab', end($documents) === 'no tab here' && array_key_last($documents) === 'line 3001');
$check('tsv: no file', $throws(static fn () => Corpus::tsv("$folder/none")->current(), 'cannot be read'));

$scan = static function (array $words) use ($documents): array {
    $ids = [];
    $docId = 0;
    foreach ($documents as $name => $text) {
        if (array_diff($words, Corpus::words("$name $text")) === []) {
            $ids[] = $docId;
        }
        ++$docId;
    }
    return $ids;
};
$queries = ['all', 'div2 div3', 'div11 all div5 div2', 'unique', '42 unique all', 'div1000 div128', 'div1000 div7', 'doc 17', 'tab'];
foreach (Codec::cases() as $codec) {
    $path = "$folder/$codec->value";
    $writer = new IndexWriter();
    foreach ($documents as $name => $text) {
        $writer->add($name, $text);
    }
    $sums = $writer->write($path, $codec, static fn (int $done, int $all) => null);
    $check("$codec->value: file size", filesize($path) === $sums['file_bytes']);
    $index = new IndexReader($path);
    $check("$codec->value: documents", $index->documentCount() === 3001 && $index->document(3000) === ['line 3001', 'no tab here']);
    $check("$codec->value: a document that does not exist", (static function () use ($index): bool {
        try {
            $index->document(3001);
        } catch (\OutOfRangeException) {
            return true;
        }
        return false;
    })());
    $terms = iterator_to_array($index->terms());
    $check("$codec->value: terms", count($terms) === $sums['terms'] && array_sum($terms) === $writer->postings());
    $check("$codec->value: codec of a list", $index->postings('all')->codec() === $codec);
    $check("$codec->value: a term that no document contains", $index->postings('nowhere') === null && $index->documentFrequency('nowhere') === 0);
    $batch = [];
    foreach ($queries as $query) {
        $batch[$query] = array_map($index->postings(...), Corpus::words($query));
        $check("$codec->value: $query", \Postings\intersect(...$batch[$query]) === $scan(Corpus::words($query)));
        $check("$codec->value: $query, count", \Postings\intersect_count(...$batch[$query]) === count($scan(Corpus::words($query))));
    }
    $check("$codec->value: batch", \Postings\intersect_batch($batch) === array_combine($queries, array_map(static fn (string $q) => $scan(Corpus::words($q)), $queries)));

    // Damage: truncation, another header, a list with inverted bits.
    $bytes = file_get_contents($path);
    foreach (['cut' => substr($bytes, 0, -1), 'long' => "$bytes\0", 'short' => substr($bytes, 0, 20), 'empty' => '', 'else' => 'X' . substr($bytes, 1)] as $how => $damaged) {
        file_put_contents("$folder/damaged", $damaged);
        $check("$codec->value: $how", $throws(static fn () => new IndexReader("$folder/damaged"), 'is damaged'));
    }
    // In the payload of the first list: its checksum no longer matches.
    $bytes[IndexWriter::HEADER_BYTES + 30] = ~$bytes[IndexWriter::HEADER_BYTES + 30];
    file_put_contents("$folder/damaged", $bytes);
    $index = new IndexReader("$folder/damaged");
    $first = array_key_first(array_filter(iterator_to_array($index->terms()), static fn (int $documents): bool => $documents > 1));
    $check("$codec->value: a damaged list", $throws(static fn () => $index->postings((string) $first), ':'));
}

// The corpus of this machine, if it is a Debian machine with package lists.
if (is_executable('/usr/bin/apt-cache')) {
    $names = $empty = 0;
    foreach (Corpus::debian() as $name => $text) {
        ++$names;
        $empty += $name === '' || $text === '' ? 1 : 0;
    }
    $names === 0 ? print("SKIPPED: apt-cache dumpavail is empty\n") : $check('debian: names and texts', $empty === 0);
} else {
    echo "SKIPPED: there is no apt-cache\n";
}

echo "demo: $passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
