<?php
// How fast is ranked search from PHP, compared with SQLite's FTS5, on the passages of the searches' benchmark?
//
//     php -d extension=modules/postings.so benches/search/php.php [--data DIR] [--queries N] [--seconds N] [--out FILE]
//
// Ours is the index that `postings-search-bench search` made; FTS5's table holds no content (content=''), its tokenizer is
// unicode61 without folding of diacritics. The two take turns, query by query. A task ends after --seconds (60); the JSON says
// how many queries ran. Times in microseconds. Counts are compared, and differ only where the tokenizers do.
declare(strict_types=1);

use Postings\Index;

$options = getopt('', ['data:', 'queries:', 'seconds:', 'out:']);
$data = $options['data'] ?? 'target/search-bench';
$cap = (float) ($options['seconds'] ?? 60);

$passages = count_lines("$data/passages.txt");
$index = Index::open("$data/ours-$passages");
[$db, $built] = fts5($data, $passages);

$best = $db->prepare('SELECT rowid, rank FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 10');
$count = $db->prepare('SELECT count(*) FROM passages WHERE passages MATCH ?');
$top = static function (string $query) use ($best): int {
    $best->execute([$query]);
    return count($best->fetchAll(PDO::FETCH_NUM));
};
$number = static function (string $query) use ($count): int {
    $count->execute([$query]);
    return (int) $count->fetchColumn();
};
$quoted = static fn (string $line): array => array_map(static fn (string $word): string => "\"$word\"", explode(' ', $line));
$and = static fn (string $line): string => implode(' AND ', $quoted($line));
$or = static fn (string $line): string => implode(' OR ', $quoted($line));
$phrase = static fn (string $line): string => "\"$line\"";
$tasks = [
    // Shape, task, ours, FTS5's.
    ['passage', 'and-top10', static fn (string $q): int => count($index->search($q)->ids()), static fn (string $q): int => $top($and($q))],
    ['passage', 'and-count', static fn (string $q): int => $index->count($q), static fn (string $q): int => $number($and($q))],
    ['passage', 'or-top10', static fn (string $q): int => count($index->search($q, matching: 'any')->ids()), static fn (string $q): int => $top($or($q))],
    ['passage', 'or-count', static fn (string $q): int => $index->count($q, 'any'), static fn (string $q): int => $number($or($q))],
    ['phrase', 'phrase-top10', static fn (string $q): int => count($index->search("\"$q\"")->ids()), static fn (string $q): int => $top($phrase($q))],
    ['phrase', 'phrase-count', static fn (string $q): int => $index->count("\"$q\""), static fn (string $q): int => $number($phrase($q))],
];
$rows = [];
foreach ($tasks as [$shape, $task, $ours, $theirs]) {
    $lines = array_slice(file("$data/queries-$passages/$shape.txt", FILE_IGNORE_NEW_LINES) ?: [], 0, (int) ($options['queries'] ?? 1000));
    array_map($ours, $lines);
    $times = ['ours' => [], 'fts5' => []];
    $end = hrtime(true) + $cap * 1e9;
    $differ = 0;
    foreach ($lines as $line) {
        if (hrtime(true) >= $end) {
            break;
        }
        $found = [];
        foreach (['ours' => $ours, 'fts5' => $theirs] as $name => $run) {
            $start = hrtime(true);
            $found[] = $run($line);
            $times[$name][] = (hrtime(true) - $start) / 1e3;
        }
        $differ += (int) ($found[0] !== $found[1]);
    }
    $engines = array_map(statistics(...), $times);
    $ratio = $engines['fts5']['mean'] / $engines['ours']['mean'];
    printf("%-8s %-13s %5d queries: ours %9.1f µs (median %8.1f, p99 %9.1f), FTS5 %10.1f (%9.1f, %10.1f): %6.0f ×; %d numbers differ\n",
        $shape, $task, count($times['ours']), ...[...array_slice(array_values($engines['ours']), 0, 3), ...array_slice(array_values($engines['fts5']), 0, 3)], ...[$ratio, $differ]);
    $rows[] = ['shape' => $shape, 'task' => $task, 'queries' => count($times['ours']), 'engines' => $engines, 'differ' => $differ];
}
if (isset($options['out'])) {
    $version = $db->query('SELECT sqlite_version()')->fetchColumn();
    preg_match('/^model name\s*: (.*)$/m', (string) @file_get_contents('/proc/cpuinfo'), $processor);
    $result = ['machine' => ($processor[1] ?? php_uname('m')) . ', PHP ' . PHP_VERSION, 'date' => gmdate('j F Y'), 'command' => 'make bench-search',
        'peer' => "SQLite $version FTS5", 'passages' => $passages, 'fts5' => $built, 'unit' => 'µs', 'rows' => $rows];
    file_put_contents($options['out'], json_encode($result, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE) . "\n");
}

function statistics(array $times): array
{
    sort($times);
    $n = count($times);

    return [
        'mean' => array_sum($times) / $n,
        'median' => $times[intdiv($n, 2)],
        'p99' => $times[min(intdiv($n * 99, 100), $n - 1)],
        'total' => array_sum($times),
    ];
}

function count_lines(string $path): int
{
    $file = fopen($path, 'r') ?: exit(1);
    for ($lines = 0; fgets($file) !== false; $lines++);

    return $lines;
}

/** @return array{PDO, array<string, float|int>} the table, and what making it took */
function fts5(string $data, int $passages): array
{
    $path = "$data/fts5-$passages.sqlite";
    $is_new = !is_file($path);
    $db = new PDO("sqlite:$path", options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
    // As durable as the others: one commit at the end.
    $db->exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -262144');
    $start = hrtime(true);
    if ($is_new) {
        $db->exec("CREATE VIRTUAL TABLE passages USING fts5(body, content = '', tokenize = 'unicode61 remove_diacritics 0')");
        $db->beginTransaction();
        $add = $db->prepare('INSERT INTO passages (rowid, body) VALUES (?, ?)');
        $file = fopen("$data/passages.txt", 'r');
        for ($number = 0; ($line = fgets($file)) !== false; $number++) {
            $add->execute([$number, rtrim($line, "\n")]);
        }
        $db->commit();
    }
    $commit = (hrtime(true) - $start) / 1e9;
    $start = hrtime(true);
    if ($is_new) {
        $db->exec("INSERT INTO passages (passages) VALUES ('optimize')");
        $db->exec('PRAGMA wal_checkpoint(TRUNCATE)');
    }
    $merge = (hrtime(true) - $start) / 1e9;
    clearstatcache();
    printf("FTS5: %.1f s, then %.1f s to merge, %d bytes%s\n", $commit, $merge, filesize($path), $is_new ? '' : ' (made before)');

    return [$db, ['commit' => $commit, 'merge' => $merge, 'bytes' => filesize($path)]];
}
