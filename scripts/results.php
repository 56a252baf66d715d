<?php

/**
 * Makes docs/results.md, and the table of README.md, of the results in docs/results/: what benches have written
 * (search.json, search-fields.json, search-index.json, search-php.json, conditions.json and conditions-tantivy.json of `make bench-search`,
 * search-benchmark-game.json of benches/search-benchmark-game/summary.php) and tables of other runs, each with machine, date and
 * command.
 *
 *     php -n scripts/results.php             writes the page and the table
 *     php -n scripts/results.php --check     says whether they are those of the results; exit status 1 if they are not
 *
 * To publish a run: copy its file from target/bench to docs/results, then `make docs`.
 */

declare(strict_types=1);

/** The sections of the page, in its order: file => the title of those that have none of their own. */
const SECTIONS = [
    'search' => 'Ranked search, beside tantivy',
    'search-xeon' => '',
    'search-vm' => '',
    'search-avx2' => '',
    'search-fields' => 'Ranked search in two fields, beside tantivy',
    'search-benchmark-game' => '',
    'search-php' => 'Ranked search from PHP, beside SQLite FTS5',
    'conditions' => '',
    'conditions-tantivy' => 'Conditions, beside tantivy',
    'shop' => '',
    'vectors' => '',
    'h100-meaning' => '',
    'search-index' => 'Indexing',
    'search-index-xeon' => '',
    'index-codecs' => '',
    'quality' => '',
    'h200-ranked' => '',
    'xeon' => '',
    'real' => '',
    'epyc' => '',
    'h200' => '',
    'h200-php' => '',
    'yioop' => '',
    'yioop-h200' => '',
    'yioop-conjunction' => '',
];

/** What contestants are called. */
const NAMES = ['ours' => 'Postings', 'fts5' => 'FTS5'];

/** The rows of README's table: shape and task of search-php.json, and what they ask for. */
const README = [
    ['passage', 'and-top10', 'ten best with all words'],
    ['passage', 'or-top10', 'ten best with any word'],
    ['passage', 'and-count', 'number of documents with all words'],
    ['phrase', 'phrase-top10', 'ten best with a phrase'],
];

$root = dirname(__DIR__);
$page = <<<'PAGE'
# Results

<!-- Made of docs/results/ by `make docs`: do not edit it. -->

What the benches have measured: every figure with its machine and date, once. [performance.md](performance.md) describes the
method and says what the figures mean, [yioop-experiment.md](yioop-experiment.md) those of Yioop.


PAGE;
$sections = '';
$runs = [];
foreach (SECTIONS as $file => $title) {
    $result = read("$root/docs/results/$file.json");
    $title = $result['title'] ?? $title;
    $page .= "- [$title](#" . anchor($title) . ")\n";
    $run = run($result);
    $shown = isset($runs[$run]) ? "Machine, day and command: those of [{$runs[$run]}](#" . anchor($runs[$run]) . ").\n" : $run;
    $runs[$run] ??= $title;
    $sections .= "\n## $title\n\n$shown" . section($result);
}
$page .= $sections;
$readme = (string) file_get_contents("$root/README.md");
$table = readme(read("$root/docs/results/search-php.json"));
$marked = preg_replace('~(<!-- results -->\n).*?(<!-- /results -->)~s', "\$1$table\$2", $readme, count: $places);
if ($places !== 1) {
    fwrite(STDERR, "README.md has no place for the table: <!-- results --> … <!-- /results -->\n");
    exit(1);
}
$unknown = array_diff(array_map(static fn (string $path): string => basename($path, '.json'), glob("$root/docs/results/*.json")), array_keys(SECTIONS));
if ($unknown !== []) {
    fwrite(STDERR, 'scripts/results.php has no section for docs/results/' . implode('.json, ', $unknown) . ".json\n");
    exit(1);
}
$stale = [];
foreach (['docs/results.md' => $page, 'README.md' => $marked] as $path => $content) {
    if (@file_get_contents("$root/$path") !== $content) {
        $stale[] = $path;
        ($argv[1] ?? '') === '--check' || file_put_contents("$root/$path", $content);
    }
}
if (($argv[1] ?? '') === '--check' && $stale !== []) {
    fwrite(STDERR, implode(', ', $stale) . " do not show the results in docs/results: run `make docs`\n");
    exit(1);
}
if (($argv[1] ?? '') !== '--check') {
    echo "docs/results.md\n";
}

/** @return array<string, mixed> */
function read(string $path): array
{
    $result = json_decode((string) @file_get_contents($path), true);
    foreach (['machine', 'date'] as $key) {
        if (!is_string($result[$key] ?? null)) {
            fwrite(STDERR, "$path says no $key, or is not there\n");
            exit(1);
        }
    }

    return $result;
}

function anchor(string $heading): string
{
    return str_replace(' ', '-', preg_replace('/[^\w -]/', '', strtolower($heading)));
}

/** Machine, date and command of a run. */
function run(array $result): string
{
    return "{$result['machine']}. {$result['date']}." . (isset($result['command']) ? " `{$result['command']}`" : '') . "\n";
}

/** Its notes and its tables. */
function section(array $result): string
{
    $text = '';
    foreach ($result['notes'] ?? [] as $note) {
        $text .= "\n$note\n";
    }
    if (isset($result['rows'][0]['besides'])) {
        return $text . conditions($result);
    }
    if (isset($result['rows'][0]['engines'])) {
        return $text . searches($result);
    }
    if (isset($result['rows'][0]['engine'])) {
        return $text . indexing($result);
    }
    foreach ($result['tables'] as $table) {
        $text .= ($table['title'] === '' ? '' : "\n{$table['title']}:\n") . "\n" . table($table['head'], $table['rows']);
    }

    return $text;
}

/** search.json and search-php.json: two contestants, times in microseconds. */
function searches(array $result): string
{
    [$ours, $peer] = array_keys($result['rows'][0]['engines']);
    $title = static fn (string $engine): string => NAMES[$engine] ?? $engine;
    $head = ['shape', 'task', $title($ours) . ': mean', 'median', 'p99', $title($peer) . ': mean', 'median', 'p99', 'ours / theirs, means'];
    $has_targets = array_filter(array_column($result['rows'], 'target')) !== [];
    if ($has_targets) {
        array_push($head, 'p99', 'targets');
    }
    $rows = [];
    foreach ($result['rows'] as $row) {
        $times = [];
        foreach ([$ours, $peer] as $engine) {
            foreach (['mean', 'median', 'p99'] as $what) {
                $times[] = figure($row['engines'][$engine][$what]);
            }
        }
        $ratios = [ratio($row, $ours, $peer, 'mean', $row['target'] ?? INF)];
        if ($has_targets) {
            $ratios[] = ratio($row, $ours, $peer, 'p99', $row['target_p99'] ?? INF);
            $targets = array_filter([$row['target'] ?? null, $row['target_p99'] ?? null]);
            $ratios[] = implode('; ', array_map(static fn (float $target): string => sprintf('%.2f', $target), $targets));
        }
        $rows[] = [$row['shape'], $row['task'], ...$times, ...$ratios];
    }
    $about = sprintf("%s passages; µs per query.%s", number_format($result['passages']), isset($result['peer']) ? " The peer is {$result['peer']}." : '');
    $about .= $has_targets ? ' **Bold**: more than the target.' : '';

    return "\n$about\n\n" . table($head, $rows);
}

/** How many times the peer's time ours is; bold if that is more than wanted. */
function ratio(array $row, string $ours, string $peer, string $what, float $most): string
{
    $ratio = $row['engines'][$ours][$what] / $row['engines'][$peer][$what];
    $shown = sprintf($ratio < 0.01 ? '%.4f' : '%.2f', $ratio);

    return $ratio > $most ? "**$shown**" : $shown;
}

/** conditions-tantivy.json: mean times in microseconds; rows with queries of words have two, for all words and for any. */
function conditions(array $result): string
{
    $rows = ['words' => [], 'alone' => []];
    foreach ($result['rows'] as $row) {
        ['ours' => $ours, 'tantivy' => $theirs] = $row['engines'];
        $ratio = $ours['mean'] / $theirs['mean'];
        $shown = sprintf($ratio < 0.01 ? '%.3f' : '%.2f', $ratio);
        $table = &$rows[$row['matching'] === '' ? 'alone' : 'words'];
        $table[$row['besides']] ??= [$row['besides']];
        array_push($table[$row['besides']], figure($ours['mean']), figure($theirs['mean']), $ratio > $result['wanted'] ? "**$shown**" : $shown);
    }
    $head = ['Postings', 'tantivy', 'ratio'];

    return sprintf("\n%s passages; mean µs. **Bold**: more than the wanted %s of tantivy's time.\n", number_format($result['passages']), $result['wanted'])
        . "\n" . table(['besides', 'all words: Postings', 'tantivy', 'ratio', 'any word: Postings', 'tantivy', 'ratio'], array_values($rows['words']))
        . "\n" . table(['call', ...$head], array_values($rows['alone']));
}

/** search-index.json, and that of a Xeon: seconds. */
function indexing(array $result): string
{
    $rows = [];
    foreach ($result['rows'] as $row) {
        $all = $row['commit'] + $row['merge'];
        $times = array_map(
            static fn (array $times): string => sprintf($times['ratio'] < $times['target'] ? '**%.2f × %s** (%s)' : '%.2f × %s (%s)', $times['ratio'], $times['of'], $times['target']),
            $row['times_as_fast'] ?? [],
        );
        $rows[] = [
            NAMES[$row['engine']] ?? $row['engine'], (string) $row['threads'], ($row['memory'] >> 20) . ' MiB', sprintf('%.1f s', $row['commit']),
            sprintf('+ %.1f s', $row['merge']), sprintf('%.1f M', $row['tokens'] / $all / 1e6), sprintf('%.0f MB', $row['bytes'] / 1e6), implode('; ', $times),
        ];
    }
    $about = sprintf('%s passages (%.1f M tokens, %.0f MB of text) and ids from memory to one durable segment.', number_format($result['passages']), $result['rows'][0]['tokens'] / 1e6, $result['text'] / 1e6);

    return "\n$about **Bold**: less than the target, which stands in brackets.\n\n"
        . table(['', 'threads', 'memory', 'commit', 'merged to one segment', 'tokens per second, in all', 'size', 'times as fast as'], $rows);
}

/** Three digits. */
function figure(float $value): string
{
    return match (true) {
        $value >= 100 => number_format($value),
        $value >= 10 => sprintf('%.1f', $value),
        default => sprintf('%.2f', $value),
    };
}

/**
 * @param list<string> $head
 * @param list<list<string>> $rows
 */
function table(array $head, array $rows): string
{
    $line = static fn (array $cells): string => '| ' . implode(' | ', $cells) . " |\n";
    // Columns of figures are set to the right.
    $rule = '|';
    foreach (array_keys($head) as $at) {
        $figures = array_filter($rows, static fn (array $row): bool => preg_match('/^[*+~]*\d/', $row[$at] ?? '') === 1);
        $rule .= $at > 0 && 2 * count($figures) > count($rows) ? '---:|' : '---|';
    }

    return $line($head) . "$rule\n" . implode('', array_map($line, $rows));
}

/** README's table: one run, mean times. */
function readme(array $result): string
{
    $time = static fn (float $µs): string => $µs < 10_000 ? number_format($µs) . ' µs' : sprintf('%.1f ms', $µs / 1000);
    $rows = [];
    foreach (README as [$shape, $task, $asks]) {
        foreach ($result['rows'] as $row) {
            if ($row['shape'] === $shape && $row['task'] === $task) {
                $rows[] = [$asks, $time($row['engines']['ours']['mean']), $time($row['engines']['fts5']['mean'])];
            }
        }
    }

    return table(['one query, from PHP, on one core', 'Postings', 'SQLite FTS5'], $rows);
}
