<?php

/** Answers conjunctive queries (documents containing all words) over the file that index.php wrote. */

declare(strict_types=1);

namespace Postings\Demo;

require __DIR__ . '/Console.php';
require __DIR__ . '/Corpus.php';
require __DIR__ . '/IndexWriter.php';
require __DIR__ . '/IndexReader.php';

/** For the descriptions of Debian's packages: words with long and with short lists. */
const SAMPLE = [
    'library for the python programming language',
    'development files',
    'game engine',
    'command line tool for images',
    'perl module for parsing',
    'full text search engine',
    'fast compression library',
    'documentation for haskell',
    'web server',
    'php extension',
];
const USAGE = <<<'TEXT'
    php -d extension=…/postings.so search.php --index FILE [--query "words …"]… [--limit N] [--sample debian|index|none]
      --limit   matches to show per query (5)
      --sample  additional queries: ten for Debian's packages, ten made of words of the index, or none (the default if
                there is a --query, otherwise index)

    TEXT;

/**
 * Up to three words from each of ten documents spread over the index, so that every query has at least one match.
 *
 * @return list<string>
 */
function sample_of(IndexReader $index): array
{
    $queries = [];
    for ($i = 0, $n = min(10, $index->documentCount()); $i < $n; ++$i) {
        $words = Corpus::words($index->document(intdiv($i * $index->documentCount(), $n))[1]);
        // The last word may be the ellipsis of a shortened text.
        $queries[] = implode(' ', array_slice($words, 0, max(1, min(3, count($words) - 1))));
    }
    return array_values(array_unique(array_filter($queries)));
}

$options = Console::start(['index:', 'query:', 'limit:', 'sample:'], USAGE);
$limit = max(0, (int) ($options['limit'] ?? 5));
$queries = (array) ($options['query'] ?? []);
echo "\n", Console::machine(), "\n";

[$index, $seconds] = Console::step(static fn (): IndexReader => new IndexReader($options['index'] ?? throw new \ValueError('--index FILE is missing; see --help')));
printf("Opened %s: %d documents, %d terms, %s\n", $options['index'], $index->documentCount(), $index->termCount(), Console::time($seconds));
array_push($queries, ...match ($options['sample'] ?? ($queries === [] ? 'index' : 'none')) {
    'debian' => SAMPLE,
    'index' => sample_of($index),
    'none' => [],
    default => throw new \ValueError('--sample must be debian, index or none'),
});

$batch = [];
foreach ($queries as $query) {
    $words = Corpus::words($query);
    [$lists, $opening, $openedBy] = Console::step(static fn (): array => array_map($index->postings(...), $words));
    $frequencies = array_map(static fn (string $word, $list): string => $word . ' ' . ($list === null ? 0 : count($list)), $words, $lists);
    echo "\n“{$query}”  (", implode(', ', $frequencies), ")\n";
    if ($lists === []) {
        echo "  the query has no words\n";
        continue;
    }
    if (in_array(null, $lists, true)) {
        echo "  no matches: a word is not in the index\n";
        continue;
    }
    [$matches, $intersecting, $intersectedBy] = Console::step(static fn (): array => \Postings\intersect(...$lists));
    printf("  look-up, reading and checking: %s, %s; intersection: %s, %s\n", Console::time($opening), $openedBy, Console::time($intersecting), $intersectedBy);
    printf("  %d %s%s\n", count($matches), count($matches) === 1 ? 'match' : 'matches', count($matches) > $limit ? ", the first $limit:" : ($matches === [] ? '' : ':'));
    foreach (array_slice($matches, 0, $limit) as $docId) {
        [$name, $text] = $index->document($docId);
        printf("    %6d  %-28s %s\n", $docId, $name, $text);
    }
    $batch[$query] = $lists;
}

if ($batch !== []) {
    [$answers, $seconds, $place] = Console::step(static fn (): array => \Postings\intersect_batch($batch));
    printf("\nThe same %d queries in one batch: %d matches, %s, %s\n", count($batch), array_sum(array_map('count', $answers)), Console::time($seconds), $place);
}
