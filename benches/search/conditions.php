<?php
// What do filters, sorting, facets, prefixes, typos and suggestions cost beside words, from PHP, on the passages of the searches'
// benchmark?
//
//     php -d extension=modules/postings.so benches/search/conditions.php [--data DIR] [--out FILE]
//
// Each passage also has a brand of 10, a seller of 50,000 and a price, at random with a fixed seed. 60 queries of two neighbouring
// words; µs of a query, the best of 7 runs, means over the queries: as the third run and later ones, with what is kept by then. What
// stands at × is the time divided by that of the words alone, in turns. The others are single calls, also the first one of a new process.
declare(strict_types=1);

use Postings\{Index, IndexWriter};

const BEST_OF = 7;

$options = getopt('', ['data:', 'out:', 'first:']);
$data = $options['data'] ?? 'target/search-bench';
$folder = "$data/conditions";
if (isset($options['first'])) {
    [$call, $typed] = explode(' ', $options['first']);
    $index = Index::open($folder);
    $start = hrtime(true);
    $index->$call($typed);
    echo (hrtime(true) - $start) / 1e3;
    exit;
}

mt_srand(3);
$file = fopen("$data/passages.txt", 'r') ?: exit("$data/passages.txt is not there: make bench-search makes it\n");
// An older extension may have written it in another form.
$module = dirname(__DIR__, 2) . '/modules/postings.so';
if (@filemtime("$folder/manifest") < @filemtime($module)) {
    array_map(unlink(...), glob("$folder/*") ?: []);
}
$writer = Index::exists($folder) ? null : IndexWriter::open($folder, ['body' => [], 'brand' => ['keyword' => true], 'seller' => ['keyword' => true], 'price' => ['numeric' => true]]);
$queries = [];
for ($id = 1; ($line = fgets($file)) !== false; $id++) {
    $writer?->add($id, ['body' => $line, 'brand' => 'b' . mt_rand(0, 9), 'seller' => 's' . mt_rand(0, 49_999), 'price' => round(exp(mt_rand(0, 690) / 100), 2)]);
    if ($id % 5000 === 0 && preg_match_all('/[A-Za-z]{4,}/', $line, $words) >= 8 && count($queries) < 60) {
        $queries[] = strtolower(implode(' ', array_slice($words[0], $id % 6, 2)));
    }
}
$writer?->commit();
$writer?->optimize();
$writer?->close();
$index = Index::open($folder);

/** Microseconds of the best of some runs. */
$best = function (callable $run, int $runs): float {
    $best = INF;
    for ($i = 0; $i < $runs; $i++) {
        $start = hrtime(true);
        $run();
        $best = min($best, (hrtime(true) - $start) / 1e3);
    }

    return $best;
};
$mark = fn (float $value, float $most, string $shown): string => $value > $most ? "**$shown**" : $shown;
$beside = [];
foreach ([
    ['the words alone', [], null],
    ['one brand, a tenth', ['filter' => ['brand' => 'b3']], 1.2],
    ['one seller, about 21 documents', ['filter' => ['seller' => 's77']], 0.5],
    ['prices of 1 %', ['filter' => ['price' => [100, 107]]], 1.0],
    ['prices of 50 %', ['filter' => ['price' => [1, 31.5]]], 1.5],
    ['sorted by price', ['sort' => ['price' => 'asc']], 1.2],
    ['facets of 10 values', ['facets' => ['brand']], 1.2],
    ['facets of 50,000 values (1,000 µs)', ['facets' => ['seller']], null],
] as [$what, $how, $most]) {
    $row = [$what];
    foreach (['all', 'any'] as $matching) {
        // The words alone take turns with each row, as the machine's speed varies.
        $sums = [0.0, 0.0];
        foreach ($queries as $query) {
            $times = [INF, INF];
            for ($run = 0; $run < BEST_OF; $run++) {
                foreach ([$how, []] as $at => $arguments) {
                    $times[$at] = min($times[$at], $best(fn () => $index->search($query, ...$arguments, matching: $matching), 1));
                }
            }
            $sums = [$sums[0] + $times[0], $sums[1] + $times[1]];
        }
        $mean = $sums[0] / count($queries);
        $ratio = $sums[0] / $sums[1];
        $row[] = sprintf('%.0f', $mean);
        $row[] = $mark($ratio, $most ?? INF, sprintf('%.2f', $ratio));
    }
    $beside[] = [...$row, $most === null ? '' : sprintf('%.1f', $most)];
    vprintf("%-34s %6s %8s %6s %8s %5s\n", end($beside));
}
$alone = [];
foreach ([
    ['a brand, in the order of insertion', fn () => $index->search('', filter: ['brand' => 'b3']), 200, null],
    ['prices of 1 %, by price', fn () => $index->search('', filter: ['price' => [100, 107]], sort: ['price' => 'asc']), 200, null],
    ['prices of 1 % of a brand, counted', fn () => $index->count('', filter: ['price' => [100, 107], 'brand' => 'b3']), 200, null],
    ['`a*`', fn () => $index->search('a*'), 3000, 'search a*'],
    ['`x~1`', fn () => $index->search('x~1'), 1000, 'search x~1'],
    ['`network~2`', fn () => $index->search('network~2'), 1000, 'search network~2'],
    ["`suggest('a')`", fn () => $index->suggest('a'), 300, 'suggest a'],
] as [$what, $run, $most, $call]) {
    $first = '';
    if ($call !== null) {
        $command = [PHP_BINARY, '-n', '-d', "extension=$module", __FILE__, "--data=$data", "--first=$call"];
        $times = array_map(fn () => (float) shell_exec(implode(' ', array_map(escapeshellarg(...), $command))), range(1, 5));
        $first = number_format(min($times));
    }
    $time = $best($run, 3 * BEST_OF);
    $alone[] = [$what, $mark($time, $most, number_format($time)), $first, number_format($most)];
    vprintf("%-34s %8s %8s %8s\n", end($alone));
}
if (isset($options['out'])) {
    $cpu = preg_match('/^model name\s*:\s*(.*)$/m', (string) @file_get_contents('/proc/cpuinfo'), $found) ? $found[1] : php_uname('m');
    file_put_contents($options['out'], json_encode([
        'title' => 'Conditions beside words, from PHP',
        'machine' => "$cpu; PHP " . PHP_VERSION,
        'date' => date('j F Y'),
        'command' => 'make bench-search',
        'notes' => [
            sprintf('%s passages, each with a brand of 10, a seller of 50,000 and a price; 60 queries of two words, ten best. **Bold**: more than is wanted.', number_format(count($index))),
        ],
        'tables' => [
            ['title' => 'µs per query, and how many times that of the words alone', 'head' => ['besides', 'all words', '×', 'any word', '×', 'wanted'], 'rows' => $beside],
            ['title' => 'Single calls, µs', 'head' => ['call', 'again', 'first of a process', 'wanted'], 'rows' => $alone],
        ],
    ], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE) . "\n");
}
