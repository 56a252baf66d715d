<?php
// How fast does SQLite's FTS5 search the passages of the searches' benchmark, from PHP, on one thread?
//
//     php benches/search/fts5.php [--data DIR] [--passages N] [--queries N] [--seconds N] [--out FILE]
//
// The table holds no content (content=''), its tokenizer is unicode61 without folding of diacritics. AND and OR ask for
// the best ten, AND count and phrase count for a number. Each task ends after --seconds (60) if its queries take longer; the JSON
// says how many ran. Times in microseconds.
declare(strict_types=1);

$options = getopt('', ['data:', 'passages:', 'queries:', 'seconds:', 'out:']);
$data = $options['data'] ?? 'target/search-bench';
$most = (int) ($options['passages'] ?? PHP_INT_MAX);
$cap = (float) ($options['seconds'] ?? 60);

$passages = fopen("$data/passages.txt", 'r') ?: exit(1);
$path = "$data/fts5.sqlite";
@unlink($path);
$start = hrtime(true);
$db = new PDO("sqlite:$path", options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
// As durable as the others: one commit at the end.
$db->exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -262144');
$db->exec("CREATE VIRTUAL TABLE passages USING fts5(body, content = '', tokenize = 'unicode61 remove_diacritics 0')");
$db->beginTransaction();
$add = $db->prepare('INSERT INTO passages (rowid, body) VALUES (?, ?)');
$number = 0;
while ($number < $most && ($line = fgets($passages)) !== false) {
    $add->execute([$number++, rtrim($line, "\n")]);
}
$db->commit();
$commit = (hrtime(true) - $start) / 1e9;
$start = hrtime(true);
$db->exec("INSERT INTO passages (passages) VALUES ('optimize')");
$db->exec('PRAGMA wal_checkpoint(TRUNCATE)');
$merge = (hrtime(true) - $start) / 1e9;
clearstatcache();
$bytes = filesize($path);
printf("%d passages: %.1f s, then %.1f s to merge, %d bytes\n", $number, $commit, $merge, $bytes);

$best = 'SELECT rowid, rank FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 10';
$count = 'SELECT count(*) FROM passages WHERE passages MATCH ?';
$quoted = static fn (array $words): array => array_map(static fn (string $word): string => "\"$word\"", $words);
$and = static fn (array $words): string => implode(' AND ', $quoted($words));
$or = static fn (array $words): string => implode(' OR ', $quoted($words));
$phrase = static fn (array $words): string => '"' . implode(' ', $words) . '"';
$tasks = [
    ['passage', 'and-top10', $best, $and],
    ['passage', 'and-count', $count, $and],
    ['passage', 'or-top10', $best, $or],
    ['passage', 'or-count', $count, $or],
    ['phrase', 'phrase-top10', $best, $phrase],
    ['phrase', 'phrase-count', $count, $phrase],
];
$rows = [];
foreach ($tasks as [$shape, $task, $sql, $match]) {
    $lines = file("$data/queries-$number/$shape.txt", FILE_IGNORE_NEW_LINES)
        ?: exit("First run: postings-search-bench queries --data $data --passages $number\n");
    $lines = array_slice($lines, 0, (int) ($options['queries'] ?? 1000));
    $search = $db->prepare($sql);
    $times = [];
    $end = hrtime(true) + $cap * 1e9;
    foreach ($lines as $line) {
        $start = hrtime(true);
        if ($start >= $end) {
            break;
        }
        $search->execute([$match(explode(' ', $line))]);
        $search->fetchAll(PDO::FETCH_NUM);
        $times[] = (hrtime(true) - $start) / 1e3;
    }
    sort($times);
    $n = count($times);
    $row = [
        'mean' => array_sum($times) / $n,
        'median' => $times[intdiv($n, 2)],
        'p99' => $times[min(intdiv($n * 99, 100), $n - 1)],
        'total' => array_sum($times),
    ];
    printf("%-8s %-13s %5d queries: mean %10.1f, median %10.1f, p99 %10.1f µs\n", $shape, $task, $n, ...array_values($row));
    $rows[] = ['shape' => $shape, 'task' => $task, 'queries' => $n, 'engines' => ['fts5' => $row]];
}
if (isset($options['out'])) {
    $version = $db->query('SELECT sqlite_version()')->fetchColumn();
    $index = ['commit' => $commit, 'merge' => $merge, 'bytes' => $bytes];
    $result = ['engine' => "SQLite $version FTS5", 'passages' => $number, 'index' => $index, 'unit' => 'µs', 'rows' => $rows];
    file_put_contents($options['out'], json_encode($result, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE) . "\n");
}
