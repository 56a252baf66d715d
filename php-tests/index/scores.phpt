--TEST--
5,000 documents: ids, order and scores are those of an exhaustive BM25 in PHP's floats, within 1e-6
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

/** A field's length as the index keeps it: exact up to 40, then eight steps per doubling. */
function rounded(int $length): int
{
    static $steps = [];
    if ($steps === []) {
        for ($g = 0, $value = 40; $g < 10; $g++) {
            for ($k = 0; $k < 8; $k++) {
                $steps[] = $value += 2 << $g;
            }
        }
    }
    $kept = min($length, 40);
    foreach ($steps as $step) {
        if ($step <= $length) {
            $kept = $step;
        }
    }
    return $kept;
}

/** All documents that have all the words, or any, with their scores, best first. */
function exhaustive(array $documents, array $fields, array $words, bool $all, float $k1, float $b): array
{
    $scores = $has = [];
    foreach ($fields as $field => $weight) {
        $average = array_sum(array_map(fn ($document) => count($document[$field]), $documents)) / count($documents);
        foreach (array_count_values($words) as $word => $times) {
            $frequencies = array_filter(array_map(fn ($document) => count(array_keys($document[$field], $word, true)), $documents));
            $n = count($frequencies);
            $idf = log(1 + (count($documents) - $n + 0.5) / ($n + 0.5));
            foreach ($frequencies as $id => $tf) {
                $norm = $k1 * (1 - $b + $b * rounded(count($documents[$id][$field])) / $average);
                $scores[$id] = ($scores[$id] ?? 0) + $times * $weight * $idf * ($k1 + 1) * $tf / ($tf + $norm);
                $has[$id][$word] = true;
            }
        }
    }
    if ($all) {
        $scores = array_filter($scores, fn ($id) => count($has[$id]) === count(array_unique($words)), ARRAY_FILTER_USE_KEY);
    }
    ksort($scores);
    arsort($scores); // stable
    return $scores;
}

mt_srand(11);
$fields = ['title' => 2.5, 'body' => 1.0];
$documents = [];
for ($id = 0; $id < 5000; $id++) {
    $words = fn (int $n) => array_map(fn () => 'w' . (int) (3000 * (mt_rand() / mt_getrandmax()) ** 4), $n > 0 ? range(1, $n) : []);
    $documents[$id] = ['title' => $words(mt_rand(0, 6)), 'body' => $words((int) (4 * 1.6 ** mt_rand(0, 8)))];
}
$folder = new_folder();
$writer = IndexWriter::open($folder, ['title' => ['weight' => 2.5], 'body' => []], threads: 1);
foreach ($documents as $id => $document) {
    $writer->add($id, array_map(fn ($words) => implode(' ', $words), $document));
    if (in_array($id, [1000, 1001, 4000], true)) {
        $writer->commit();
    }
}
$writer->commit();

$queries = [];
for ($i = 0; $i < 40; $i++) {
    $queries[] = array_map(fn () => 'w' . (int) (400 * (mt_rand() / mt_getrandmax()) ** 2), range(1, $i % 4 + 1));
}
$compared = 0;
foreach (['several segments', 'one segment', 'reordered'] as $state) {
    if ($state !== 'several segments') {
        $writer->optimize(reorder: $state === 'reordered');
    }
    $index = Index::open($folder);
    $failures = [];
    foreach ($queries as $number => $words) {
        [$k1, $b] = $number % 5 === 0 ? [0.9, 0.4] : [1.2, 0.75];
        foreach ([true, false] as $all) {
            $expected = exhaustive($documents, $fields, $words, $all, $k1, $b);
            foreach ([10, 1000] as $limit) {
                $hits = $index->search(implode(' ', $words), limit: $limit, matching: $all ? 'all' : 'any', total: true, k1: $k1, b: $b);
                $scores = array_combine($hits->ids(), array_map(fn ($hit) => $hit->score, iterator_to_array($hits)));
                $wrong = count($scores) !== min($limit, count($expected)) || $hits->total !== count($expected);
                $rank = array_slice($expected, 0, $limit, true);
                foreach (array_keys($rank) as $place => $id) {
                    // At the same place, the same score; the same document, unless another has that score, nearly.
                    [$found, $score] = [array_keys($scores)[$place] ?? null, array_values($scores)[$place] ?? 0];
                    $wrong = $wrong || abs($score - $rank[$id]) > 1e-6 * $rank[$id] || abs(($expected[$found] ?? 0) - $rank[$id]) > 1e-6 * $rank[$id];
                    $compared++;
                }
                if ($wrong) {
                    $failures[] = [implode(' ', $words), $all, $limit];
                }
            }
            // The parts of an explanation add up.
            if ($expected !== []) {
                $id = array_key_first($expected);
                $explanation = $index->explain(implode(' ', $words), $id, $all ? 'all' : 'any', k1: $k1, b: $b);
                if (!$explanation['matches'] || abs($explanation['score'] - $expected[$id]) > 1e-6 * $expected[$id] || abs(array_sum(array_column($explanation['parts'], 'score')) - $explanation['score']) > 1e-9) {
                    $failures[] = ['explain', $words, $id];
                }
            }
        }
    }
    echo $state, ': ', json_encode($failures), "\n";
}
var_dump($compared > 20000);
?>
--EXPECT--
several segments: []
one segment: []
reordered: []
bool(true)
