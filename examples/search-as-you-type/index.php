<?php

/**
 * Search as you type, on PHP's built-in web server: completions of the last word, typing errors forgiven, hits with the words
 * marked, and the values of keyword fields to choose from.
 *
 *     php -d extension=modules/postings.so -S localhost:8000 examples/search-as-you-type/index.php
 *
 * The documents are the sections of this project's README.md and docs/. They are indexed at the first request, and again
 * when one of the files is newer than the index. `make serve` has those of the demo instead: DEMO_INDEX names the folder of
 * an index whose first text field is a title, and whose other ones are the text.
 *
 * | path | what |
 * |---|---|
 * | / | page.html |
 * | /page.js | the script of the page |
 * | /search?q=…&field=value | JSON: total, milliseconds, completions, facets, hits; of documents with that value |
 */

declare(strict_types=1);

use Postings\{Analyzer, Index, IndexException, IndexWriter};

const PROJECT = __DIR__ . '/../..';
const FOLDER = PROJECT . '/target/search-as-you-type-english';
const FIELDS = ['title' => ['weight' => 3, 'stored' => true], 'page' => ['keyword' => true], 'text' => ['stored' => true]];

/** @return Generator<string, array{title: string, page: string, text: string}> the sections of Markdown files, by file and number */
function sections(array $files): Generator
{
    foreach ($files as $file) {
        foreach (preg_split('/^(?=#{1,4} )/m', file_get_contents($file)) as $number => $section) {
            [$title, $text] = explode("\n", $section, 2) + [1 => ''];
            $page = substr($file, strlen(PROJECT) + 1);
            yield "$page $number" => ['title' => trim($title, '# '), 'page' => $page, 'text' => trim($text)];
        }
    }
}

/** The index as of its last commit. Made if there is none, or an old one; another process that makes it is waited for. */
function open_index(): Index
{
    if (($demo = getenv('DEMO_INDEX')) !== false) {
        return Index::open($demo);
    }
    $files = [PROJECT . '/README.md', ...glob(PROJECT . '/docs/{*,*/*}.md', GLOB_BRACE)];
    $newest = max(array_map('filemtime', $files));
    for ($attempt = 0; ; ++$attempt) {
        try {
            if (!is_dir(FOLDER) || @filemtime(FOLDER) < $newest) {
                $writer = IndexWriter::open(FOLDER, FIELDS, new Analyzer('english'));
                $writer->addAll(sections($files));
                $writer->optimize();
                touch(FOLDER);
            }
            return Index::open(FOLDER);
        } catch (IndexException $e) {
            if ($attempt === 50) {
                throw $e;
            }
            usleep(100_000);
        }
    }
}

/**
 * @param array<mixed> $asked what a visitor asked for, which may be anything: q, and values by the names of keyword fields
 * @return array<string, mixed>
 */
function answer(array $asked): array
{
    $index = open_index();
    $began = hrtime(true);
    $typed = is_string($asked['q'] ?? null) ? $asked['q'] : '';
    $fields = $index->fields();
    $texts = array_keys(array_filter($fields, static fn (array $field): bool => isset($field['weight'])));
    $keywords = array_keys(array_filter($fields, static fn (array $field): bool => isset($field['keyword'])));
    $filter = array_filter(array_intersect_key($asked, array_flip($keywords)), static fn (mixed $value): bool => is_string($value) && $value !== '');
    // The last word is one that may go on, unless a space or sign follows it.
    $how = ['typos' => 'auto', 'prefix' => preg_match('/[\pL\pN]$/u', $typed) === 1];
    $hits = trim($typed) === '' ? null : $index->search(
        $typed,
        ...$how,
        limit: 8,
        matching: 'all-then-any',
        filter: $filter,
        total: true,
        facets: $keywords,
    );
    $shown = [];
    foreach ($hits ?? [] as $hit) {
        $shown[] = [
            'where' => (string) $hit->id,
            'title' => $index->highlight($typed, $hit->fields[$texts[0]], ...$how),
            'snippet' => $index->snippet($typed, implode(' – ', array_filter(array_intersect_key($hit->fields, array_flip(array_slice($texts, 1))))), ...$how, length: 80, fragments: 2),
        ];
    }
    $completions = array_map('strval', array_keys($index->suggest($typed, limit: 6)));
    return [
        'total' => $hits->total ?? 0,
        'milliseconds' => round((hrtime(true) - $began) / 1e6, 2),
        'completions' => $completions,
        'facets' => (object) ($hits->facets ?? []),
        'hits' => $shown,
    ];
}

header("Content-Security-Policy: default-src 'self'; style-src 'unsafe-inline'");
header('X-Content-Type-Options: nosniff');
switch (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    case '/':
        header('Content-Type: text/html; charset=utf-8');
        readfile(__DIR__ . '/page.html');
        break;
    case '/page.js':
        header('Content-Type: text/javascript; charset=utf-8');
        readfile(__DIR__ . '/page.js');
        break;
    case '/search':
        $body = json_encode(answer($_GET), JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE);
        header('Content-Type: application/json');
        echo $body;
        break;
    default:
        http_response_code(404);
        header('Content-Type: text/plain');
        echo "There is no such page.\n";
}
