<?php

declare(strict_types=1);

/*
 * Builds the index of one partition; build.py starts it in each task. Reads lines from standard input:
 *
 *     {"schema": …, "id": "sku", "partition": 3, "partitions": 8, "attempt": "…", "folder": "…", …}
 *     +{"sku": "p-1", "title": "Lamp"}      a document, an object whose key "id" names the id
 *     .17                                   the end, and how many documents there were
 *
 * It builds in the folder `attempt`, and renames that to `folder` when all is durable, so that `folder` is there whole or
 * not at all. Without the last line nothing is kept: whoever writes the lines has died then. Prints {"documents": …}. The
 * exit status is 65 (EX_DATAERR) if a document is not valid, which repeating does not heal; the message names it.
 */

require __DIR__ . '/schema.php';

use Postings\Index;

function refuse(string $why): never
{
    fwrite(STDERR, "$why\n");
    exit(65);
}

/** The beginning of a line, to name a document that has no id. */
function beginning(string $line): string
{
    return strlen($line) > 100 ? substr($line, 0, 100) . '…' : $line;
}

$job = json_decode((string) fgets(STDIN), true, flags: JSON_THROW_ON_ERROR);
if (is_dir($job['folder'])) {
    // An earlier attempt was done, but nobody heard of it.
    echo json_encode(['documents' => Index::open($job['folder'])->documents()]), "\n";
    exit;
}

$building = $job['scratch'] ?? $job['attempt'];
$writer = open_writer($building, $job['schema'], $job['memory'], $job['threads']);
$added = 0;
$end = null;
while (($line = fgets(STDIN)) !== false) {
    if ($line[0] === '.') {
        $end = trim(substr($line, 1));
        break;
    }
    $line = rtrim(substr($line, 1), "\n");
    try {
        $document = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    } catch (JsonException $exception) {
        refuse("not valid JSON ({$exception->getMessage()}): " . beginning($line));
    }
    $id = is_array($document) ? $document[$job['id']] ?? null : null;
    if (!is_int($id) && !is_string($id)) {
        refuse("a document without an integer or a string as \"{$job['id']}\": " . beginning($line));
    }
    $partition = crc32((string) $id) % $job['partitions'];
    if ($partition !== $job['partition']) {
        refuse("document \"$id\" is of partition $partition and came in {$job['partition']}");
    }
    try {
        $writer->add($id, array_intersect_key($document, $job['schema']['fields']));
    } catch (ValueError|TypeError $error) {
        refuse("document \"$id\": {$error->getMessage()}");
    }
    $added++;
}
if ($end !== (string) $added) {
    fwrite(STDERR, "partition {$job['partition']}: the input ended after $added documents\n");
    exit(1);
}
$writer->commit();
$documents = Index::open($building)->documents();
if ($documents < $added) {
    // Documents that others replaced would count in scores until a merge.
    $writer->optimize();
}
if ($building !== $job['attempt']) {
    $writer->snapshot($job['attempt']);
}
$writer->close();
// Fails if another attempt was faster: its folder is not empty. It has the same documents.
if (!@rename($job['attempt'], $job['folder']) && !is_dir($job['folder'])) {
    fwrite(STDERR, "{$job['attempt']} cannot be renamed to {$job['folder']}: " . (error_get_last()['message'] ?? '') . "\n");
    exit(1);
}
echo json_encode(['documents' => $documents]), "\n";
