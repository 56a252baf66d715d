<?php
// Do four indexes with a quarter of the passages each find what one index of all finds, and what does it cost?
//
//     php -d extension=modules/postings.so benches/search/shards.php [--data DIR] [--shards 4] [--queries 10000]
//
// Queries are made of neighbouring words of passages, of each of 14 kinds equally many; of kinds with prefixes and typos a tenth. Compared
// are ids, scores to the last bit, order, totals and facets. Times are CPU time of this process, one search after the other, without what
// carries requests between machines: "told" is asking each index for its statistics and summing these; "merged" is Hits::merge() alone.
// A kind is searched three times in turns, and the best time counts. Exits with 1 if anything differs.
declare(strict_types=1);

use Postings\{Hits, Index, IndexWriter, Statistics};

const TURNS = 3;
const LIMIT = 10;

$options = getopt('', ['data:', 'shards:', 'queries:']);
$data = $options['data'] ?? 'target/search-bench';
$count = (int) ($options['shards'] ?? 4);
$wanted = (int) ($options['queries'] ?? 10_000);
$passages = @file("$data/passages.txt", FILE_IGNORE_NEW_LINES) ?: exit("$data/passages.txt is not there: make bench-search makes it\n");

// The one index has the documents of the first of the others before those of the second and so on: that is the order of equal hits.
mt_srand(21);
$open = function (string $name) use ($data): IndexWriter {
    Index::drop("$data/shards/$name");

    return IndexWriter::open("$data/shards/$name", ['body' => [], 'brand' => ['keyword' => true], 'seller' => ['keyword' => true], 'price' => ['numeric' => true]]);
};
$close = function (IndexWriter $writer): void {
    $writer->optimize();
    $writer->close();
};
$whole = $open('whole');
$shards = [];
for ($shard = 0; $shard < $count; $shard++) {
    $part = $open("part-$shard");
    for ($id = $shard; $id < count($passages); $id += $count) {
        $document = ['body' => $passages[$id], 'brand' => 'b' . mt_rand(0, 9), 'seller' => 's' . mt_rand(0, 49_999), 'price' => mt_rand(1, 1000)];
        $part->add($id, $document);
        $whole->add($id, $document);
    }
    $close($part);
    $shards[] = Index::open("$data/shards/part-$shard");
}
$close($whole);
$whole = Index::open("$data/shards/whole");

/** Some neighbouring words of a passage. */
$words = function (int $least, int $most) use ($passages): array {
    $count = mt_rand($least, $most);
    do {
        preg_match_all('/[A-Za-z]{3,}/', $passages[mt_rand(0, count($passages) - 1)], $found);
    } while (count($found[0]) < $count);

    return array_slice(array_map(strtolower(...), $found[0]), mt_rand(0, count($found[0]) - $count), $count);
};
$some = fn (): string => implode(' ', $words(2, 4));
$first = fn (int $letters): string => substr($words(1, 1)[0], 0, $letters);
// What is asked; how; how it is read, which statistics have to know, too; and how many tenths of the others' number there are of it.
$kinds = [
    'all words' => [$some, [], []],
    'any word' => [$some, ['matching' => 'any'], []],
    'all, then any' => [$some, ['matching' => 'all-then-any'], []],
    'required + optional' => [fn () => '+' . $some(), ['matching' => 'any'], []],
    'without a word' => [fn () => $some() . ' -' . $words(1, 1)[0], [], []],
    'phrase' => [fn () => '"' . implode(' ', $words(2, 3)) . '"', [], []],
    'near' => [fn () => '"' . implode(' ', $words(2, 2)) . '"~3', [], []],
    'prefix' => [fn () => $first(4) . '* ' . $words(1, 1)[0], [], [], 1],
    'typos' => [$some, [], ['typos' => 1], 1],
    'a brand and a price' => [$some, ['matching' => 'any', 'filter' => ['brand' => 'b3', 'price' => [100, 600]]], []],
    'by price' => [$some, ['sort' => ['price' => 'asc']], []],
    'each brand once' => [$some, ['matching' => 'any', 'distinct' => 'brand'], []],
    // One more than there are: an index that gives as many as it was asked for may have left some out.
    'facets' => [$some, ['matching' => 'any', 'facets' => ['brand' => 11, 'price']], []],
    'ten words' => [fn () => implode(' ', $words(10, 10)), ['matching' => 'any'], []],
];
$each = (int) ceil($wanted / array_sum(array_map(fn ($kind) => ($kind[3] ?? 10) / 10, $kinds)));

/** Microseconds of CPU time. */
$now = function (): float {
    $used = getrusage();

    return ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1e6 + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
};
/** What a call returns for each query, and the microseconds of the best time for each. */
$time = function (array $queries, callable $call) use ($now): array {
    $before = $now();
    $results = array_map($call, $queries);

    return [$results, ($now() - $before) / count($queries)];
};
$values = fn (Hits $hits): array => [array_map(fn ($hit) => [$hit->id, pack('d', $hit->score)], iterator_to_array($hits)), $hits->total, $hits->facets];

printf("%s passages, %d indexes; µs of CPU time a query, best of %d\n\n", number_format(count($passages)), $count, TURNS);
echo "| | queries | different | one index | all $count | × | told | merged |\n|---|---:|---:|---:|---:|---:|---:|---:|\n";
$asked = $different = 0;
$sums = array_fill(0, 4, 0.0);
foreach ($kinds as $name => $kind) {
    [$query, $how, $reading] = $kind;
    $queries = array_map($query, range(1, intdiv($each * ($kind[3] ?? 10), 10)));
    $how += $reading + ['limit' => LIMIT];
    $tell = fn (string $query): Statistics => Statistics::sum(...array_map(fn (Index $shard) => $shard->statistics($query, ...$reading), $shards));
    $best = array_fill(0, 4, INF);
    for ($turn = 0; $turn < TURNS; $turn++) {
        [, $one] = $time($queries, fn ($query) => $whole->search($query, ...$how));
        [$told, $telling] = $time($queries, $tell);
        $search = fn (string $query, Statistics $sum): array => array_map(fn (Index $shard) => $shard->search($query, ...$how, statistics: $sum), $shards);
        $at = 0;
        [$found, $searching] = $time($queries, function (string $query) use ($search, $told, &$at) {
            return $search($query, $told[$at++]);
        });
        $at = 0;
        [, $merging] = $time($queries, function () use ($found, &$at) {
            return Hits::merge($found[$at++], LIMIT);
        });
        $best = array_map(min(...), $best, [$one, $searching, $telling, $merging]);
    }
    $wrong = 0;
    foreach ($queries as $at => $query) {
        $parts = array_map(fn (Index $shard) => $shard->search($query, ...$how, total: true, statistics: $told[$at]), $shards);
        $expected = $whole->search($query, ...$how, total: true);
        if ($values(Hits::merge($parts, LIMIT)) !== $values($expected)) {
            $wrong++;
            fwrite(STDERR, "$name: $query: differs\n");
        }
    }
    $asked += count($queries);
    $different += $wrong;
    $sums = array_map(fn ($sum, $mean) => $sum + $mean * count($queries), $sums, $best);
    printf("| %s | %s | %d | %.0f | %.0f | %.2f | %.0f | %.1f |\n", $name, number_format(count($queries)), $wrong, $best[0], $best[1], $best[1] / $best[0], $best[2], $best[3]);
}
[$one, $searching, $telling, $merging] = array_map(fn ($sum) => $sum / $asked, $sums);
printf("| **all** | %s | %d | %.0f | %.0f | %.2f | %.0f | %.1f |\n", number_format($asked), $different, $one, $searching, $searching / $one, $telling, $merging);
exit($different === 0 ? 0 : 1);
