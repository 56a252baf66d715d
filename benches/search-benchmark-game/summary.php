<?php
// What does the search-benchmark-game say? Its results.json, or one of each command, as a table for docs/results.
//
//     php -n benches/search-benchmark-game/summary.php results.json … > search-benchmark-game.json
//
// As on the game's page, a query's time is that of its fastest run, and a row's the mean over its queries. The first engine is
// compared with the others. To standard error: the queries whose counts differ, and those that cost the first engine the most
// beside each other one.
declare(strict_types=1);

const KINDS = ['intersection', 'union', 'phrase', 'intersection_union', 'negated'];
const COMMANDS = ['TOP_10', 'TOP_100', 'TOP_1000', 'TOP_100_COUNT', 'COUNT'];

$results = [];
foreach (array_slice($argv, 1) as $path) {
    $read = json_decode((string) file_get_contents($path), true, flags: JSON_THROW_ON_ERROR);
    $results += $read['results'];
}
$commands = array_values(array_intersect(COMMANDS, array_keys($results))) ?: exit("which results.json?\n");
$engines = array_keys($results[$commands[0]]);

/** What kind of query it is; the first of its tags that says so. */
$kind = fn (array $query): string => array_values(array_intersect($query['tags'], KINDS))[0] ?? 'others';

/** The mean of some times. */
$mean = fn (array $times): float => array_sum($times) / count($times);
// The queries as they stand in each list, and whether anything matches them.
$matches = array_map(fn (array $query): bool => $query['count'] > 0, $results['COUNT'][$engines[0]] ?? exit("COUNT is missing\n"));
$rows = [];
foreach ($commands as $command) {
    // By kind and engine, the time of each query; of all queries, and of those that match.
    $times = [];
    foreach ($results[$command] as $engine => $queries) {
        foreach ($queries as $at => $query) {
            foreach (['all', $kind($query)] as $of) {
                $times[0][$of][$engine][] = $query['duration'][0];
                $matches[$at] && $times[1][$of][$engine][] = $query['duration'][0];
            }
        }
    }
    foreach ($times as $table => $by_kind) {
        foreach (array_intersect(['all', ...KINDS], array_keys($by_kind)) as $of) {
            // A kind of which all match stands in the first table.
            if ($table === 1 && count($by_kind[$of][$engines[0]]) === count($times[0][$of][$engines[0]])) {
                continue;
            }
            $means = array_map($mean, $by_kind[$of]);
            $row = [$command, $of, (string) count($by_kind[$of][$engines[0]])];
            foreach ($means as $time) {
                $row[] = number_format($time);
            }
            foreach (array_slice($engines, 1) as $other) {
                $ratio = $means[$engines[0]] / $means[$other];
                $row[] = sprintf($ratio > 1 ? '**%.2f**' : '%.2f', $ratio);
            }
            if (isset($engines[2])) {
                $row[] = sprintf('%.2f', $means[$engines[2]] / $means[$engines[1]]);
            }
            $rows[$table][] = $row;
        }
    }
    foreach (array_slice($engines, 1) as $other) {
        $more = [];
        foreach ($results[$command][$engines[0]] as $at => $query) {
            $more[$query['query']] = $query['duration'][0] - $results[$command][$other][$at]['duration'][0];
        }
        arsort($more);
        fprintf(STDERR, "%s: slower than %s by µs, in %d of %d: %s\n", $command, $other, count(array_filter($more, fn (int $µs): bool => $µs > 0)), count($more), json_encode(array_slice(array_filter($more, fn (int $µs): bool => $µs > 0), 0, 12), JSON_UNESCAPED_SLASHES));
    }
}
$differ = [];
foreach ($results['COUNT'][$engines[0]] ?? [] as $at => $query) {
    foreach (array_slice($engines, 1) as $other) {
        $count = $results['COUNT'][$other][$at]['count'];
        if ($count !== $query['count']) {
            $differ[$other][] = $query['query'];
            fprintf(STDERR, "%s: %s finds %d, %s %d\n", $query['query'], $engines[0], $query['count'], $other, $count);
        }
    }
}
$counted = array_map(fn (string $other): string => sprintf('%s in %d', $other, count($differ[$other] ?? [])), array_slice($engines, 1));
$head = ['command', 'queries', 'number', ...$engines];
foreach (array_slice($engines, 1) as $other) {
    $head[] = "$engines[0] / $other";
}
if (isset($engines[2])) {
    $head[] = "$engines[2] / $engines[1]";
}
echo json_encode([
    'title' => 'The search-benchmark-game',
    'machine' => php_uname('m'),
    'date' => date('j F Y'),
    'command' => 'make bench',
    'notes' => ['Mean µs of each query\'s fastest run. Counts differ: ' . implode(', ', $counted) . ' queries. **Bold**: slower than the other.'],
    'tables' => [
        ['title' => 'All queries', 'head' => $head, 'rows' => $rows[0]],
        ['title' => 'Those that match anything, of the kinds of which some do not', 'head' => $head, 'rows' => $rows[1]],
    ],
], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE) . "\n";
