<?php

/**
 * Search as you type, on PHP's built-in web server: completions of the last word, and hits with the words marked.
 *
 *     php -d extension=modules/postings.so -S localhost:8000 examples/search-as-you-type/index.php
 *
 * The documents are the sections of this project's README.md and docs/. They are indexed at the first request, and again
 * when one of the files is newer than the index.
 *
 * | path | what |
 * |---|---|
 * | / | page.html |
 * | /page.js | the script of the page |
 * | /search?q=… | JSON: total, milliseconds, completions, hits |
 */

declare(strict_types=1);

use Postings\{Index, IndexException, IndexWriter};

const PROJECT = __DIR__ . '/../..';
const FOLDER = PROJECT . '/target/search-as-you-type';
// Without a stemmer, so that completions are whole words.
const FIELDS = ['title' => ['weight' => 3, 'stored' => true], 'text' => ['stored' => true]];

/** @return Generator<string, array{title: string, text: string}> the sections of Markdown files, by file and number */
function sections(array $files): Generator
{
    foreach ($files as $file) {
        foreach (preg_split('/^(?=#{1,4} )/m', file_get_contents($file)) as $number => $section) {
            [$title, $text] = explode("\n", $section, 2) + [1 => ''];
            yield substr($file, strlen(PROJECT) + 1) . " $number" => ['title' => trim($title, '# '), 'text' => trim($text)];
        }
    }
}

/** The index as of its last commit. Made if there is none, or an old one; another process that makes it is waited for. */
function open_index(): Index
{
    $files = [PROJECT . '/README.md', ...glob(PROJECT . '/docs/{*,*/*}.md', GLOB_BRACE)];
    $newest = max(array_map('filemtime', $files));
    for ($attempt = 0; ; ++$attempt) {
        try {
            if (!is_dir(FOLDER) || @filemtime(FOLDER) < $newest) {
                $writer = IndexWriter::open(FOLDER, FIELDS);
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

/** @return array<string, mixed> */
function answer(string $typed): array
{
    $index = open_index();
    $began = hrtime(true);
    // The last word is one that may go on, unless a space or sign follows it.
    $query = preg_match('/[\pL\pN]$/u', $typed) === 1 ? "$typed*" : $typed;
    $completions = array_map('strval', array_keys($index->suggest($typed, limit: 6)));
    $hits = trim($typed) === '' ? [] : $index->search($query, limit: 8, matching: 'all-then-any', total: true);
    $shown = [];
    foreach ($hits as $hit) {
        $shown[] = [
            'where' => strtok((string) $hit->id, ' '),
            'title' => $index->highlight($query, $hit->fields['title']),
            'snippet' => $index->snippet($query, $hit->fields['text'], length: 160),
        ];
    }
    return ['total' => $hits->total ?? 0, 'milliseconds' => round((hrtime(true) - $began) / 1e6, 2), 'completions' => $completions, 'hits' => $shown];
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
        $typed = $_GET['q'] ?? '';
        $body = json_encode(answer(is_string($typed) ? $typed : ''), JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE);
        header('Content-Type: application/json');
        echo $body;
        break;
    default:
        http_response_code(404);
        header('Content-Type: text/plain');
        echo "There is no such page.\n";
}
