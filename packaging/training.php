<?php

/**
 * What the module does while its branches and calls are counted (packaging/profile.sh): it indexes this repository's own text, and
 * answers queries of all kinds, drawn with a fixed seed. Nothing is printed.
 *
 *     php -n -d extension=… packaging/training.php
 */

declare(strict_types=1);

use Postings\{Analyzer, Codec, Index, IndexWriter, PostingList};

const ROOT = __DIR__ . '/..';
/** Lines of a document. */
const LINES = 4;
const QUERIES = 250;

/** @return list<array{title: string, text: string, kind: string, file: string, size: int}> */
function documents(): array
{
    $files = [];
    foreach (['docs', 'src', 'stubs', 'php-tests'] as $folder) {
        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator(ROOT . "/$folder", FilesystemIterator::SKIP_DOTS)) as $file) {
            if (in_array($file->getExtension(), ['md', 'rs', 'php', 'phpt'], true)) {
                $files[] = $file->getPathname();
            }
        }
    }
    sort($files);
    $documents = [];
    foreach ($files as $file) {
        foreach (array_chunk(file($file), LINES) as $lines) {
            $text = implode('', $lines);
            $kind = basename(dirname($file));
            $documents[] = ['title' => $lines[0], 'text' => $text, 'kind' => $kind, 'file' => basename($file), 'size' => strlen($text)];
        }
    }
    return $documents;
}

/** @return list<list<string>> words that follow each other in a document, for each query */
function passages(array $documents, int $words): array
{
    $found = [];
    while (count($found) < QUERIES) {
        preg_match_all('/[a-z]{2,}/', strtolower($documents[mt_rand(0, count($documents) - 1)]['text']), $match);
        if (count($match[0]) > $words) {
            $found[] = array_slice($match[0], mt_rand(0, count($match[0]) - $words), $words);
        }
    }
    return $found;
}

/** The documents in their order, and, so that lists become long, several times in others. */
function index(array $documents, string $folder, Analyzer $analyzer, int $copies): Index
{
    $fields = ['title' => ['weight' => 2], 'text' => [], 'kind' => ['keyword' => true], 'file' => ['keyword' => true], 'size' => ['numeric' => true]];
    $writer = IndexWriter::open($folder, $fields, $analyzer, memory: 64 << 20);
    $id = 0;
    for ($copy = 0; $copy < $copies; $copy++) {
        foreach ($documents as $document) {
            $writer->add(++$id, $document);
        }
        $writer->commit();
        shuffle($documents);
    }
    foreach (range(1, $id, 97) as $deleted) {
        $writer->delete($deleted);
    }
    $writer->optimize();
    return Index::open($folder);
}

function search(Index $index, array $documents): void
{
    foreach ([1, 1, 2, 2, 3, 4, 7, 20] as $length) {
        foreach (passages($documents, $length) as $number => $words) {
            $query = implode(' ', $words);
            foreach (['all', 'any'] as $matching) {
                $index->search($query, matching: $matching);
                $index->search($query, matching: $matching, fields: ['text']);
                $index->search($query, matching: $matching, fields: ['text'], total: true);
                $index->search($query, 1000, matching: $matching, fields: ['text']);
                $index->count($query, $matching);
                $index->count($query, $matching, fields: ['text']);
            }
            if ($length > 4) {
                continue;
            }
            $index->search("\"$query\"");
            $index->search("+$query", matching: 'any');
            $index->search($query, filter: ['kind' => 'docs']);
            $index->search($query, filter: ['size' => [100, 200]], facets: ['kind' => 10]);
            $index->search($query, matching: 'any', sort: ['size' => 'asc'], facets: ['file' => 10]);
            if ($number % 10 === 0) {
                $index->search(substr($query, 0, -1) . '*');
                $index->search("$words[0]~");
                $index->suggest(substr($words[0], 0, 3));
                $index->snippet($query, str_repeat("$query and ", 20));
            }
        }
    }
    $index->searchBatch(array_map(static fn (array $words) => implode(' ', $words), passages($documents, 3)));
}

function lists(): void
{
    foreach ([2, 7, 40, 1000] as $gap) {
        $lists = [];
        foreach (Codec::cases() as $codec) {
            $docIds = [mt_rand(0, $gap)];
            while (count($docIds) < 20_000) {
                $docIds[] = end($docIds) + mt_rand(1, 2 * $gap);
            }
            $list = PostingList::encode($docIds, $codec);
            $lists[] = PostingList::fromBytes($list->toBytes());
            $list->toPacked();
            Postings\intersect($list, PostingList::encode(array_slice($docIds, 100, 500), $codec));
            Postings\intersect_count($list, ...array_slice($lists, -2));
        }
    }
}

mt_srand(1);
$folder = sys_get_temp_dir() . '/postings-training-' . getmypid();
$documents = documents();
foreach ([[new Analyzer(), 24], [new Analyzer('english', fold: true), 2]] as $number => [$analyzer, $copies]) {
    search(index($documents, "$folder-$number", $analyzer, $copies), $documents);
    Index::drop("$folder-$number");
}
lists();
