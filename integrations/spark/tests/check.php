<?php

declare(strict_types=1);

/*
 * Compares what build.py made with an index that this process makes of the same files.
 *
 *     php check.php reference json|text FILES SCHEMA INDEX [THREADS]
 *     php check.php same REFERENCE INDEX [strings]     ids, totals, hits, scores and stored fields; ids compared as strings
 *     php check.php shards REFERENCE FOLDER            what the manifest says, where documents are, and which are found
 *
 * Ends with status 1 and says where if something differs.
 */

require __DIR__ . '/../schema.php';

use Postings\Index;

const QUERIES = 200;

function fail(string $what): never
{
    fwrite(STDERR, "$what\n");
    exit(1);
}

/** @param iterable<string> $lines @return Generator<int|string, array<string, mixed>|string> */
function parsed(iterable $lines, string $format): Generator
{
    foreach ($lines as $line) {
        if ($format === 'text') {
            [$id, $text] = explode("\t", $line, 2);
            yield $id => $text;
        } else {
            $document = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
            yield $document['id'] => array_diff_key($document, ['id' => 0, 'ignored' => 0]);
        }
    }
}

/** Documents added one after the other, in the order of files. */
function make_reference(string $format, string $files, array $schema, string $path, int $threads): int
{
    $writer = open_writer($path, $schema, 64 << 20, $threads);
    $paths = is_dir($files) ? glob("$files/*") : [$files];
    $added = 0;
    foreach ($paths as $file) {
        $lines = new SplFileObject($file);
        $lines->setFlags(SplFileObject::DROP_NEW_LINE | SplFileObject::SKIP_EMPTY | SplFileObject::READ_AHEAD);
        $added += $writer->addAll(parsed($lines, $format));
    }
    $writer->commit();
    $documents = Index::open($path)->documents();
    if ($documents < $added) {
        // What was replaced would count in scores.
        $writer->optimize();
    }
    return $documents;
}

/** @return list<array{string, array<string, mixed>}> queries, and further arguments of search() */
function queries(Index $index): array
{
    mt_srand(7);
    $texts = [];
    foreach (array_slice($index->search('', limit: 2000)->ids(), 0, 2000) as $id) {
        $text = $index->stored($id)['text'] ?? '';
        $texts[] = preg_split('/[^\w]+/u', is_string($text) ? $text : '', flags: PREG_SPLIT_NO_EMPTY);
    }
    $queries = [];
    while (count($queries) < QUERIES) {
        $words = $texts[array_rand($texts)];
        $count = mt_rand(1, 3);
        if (count($words) < $count) {
            continue;
        }
        $found = implode(' ', array_slice($words, mt_rand(0, count($words) - $count), $count));
        $number = count($queries);
        $arguments = ['matching' => $number % 2 === 0 ? 'all' : 'any'];
        if (isset($index->fields()['brand']) && $number % 5 === 0) {
            $arguments['filter'] = ['brand' => 'Acme'];
        }
        $queries[] = [$number % 4 === 0 ? "\"$found\"" : $found, $arguments];
    }
    return $queries;
}

/** @return array<string, array{float, array<string, mixed>}> score and stored fields by id, in the order of ids */
function found(Index $index, string $query, array $arguments, bool $strings): array
{
    $hits = $index->search($query, ...$arguments, limit: max(1, $index->documents()), total: true);
    if ($hits->total !== count($hits)) {
        fail("$query: {$hits->total} in all, but " . count($hits) . ' hits');
    }
    $found = [];
    foreach ($hits as $hit) {
        $found[$strings ? "$hit->id" : serialize($hit->id)] = [$hit->score, $hit->fields];
    }
    ksort($found, SORT_STRING);
    return $found;
}

/** @param array<string, mixed> $expected @param array<string, mixed> $found */
function difference(string $query, array $expected, array $found): never
{
    foreach ($expected as $id => $hit) {
        if (($found[$id] ?? null) !== $hit) {
            fail("$query: $id: expected " . json_encode($hit) . ', found ' . json_encode($found[$id] ?? null));
        }
    }
    fail("$query: " . count($found) . ' hits, of which ' . count($expected) . ' were expected');
}

function compare(Index $reference, Index $index, bool $strings): int
{
    $hits = 0;
    foreach ([['', []], ...queries($reference)] as [$query, $arguments]) {
        $expected = found($reference, $query, $arguments, $strings);
        $found = found($index, $query, $arguments, $strings);
        if ($found !== $expected) {
            difference($query, $expected, $found);
        }
        $hits += count($expected);
    }
    return $hits;
}

function compare_shards(Index $reference, string $folder): int
{
    $manifest = json_decode(file_get_contents("$folder/manifest.json"), true, flags: JSON_THROW_ON_ERROR);
    $shards = [];
    foreach ($manifest['shards'] as $number => $shard) {
        $index = Index::open("$folder/{$shard['folder']}");
        if ($index->documents() !== $shard['documents']) {
            fail("{$shard['folder']}: not {$shard['documents']} documents");
        }
        foreach ($index->search('', limit: max(1, $index->documents()))->ids() as $id) {
            if (crc32((string) $id) % count($manifest['shards']) !== $number) {
                fail("document $id is in the wrong shard");
            }
        }
        $shards[] = $index;
    }
    if ($manifest['documents'] !== $reference->documents()) {
        fail("{$manifest['documents']} documents, not {$reference->documents()}");
    }
    $hits = 0;
    foreach ([['', []], ...queries($reference)] as [$query, $arguments]) {
        // Scores are by the statistics of each shard.
        $ids = static fn (Index $index): array => array_map(
            static fn (array $found) => $found[1],
            found($index, $query, $arguments, false),
        );
        $of_shards = array_merge(...array_map($ids, $shards));
        ksort($of_shards, SORT_STRING);
        $expected = $ids($reference);
        if ($of_shards !== $expected) {
            difference($query, $expected, $of_shards);
        }
        $hits += count($of_shards);
    }
    return $hits;
}

if ($argv[1] === 'reference') {
    [, , $format, $files, $schema, $path] = $argv;
    $begin = hrtime(true);
    $documents = make_reference($format, $files, json_decode(file_get_contents($schema), true), $path, (int) ($argv[6] ?? 1));
    printf("%s: %d documents in %.1f s\n", $path, $documents, (hrtime(true) - $begin) / 1e9);
    exit;
}
$reference = Index::open($argv[2]);
$hits = $argv[1] === 'same'
    ? compare($reference, Index::open($argv[3]), isset($argv[4]))
    : compare_shards($reference, $argv[3]);
// What finds nothing proves nothing.
if ($hits < QUERIES && $reference->documents() > QUERIES) {
    fail("only $hits hits");
}
echo "$hits hits\n";
