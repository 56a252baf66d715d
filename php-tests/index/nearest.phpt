--TEST--
Vector fields: nearest(), nearestBatch(), search(nearest:, fusion:), filters, and what is refused
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Filter, Index, IndexWriter};

/** The definition. */
function similarity(string $metric, array $q, array $x): float
{
    $sum = fn (callable $of) => array_sum(array_map($of, $q, $x));
    return match ($metric) {
        'dot' => $sum(fn ($q, $x) => $q * $x),
        'euclidean' => 1 / (1 + $sum(fn ($q, $x) => ($q - $x) ** 2)),
        'cosine' => $sum(fn ($q, $x) => $q * $x) / sqrt($sum(fn ($q) => $q * $q) * $sum(fn ($q, $x) => $x * $x)),
    };
}

/** The best ids by score; equal scores in the order of ids, which is that of insertion. */
function best(array $scores, int $limit): array
{
    uksort($scores, fn ($a, $b) => [$scores[$b], $a] <=> [$scores[$a], $b]);
    return array_slice($scores, 0, $limit, true);
}

function same(array $expected, Postings\Hits $hits): bool
{
    return array_keys($expected) === $hits->ids()
        && array_reduce(iterator_to_array($hits), fn ($ok, $hit) => $ok && abs($expected[$hit->id] - $hit->score) < 1e-9, true);
}

mt_srand(7);
$random = fn () => array_map(fn () => unpack('g', pack('g', mt_rand() / mt_getrandmax() - 0.5))[1], range(1, 20));
foreach (['cosine', 'dot', 'euclidean'] as $metric) {
    $folder = new_folder();
    $writer = IndexWriter::open($folder, ['body' => [], 'tag' => ['keyword' => true], 'e' => ['vector' => 20, 'metric' => $metric]]);
    $vectors = [];
    for ($i = 0; $i < 600; $i++) {
        $vector = $i % 7 ? $random() : null;
        $writer->add($i, ['body' => str_repeat('ship ', 1 + $i % 4) . "w$i", 'tag' => 't' . $i % 5, 'e' => $i % 2 && $vector ? pack('g*', ...$vector) : $vector]);
        $vectors[$i] = $vector;
        if ($i % 250 === 249) {
            $writer->commit();
        }
    }
    $writer->delete(3);
    unset($vectors[3]);
    $writer->commit();
    $index = Index::open($folder);
    echo json_encode($index->fields()['e']), "\n";
    $vectors = array_filter($vectors);
    $queries = ['a' => $random(), 'b' => $random(), 5 => $random()];
    $ok = true;
    foreach ($queries as $key => $query) {
        $all = array_map(fn ($x) => similarity($metric, $query, $x), $vectors);
        $ok = $ok && same(best($all, 10), $index->nearest('e', $query));
        $ok = $ok && same(best($all, 40), $index->nearest('e', pack('g*', ...$query), limit: 40));
        $ok = $ok && same(array_slice(best($all, 15), 5, null, true), $index->nearest('e', $query, limit: 10, offset: 5));
        $tagged = array_filter($all, fn ($id) => $id % 5 === 2, ARRAY_FILTER_USE_KEY);
        $ok = $ok && same(best($tagged, 10), $index->nearest('e', $query, filter: ['tag' => 't2']));
        $ok = $ok && same(best($all, 10), $index->nearestBatch('e', $queries)[$key]);
        // Words and vectors.
        $text = [];
        foreach ($index->search('ship w77', matching: 'any', limit: 1000) as $hit) {
            $text[$hit->id] = $hit->score;
        }
        $sums = $ranks = [];
        foreach ([[$text, 2], [$all, 3]] as [$list, $weight]) {
            foreach ($list as $id => $score) {
                $sums[$id] = ($sums[$id] ?? 0) + $weight * $score;
            }
            foreach (array_keys(best($list, 100)) as $rank => $id) {
                $ranks[$id] = ($ranks[$id] ?? 0) + 1 / (61 + $rank);
            }
        }
        $both = fn (mixed ...$more) => $index->search('ship w77', ...$more, matching: 'any', nearest: ['e' => $query], total: true);
        $ok = $ok && same(best($sums, 10), $both(fusion: ['text' => 2, 'e' => 3])) && $both()->total === count($text);
        $ok = $ok && same(best($ranks, 10), $both()) && same(best($ranks, 10), $both(fusion: 'rrf'));
        $ok = $ok && same(best($all, 10), $index->search('', nearest: ['e' => $query], fusion: ['e' => 1]));
    }
    var_dump($ok, array_keys($index->nearestBatch('e', $queries)), count($index->nearest('e', $queries['a'], limit: 1000)));
    var_dump($index->search('ship', limit: 1000, filter: [Filter::exists('e')], total: true)->total === count($vectors));
    var_dump($index->nearest('e', $queries['a'], limit: 0)->ids());
    $writer->optimize();
    $again = Index::open($folder);
    var_dump($again->nearest('e', $queries['a'], limit: 50)->ids() === $index->nearest('e', $queries['a'], limit: 50)->ids());
}

$index = Index::open($folder);
$writer->close();
$vector = $random();
$declare = fn (array $options) => fn () => IndexWriter::open(new_folder(), ['e' => $options]);
outcome('no dimensions', $declare(['metric' => 'dot']));
outcome('0', $declare(['vector' => 0]));
outcome('too many', $declare(['vector' => 4097]));
outcome('no int', $declare(['vector' => '3']));
outcome('metric', $declare(['vector' => 3, 'metric' => 'l2']));
outcome('stored', $declare(['vector' => 3, 'stored' => true]));
outcome('no vector field', fn () => $index->nearest('body', $vector));
outcome('no field', fn () => $index->nearest('x', $vector));
outcome('too few', fn () => $index->nearest('e', [1, 2]));
outcome('odd', fn () => $index->nearest('e', 'abc'));
outcome('not finite', fn () => $index->nearest('e', [...array_fill(0, 19, 0.5), NAN]));
outcome('too great', fn () => $index->nearest('e', [...array_fill(0, 19, 0.5), 1e39]));
outcome('a string', fn () => $index->nearest('e', [...array_fill(0, 19, 0.5), 'a']));
outcome('none', fn () => $index->nearest('e', 1.5));
outcome('in a batch', fn () => $index->nearestBatch('e', [$vector, [1]]));
outcome('in a search', fn () => $index->search('a', nearest: ['e' => [1]]));
outcome('of a text field', fn () => $index->search('a', nearest: ['body' => $vector]));
outcome('sorted', fn () => $index->search('a', sort: [':id' => 'asc'], nearest: ['e' => $vector]));
outcome('fusion', fn () => $index->search('a', nearest: ['e' => $vector], fusion: 'sum'));
outcome('weight', fn () => $index->search('a', nearest: ['e' => $vector], fusion: ['text' => -1]));
outcome('sort by it', fn () => $index->search('a', sort: ['e' => 'asc']));
outcome('filter by it', fn () => $index->search('a', filter: ['e' => 1]));
$folder = new_folder();
$writer = IndexWriter::open($folder, ['e' => ['vector' => 2]]);
outcome('zeros', fn () => $writer->add(1, ['e' => [0, 0]]));
outcome('document', fn () => $writer->add(1, ['e' => [1, 2, 3]]));
outcome('bytes', fn () => $writer->add(1, ['e' => '1234567']));
outcome('text', fn () => $writer->add(1, ['e' => 7]));
$writer->add(1, ['e' => [3, 4]]);
$writer->add(2, []);
$writer->commit();
foreach (Index::open($folder)->nearest('e', [4, 3]) as $hit) {
    printf("%d %.4f\n", $hit->id, $hit->score);
}
?>
--EXPECT--
