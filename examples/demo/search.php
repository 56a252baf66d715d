<?php

/** Searches the index that index.php made. */

declare(strict_types=1);

namespace Postings\Demo;

use Postings\Index;

require __DIR__ . '/Batch.php';
require __DIR__ . '/Console.php';

/** For Debian's packages: everything that a query can have. */
const SAMPLE = [
    'full text search engine',
    'fast compression library',
    'web server',
    '"web server" -apache -nginx',
    'name:python parser',
    'compres* image',
    'serach~ engin~',
    'development files for the c library',
    'game',
    'php extension',
];
const USAGE = <<<'TEXT'
    php -d extension=…/postings.so search.php --index FOLDER [--query "words …"]… [--limit N] [--matching M] [--sample debian|index|none] [--batch N]
      --limit     hits to show per query (5)
      --matching  all: documents with all words; any: with some; all-then-any: these only if too few have all (all)
      --sample    additional queries: ten for Debian's packages, ten made of words of the index, or none (the default if
                  there is a --query, otherwise index)
      --batch     also N queries of words of the documents, in one call: on one core, on all, and on the device that
                  postings.device selects

    TEXT;

/**
 * Three words from each of ten documents spread over the index, so that every query has at least one match.
 *
 * @return list<string>
 */
function sample_of(Index $index): array
{
    $queries = [];
    for ($i = 0, $n = min(10, count($index)); $i < $n; ++$i) {
        $document = $index->stored($index->id(intdiv($i * count($index), $n)));
        $words = @preg_split('/\PL+/u', $document['text'] ?? '', 13, PREG_SPLIT_NO_EMPTY) ?: [];
        $queries[] = implode(' ', array_slice($words, 9, 3) ?: array_slice($words, 0, 3));
    }
    return array_values(array_unique(array_filter($queries)));
}

$options = Console::start(['index:', 'query:', 'limit:', 'matching:', 'sample:', 'batch:'], USAGE);
$limit = max(1, (int) ($options['limit'] ?? 5));
$matching = $options['matching'] ?? 'all';
$queries = (array) ($options['query'] ?? []);
$folder = $options['index'] ?? throw new \ValueError('--index FOLDER is missing; see --help');

[$index, $seconds] = Console::step(static fn (): Index => Index::open($folder));
printf("\nOpened %s: %s documents, %s\n", $folder, number_format(count($index)), Console::time($seconds));
array_push($queries, ...match ($options['sample'] ?? ($queries === [] ? 'index' : 'none')) {
    'debian' => SAMPLE,
    'index' => sample_of($index),
    'none' => [],
    default => throw new \ValueError('--sample must be debian, index or none'),
});

[$mark, $unmark] = Console::marks();
foreach ($queries as $query) {
    // The first search of a query reads and checks its lists; the second finds them in memory.
    $search = static fn () => $index->search($query, limit: $limit, matching: $matching, total: true);
    [$hits, $first] = Console::step($search);
    [$hits, $again] = Console::step($search);
    printf("\n%s%s%s  %s matches, %s (at first %s)\n", $mark, Console::plain($query), $unmark, number_format($hits->total), Console::time($again), Console::time($first));
    $sections = $index->facets('section', $query, matching: $matching, limit: 4);
    if (count($sections) > 1) {
        echo '  ', implode(', ', array_map(static fn (int|string $name, int $n): string => "$name " . number_format($n), array_keys($sections), $sections)), "\n";
    }
    foreach ($hits as $hit) {
        // Both are HTML with the marks passed through.
        $line = static fn (string $html): string => html_entity_decode($html, ENT_QUOTES | ENT_HTML5);
        $summary = Console::plain($hit->fields['summary'] ?? '');
        printf("  %6.2f  %s%s\n", $hit->score, Console::plain($hit->fields['name']), $summary === '' ? '' : ': ' . $line($index->highlight($query, $summary, $mark, $unmark)));
        $text = Console::plain($hit->fields['text'] ?? '');
        echo $text === '' ? '' : '          ' . $line($index->snippet($query, $text, 110, $mark, $unmark)) . "\n";
    }
}

if ($queries !== []) {
    [, $seconds] = Console::step(static fn (): array => $index->searchBatch($queries, limit: 10, matching: $matching));
    printf("\nThe ten best of each of these %d queries, in one call: %s\n", count($queries), Console::time($seconds));
}

$batch = $options['batch'] ?? null;
if ($batch !== null) {
    Batch::run($index, max(1, (int) $batch), $matching);
}
