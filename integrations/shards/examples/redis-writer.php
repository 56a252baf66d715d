<?php

/*
 * The one writer of a shard: takes documents from its queue, commits, and only then acknowledges them.
 *
 *     php redis-writer.php 0 /var/lib/postings/shard-0
 *
 * Whenever it is killed, the next one begins with what was taken and not acknowledged. Documents that were committed already
 * replace themselves, so nothing is lost and nothing is twice. What is no document goes to the stream postings:refused. If Redis or the
 * index fails, it ends, and what started it (systemd, for instance) starts it again. With `--once` it ends when the queue is empty.
 */

declare(strict_types=1);

use Postings\IndexWriter;

/** Documents of a commit, and milliseconds that it waits for the first of them. */
const DOCUMENTS = 1000;
const WAIT = 100;

[, $shard, $folder] = $argv;
$redis = new Redis();
$redis->connect(getenv('REDIS_HOST') ?: '127.0.0.1', (int) (getenv('REDIS_PORT') ?: 6379));

/** What Redis answered, which says by false that it did not do it; nothing to read is no error. */
$done = function (mixed $answer) use ($redis): mixed {
    $why = $redis->getLastError();
    if ($why !== null || $answer === null) {
        throw new RuntimeException('Redis: ' . ($why ?? 'no answer'));
    }
    return $answer;
};

$stream = "postings:shard-$shard";
$redis->xGroup('CREATE', $stream, 'writers', '0', true);
// It was there before, usually.
$redis->clearLastError();
// The lock of the index is what makes it the only one: one that is killed gives it back.
$writer = IndexWriter::open($folder, require __DIR__ . '/schema.php', wait: 60_000);
// First what an earlier one had taken: "0" reads that again, ">" what nobody has.
for ($from = '0';;) {
    $taken = $done($redis->xReadGroup('writers', 'writer', [$stream => $from], DOCUMENTS, WAIT))[$stream] ?? [];
    if ($taken === []) {
        if ($from === '>' && in_array('--once', $argv, true)) {
            break;
        }
        $from = '>';
        continue;
    }
    // Entries that somebody has deleted since they were taken are null.
    foreach (array_filter($taken) as $entry) {
        try {
            $document = json_decode($entry['document'] ?? '', true, flags: JSON_THROW_ON_ERROR);
            if (!is_array($document) || !isset($document['id'])) {
                throw new ValueError('it is no object with an "id"');
            }
            $id = $document['id'];
            unset($document['id']);
            $document === [] ? $writer->delete($id) : $writer->add($id, $document);
        } catch (JsonException|TypeError|ValueError $error) {
            // It would stop every writer that takes it: kept apart, for somebody to look at.
            $done($redis->xAdd('postings:refused', '*', $entry + ['why' => $error->getMessage()]));
        }
    }
    $writer->commit();
    // Both or none: what is acknowledged is not read again, and would stay.
    $redis->multi();
    $redis->xAck($stream, 'writers', array_keys($taken));
    $redis->xDel($stream, array_keys($taken));
    $answers = $done($redis->exec());
    if (!is_array($answers) || in_array(false, $answers, true)) {
        throw new RuntimeException('Redis did not take what was done');
    }
}
$writer->close();
