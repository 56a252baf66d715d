<?php

// Queries for a learned sparse model that needs no model at query time (OpenSearch's "doc" models, for example): WordPiece divides what was
// typed into the model's terms, and a table gives each its weight. Both come with the model, as vocab.txt and idf.json; these are small
// ones of our own, and the weights of the documents, which the model would give, are made up.

use Postings\{Index, IndexWriter};

$vocabulary = array_flip(explode(' ', 'ship ##s sail ##ing ##or sea ocean wood ##land forest the to at six month'));
$table = ['ship' => 1.9, 'sail' => 2.1, 'sea' => 1.6, 'ocean' => 1.8, 'wood' => 1.7, 'forest' => 2.0, 'month' => 1.2, '##land' => 0.8, '##or' => 0.5];

/** The longest piece that the vocabulary has, then the longest of the rest with ## before it, and so on; none if a rest has no piece. */
$pieces = function (string $word) use ($vocabulary): array {
    for ($pieces = [], $begin = 0; $begin < strlen($word); $begin += $length) {
        for ($length = strlen($word) - $begin; $length > 0; $length--) {
            $piece = ($begin > 0 ? '##' : '') . substr($word, $begin, $length);
            if (isset($vocabulary[$piece])) {
                $pieces[] = $piece;
                break;
            }
        }
        if ($length === 0) {
            return [];
        }
    }
    return $pieces;
};
$terms = function (string $text) use ($pieces, $table): array {
    $words = preg_split('/[^a-z0-9]+/', strtolower($text), -1, PREG_SPLIT_NO_EMPTY);
    return array_intersect_key($table, array_flip(array_merge(...array_map($pieces, $words))));
};

$path = __DIR__ . '/../target/sparse-query';
Index::drop($path);
$writer = IndexWriter::open($path, ['text' => [], 'expansion' => ['weights' => true]]);
$writer->add('typee', ['text' => 'Six months at sea!', 'expansion' => ['sea' => 1.7, 'month' => 1.1, 'ship' => 0.9, 'sail' => 0.6, '##or' => 0.4]]);
$writer->add('walden', ['text' => 'I went to the woods.', 'expansion' => ['wood' => 1.6, 'forest' => 1.1, '##land' => 0.3]]);
$writer->commit();

$index = Index::open($path);
foreach (['sailors and their ships', 'Woodlands', 'the forest at sea'] as $typed) {
    $weights = $terms($typed);
    echo $typed, ': ', json_encode($weights), "\n";
    foreach ($index->search('', weighted: ['expansion' => $weights]) as $hit) {
        printf("    %.2f %s\n", $hit->score, $hit->id);
    }
}

/* Prints:
sailors and their ships: {"ship":1.9,"sail":2.1,"##or":0.5}
    3.17 typee
Woodlands: {"wood":1.7,"##land":0.8}
    3.00 walden
the forest at sea: {"sea":1.6,"forest":2}
    2.70 typee
    2.25 walden
*/
