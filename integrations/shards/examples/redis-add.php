<?php

/*
 * Puts documents, one JSON object with an "id" a line, into the queue of their shards: Redis Streams, one for each.
 *
 *     php redis-add.php 4 < documents.jsonl
 *
 * An "id" alone deletes the document. Lines that are no document go to the stream postings:refused, and are counted. Redis must keep
 * what it acknowledged: appendonly yes, appendfsync always.
 */

declare(strict_types=1);

use Postings\Shards\ShardedIndex;

require getenv('AUTOLOAD') ?: __DIR__ . '/../vendor/autoload.php';

$shards = (int) ($argv[1] ?? 0);
$redis = new Redis();
$redis->connect(getenv('REDIS_HOST') ?: '127.0.0.1', (int) (getenv('REDIS_PORT') ?: 6379));
$refused = 0;
while (($line = fgets(STDIN)) !== false) {
    $document = json_decode($line, true);
    $id = is_array($document) ? $document['id'] ?? null : null;
    [$stream, $entry] = is_int($id) || is_string($id)
        ? ['postings:shard-' . ShardedIndex::shardOf($id, $shards), ['document' => $line]]
        : ['postings:refused', ['document' => $line, 'why' => 'it is no object with an "id" that is a number or a string']];
    $refused += (int) ($stream === 'postings:refused');
    if ($redis->xAdd($stream, '*', $entry) === false) {
        throw new RuntimeException($redis->getLastError() ?? 'Redis did not take a document');
    }
}
if ($refused > 0) {
    fwrite(STDERR, "$refused lines are no documents: they are in the stream postings:refused\n");
    exit(1);
}
