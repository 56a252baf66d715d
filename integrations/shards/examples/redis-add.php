<?php

/*
 * Puts documents, one JSON object with an "id" a line, into the queue of their shards: Redis Streams, one for each.
 *
 *     php redis-add.php 4 < documents.jsonl
 *
 * An "id" alone deletes the document. Redis must keep what it acknowledged: appendonly yes, appendfsync always.
 */

declare(strict_types=1);

use Postings\Shards\ShardedIndex;

require getenv('AUTOLOAD') ?: __DIR__ . '/../vendor/autoload.php';

$shards = (int) ($argv[1] ?? 0);
$redis = new Redis();
$redis->connect(getenv('REDIS_HOST') ?: '127.0.0.1', (int) (getenv('REDIS_PORT') ?: 6379));
while (($line = fgets(STDIN)) !== false) {
    $document = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $shard = ShardedIndex::shardOf($document['id'], $shards);
    if ($redis->xAdd("postings:shard-$shard", '*', ['document' => $line]) === false) {
        throw new RuntimeException($redis->getLastError() ?? 'Redis did not take a document');
    }
}
