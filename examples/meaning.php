<?php

use Postings\{Index, IndexWriter};

// Any function from text to vector: a model in PHP, a service, a table. This one only counts letters.
$embed = function (string $text): array {
    $counts = array_fill(0, 26, 0);
    foreach (str_split(strtolower(preg_replace('/[^a-z]/i', '', $text))) as $letter) {
        $counts[ord($letter) - 97]++;
    }
    return $counts;
};

$path = __DIR__ . '/../target/meaning';
Index::drop($path);
$writer = IndexWriter::open($path, ['text' => [], 'lang' => ['keyword' => true], 'embedding' => ['vector' => 26]]);
foreach (['Six months at sea', 'At sea for half a year', 'Land in sight'] as $number => $text) {
    $writer->add($number, ['text' => $text, 'lang' => 'en', 'embedding' => $embed($text)]);
}
$writer->commit();

$index = Index::open($path);
$vector = $embed('months of sea');
$nearest = $index->nearest('embedding', $vector, limit: 2, filter: ['lang' => 'en']);
$both = $index->search('sea', limit: 2, nearest: ['embedding' => $vector]);
$weighted = $index->search('sea', limit: 2, nearest: ['embedding' => $vector], fusion: ['text' => 1, 'embedding' => 5]);
foreach (['nearest' => $nearest, 'by ranks' => $both, 'by scores' => $weighted] as $name => $hits) {
    foreach ($hits as $hit) {
        printf("%s: %d, %.3f\n", $name, $hit->id, $hit->score);
    }
}

/* Prints:
nearest: 0, 0.843
nearest: 1, 0.591
by ranks: 0, 0.033
by ranks: 1, 0.032
by scores: 0, 4.702
by scores: 1, 3.359
*/
