<?php

/*
 * Searches shards on several machines while these fail, and measures them. The machines are processes of this one: see Machines.php.
 *
 *     php -d extension=… run.php [--passages=FILE] [--documents=N] [--seconds=S] [--searches=N]
 *
 * Every answer is compared with that of one index of all documents. Exits with 1 if one differs, or if something is lost.
 */

declare(strict_types=1);

use Postings\Hits;
use Postings\Index;
use Postings\IndexWriter;
use Postings\Shards\ShardedIndex;
use Postings\Shards\ShardMissing;
use Postings\Shards\Tests\Machines;

spl_autoload_register(function (string $class): void {
    $file = str_replace('\\', '/', substr($class, strlen('Postings\\Shards\\')));
    foreach ([__DIR__ . '/../../src', __DIR__ . '/..'] as $folder) {
        is_file("$folder/$file.php") && require_once "$folder/$file.php";
    }
});
require __DIR__ . '/Machines.php';

$options = getopt('', ['passages:', 'documents:', 'seconds:', 'searches:', 'extension:']);
$count = (int) ($options['documents'] ?? 20_000);
$seconds = (float) ($options['seconds'] ?? 3);
$extension = realpath($options['extension']);
$autoload = sys_get_temp_dir() . '/postings-machines-autoload-' . getmypid() . '.php';
file_put_contents($autoload, "<?php require '" . realpath(__DIR__ . '/../../src') . "/ShardedIndex.php';");
mt_srand(5);

/** Documents of lines of text, or of words that are as frequent as those of texts. */
function documents(?string $passages, int $count): Generator
{
    $lines = $passages ? fopen($passages, 'r') : null;
    for ($id = 0; $id < $count; ++$id) {
        $text = $lines ? trim((string) fgets($lines)) : implode(' ', array_map(fn () => 'w' . (int) (3000 ** (mt_rand() / mt_getrandmax())), range(1, 40)));
        yield $id => ['title' => substr($text, 0, 60), 'text' => $text, 'tag' => 't' . $id % 7, 'price' => $id % 1000];
    }
}

$failed = 0;
$say = function (string $what, bool $holds, string $figures = '') use (&$failed): void {
    $failed += $holds ? 0 : 1;
    printf("%-62s %s%s\n", $what, $holds ? 'ok' : 'FAILED', $figures === '' ? '' : ", $figures");
};
$values = fn (Hits $hits) => [$hits->total, $hits->facets, array_map(fn ($hit) => [$hit->id, $hit->score, $hit->fields], iterator_to_array($hits))];
$percentile = function (array $times, float $of): float {
    sort($times);
    return $times[max(0, (int) ceil($of * count($times)) - 1)] ?? NAN;
};
/** Milliseconds. */
$shown = fn (array $times) => sprintf('%d searches, p50 %.2f ms, p99 %.2f', count($times), 1e3 * $percentile($times, .5), 1e3 * $percentile($times, .99));

$notes = fn (int $wrong, int $missing) => $wrong + $missing === 0 ? '' : ", $wrong wrong, $missing missing";

$folder = sys_get_temp_dir() . '/postings-machines-' . getmypid();
$machines = new Machines($folder, $extension, 4, 2);
register_shutdown_function(function () use ($machines, $autoload): void {
    $machines->stop();
    @unlink($autoload);
});
pcntl_async_signals(true);
pcntl_signal(SIGINT, fn () => exit(130));

$machines->build(documents($options['passages'] ?? null, $count));
$one = $machines->one();
$machines->startAll();
$index = ShardedIndex::connect($machines->urls());

// What is asked: words of the documents, in several ways.
$texts = array_map(fn () => explode(' ', preg_replace('/[^\p{L}\p{N} ]+/u', '', $one->stored(mt_rand(0, $count - 1))['title'])), range(1, 100));
$word = fn () => ($of = $texts[array_rand($texts)])[array_rand($of)] ?: 'w1';
$ways = [
    fn () => [$word() . ' ' . $word(), []], fn () => [$word() . ' ' . $word() . ' ' . $word(), ['matching' => 'any', 'total' => true]],
    fn () => ['"' . $word() . ' ' . $word() . '"', []], fn () => [substr($word(), 0, 2) . '* ' . $word(), []],
    fn () => [$word(), ['sort' => ['price' => 'desc', 'tag' => 'asc'], 'filter' => ['tag' => ['t1', 't2']]]],
    fn () => [$word(), ['facets' => ['tag', 'price'], 'matching' => 'any']], fn () => [$word(), ['distinct' => 'tag']], fn () => [$word(), ['typos' => 'auto']],
];
/** Searches for so long, and so often at least; each answer must be that of the one index. */
$search = function (ShardedIndex $index, float $seconds, ?callable $meanwhile = null, int $least = 0) use ($ways, $one, $values): array {
    [$times, $wrong, $missing] = [[], 0, 0];
    for ($end = microtime(true) + $seconds, $at = 0; ($now = microtime(true)) < $end || $at < $least; ++$at) {
        [$query, $options] = $ways[$at % count($ways)]();
        try {
            $found = $index->search($query, ...$options);
            $times[] = microtime(true) - $now;
            $wrong += $values($found) === $values($one->search($query, ...$options)) ? 0 : 1;
        } catch (ShardMissing) {
            ++$missing;
        }
        $meanwhile && $meanwhile();
    }
    return [$times, $wrong, $missing];
};

// All well.
[$times, $wrong, $missing] = $search($index, $seconds, least: (int) ($options['searches'] ?? 0));
$say('every answer is that of one index', $wrong + $missing === 0 && count($times) > 50, $shown($times) . $notes($wrong, $missing));

// Machines are killed and come back.
$next = 0.0;
$down = null;
[$times, $wrong, $missing] = $search($index, 2 * $seconds, function () use ($machines, &$next, &$down): void {
    if (microtime(true) < $next) {
        return;
    }
    $next = microtime(true) + 0.3;
    if ($down) {
        $machines->startLeaf(...$down);
        $down = null;
    } else {
        $down = $machines->each()[array_rand($machines->each())];
        $machines->kill("fpm-$down[0]-$down[1]");
    }
});
$down && $machines->startLeaf(...$down);
$say('kill -9 of a replica at a time: none wrong, none missing', $wrong + $missing === 0, $shown($times) . $notes($wrong, $missing) . ', ' . json_encode($index->requests()));

// One hangs: its connections stay open, and nothing comes.
$machines->signal('fpm-1-0', SIGSTOP);
[$times, $wrong, $missing] = $search($index, $seconds);
$machines->signal('fpm-1-0', SIGCONT);
$say('a replica that hangs: none wrong, none missing', $wrong + $missing === 0, $shown($times) . $notes($wrong, $missing));
$plain = ShardedIndex::connect($machines->urls(), hedge: false, timeout: 0.3);
$machines->signal('fpm-1-0', SIGSTOP);
[$times, $wrong, $missing] = $search($plain, $seconds);
$machines->signal('fpm-1-0', SIGCONT);
$say('  without hedging: none wrong, some missing at the deadline', $wrong === 0, $shown($times) . ", $missing missing");

// Both replicas of a shard are cut off.
foreach ([0, 1] as $replica) {
    $machines->signal("fpm-2-$replica", SIGSTOP);
}
$cut = ShardedIndex::connect($machines->urls(), timeout: 0.3);
// All hits are compared, so they must not be so many that leaves need all of the time.
do {
    $query = $word();
} while ($one->count($query) > 1000);
$begun = microtime(true);
try {
    $cut->search($query, limit: $count);
    $say('a shard that is cut off is an exception', false);
} catch (ShardMissing $error) {
    $took = microtime(true) - $begun;
    $partial = $error->partial();
    $others = array_filter($one->search($query, limit: $count)->ids(), fn ($id) => ShardedIndex::shardOf($id, 4) !== 2);
    $same = array_diff($partial->ids(), $others) === [] && count($partial) === count($others);
    $say('a shard that is cut off is an exception, with the others\' hits', $same && array_keys($error->missing) === ['shard-2'] && $took < 0.6, sprintf('%.0f ms', 1e3 * $took));
}
foreach ([0, 1] as $replica) {
    $machines->signal("fpm-2-$replica", SIGCONT);
}

// Slow for moments, with and without hedging: searches for two or three words that are known.
$fixed = array_map(fn ($at) => $ways[$at % 2](), range(0, 199));
$wanted = array_map(fn (array $of) => $values($one->search($of[0], ...$of[1])), $fixed);
foreach ([true, false] as $hedge) {
    $hedged = ShardedIndex::connect($machines->urls(), hedge: $hedge);
    $times = [];
    $wrong = 0;
    foreach ([false, true] as $isMeasured) {
        // The pauses must come while a search waits, so another process makes them.
        $child = $isMeasured ? pcntl_fork() : null;
        while ($child === 0) {
            $name = 'fpm-' . mt_rand(0, 3) . '-' . mt_rand(0, 1);
            $machines->signal($name, SIGSTOP);
            usleep(30_000);
            $machines->signal($name, SIGCONT);
            usleep(100_000);
        }
        for ($end = microtime(true) + ($isMeasured ? 2 * $seconds : 0), $at = 0; $at < count($fixed) || microtime(true) < $end; ++$at) {
            [$query, $given] = $fixed[$at % count($fixed)];
            $begun = microtime(true);
            $found = $hedged->search($query, ...$given);
            $isMeasured && $times[] = microtime(true) - $begun;
            $wrong += $values($found) === $wanted[$at % count($fixed)] ? 0 : 1;
        }
    }
    posix_kill($child, SIGKILL);
    pcntl_waitpid($child, $status);
    foreach ($machines->each() as [$shard, $replica]) {
        $machines->signal("fpm-$shard-$replica", SIGCONT);
    }
    $say(sprintf('pauses of 30 ms, %s hedging', $hedge ? 'with' : 'without'), $wrong === 0, $shown($times) . ', ' . json_encode($hedged->requests()));
}

// Throughput of one process that asks.
foreach ([1, 2, 4] as $shards) {
    $some = ShardedIndex::connect(array_slice($machines->urls(), 0, $shards));
    $times = [];
    foreach ([false, true] as $isMeasured) {
        foreach ($fixed as [$query, $given]) {
            $begun = microtime(true);
            $some->search($query, ...$given);
            $isMeasured && $times[] = microtime(true) - $begun;
        }
    }
    $say("words that are known, $shards shard(s)", true, sprintf('%d/s, %s', count($times) / array_sum($times), $shown($times)));
}
$usage = fn () => ($of = getrusage())['ru_utime.tv_sec'] + $of['ru_stime.tv_sec'] + 1e-6 * ($of['ru_utime.tv_usec'] + $of['ru_stime.tv_usec']);
foreach ([false, true] as $isMeasured) {
    $begun = $usage();
    foreach ($fixed as [$query, $given]) {
        $index->search($query, ...$given);
    }
}
$say('processor time of a coordinator, four shards, words known', true, sprintf('%.3f ms a search', 1e3 * ($usage() - $begun) / count($fixed)));

// Replicas follow a writer that commits ten times a second.
$writer = IndexWriter::open($machines->source(0), require __DIR__ . '/../../examples/schema.php');
$lags = [];
$inconsistent = 0;
for ($commit = 0; $commit < 10 * $seconds; ++$commit) {
    $writer->add(1_000_000 + $commit, ['title' => "added number$commit", 'text' => 'zzaddition']);
    $writer->commit();
    $committed = microtime(true);
    $generation = Index::open($machines->source(0))->generation();
    foreach ([0, 1] as $replica) {
        while (Index::open($machines->leaf(0, $replica))->generation() < $generation && microtime(true) < $committed + 5) {
            usleep(1000);
        }
    }
    $lags[] = microtime(true) - $committed;
    try {
        $hits = $index->search('zzaddition', limit: 10_000, total: true);
        $inconsistent += $hits->total === count($hits) && $hits->total === $commit + 1 ? 0 : 1;
    } catch (Postings\Exception $error) {
        echo $error->getMessage(), "\n";
        ++$inconsistent;
    }
    usleep((int) max(0, 1e6 * ($committed + 0.1 - microtime(true))));
}
$say('replicas at ten commits a second: lag', max($lags) <= 1.0 && $inconsistent === 0, sprintf('p50 %.0f ms, longest %.0f', 1e3 * $percentile($lags, .5), 1e3 * max($lags)));

// A replica's disk is full.
$machines->kill('replicate-3');
exec('rm -rf ' . escapeshellarg($machines->leaf(3, 1)) . '/*');
$size = array_sum(array_column(Index::open($machines->source(3))->files(), 'bytes'));
if ($machines->smallDisk(3, 1, $size + (4 << 20))) {
    Index::open($machines->source(3))->snapshot($machines->leaf(3, 1));
    $machines->kill('fpm-3-1');
    $machines->startLeaf(3, 1);
    $machines->startReplication(3);
    $other = IndexWriter::open($machines->source(3), require __DIR__ . '/../../examples/schema.php');
    $bulk = bin2hex(random_bytes(2 << 20));
    for ($part = 0; $part < 8; ++$part) {
        $other->add(2_000_000 + $part, ['title' => $bulk . $part, 'text' => 'zzheavy']);
        $other->commit();
    }
    $newest = Index::open($machines->source(3))->generation();
    $copy = fn (int $replica) => Index::open($machines->leaf(3, $replica))->generation();
    for ($end = microtime(true) + 5; $copy(0) < $newest && microtime(true) < $end; usleep(10_000)) {
    }
    $behind = $copy(1) < $newest;
    $counts = [];
    for ($i = 0; $i < 20; ++$i) {
        $counts[$index->count('zzheavy')] = true;
    }
    // Each answer is of one commit of the shard, of whichever replica is asked.
    $known = array_diff(array_keys($counts), range(0, 8)) === [];
    $machines->growDisk(3, 1, 4 * $size + (256 << 20));
    for ($end = microtime(true) + 5; $copy(1) < $newest && microtime(true) < $end; usleep(10_000)) {
    }
    $holds = $behind && $known && $copy(0) === $newest && $copy(1) === $newest && $index->count('zzheavy') === 8;
    $say('a full disk: the replica stays behind, then follows', $holds, 'counts ' . implode(', ', array_keys($counts)) . ' of 8');
    $holds || print("commits {$copy(0)} and {$copy(1)} of $newest\n" . $machines->log('replicate-3'));
} else {
    echo "SKIPPED: a full disk: this system does not let us mount one\n";
}

// Documents through a queue, whose writers are killed.
if (extension_loaded('redis') && trim((string) shell_exec('command -v redis-server')) !== '') {
    $environment = ['REDIS_PORT' => '16379', 'AUTOLOAD' => $autoload];
    mkdir("$folder/redis");
    $machines->start('redis', ['redis-server', '--port', '16379', '--bind', '127.0.0.1', '--dir', "$folder/redis", '--appendonly', 'yes', '--appendfsync', 'always', '--save', '']);
    $redis = new Redis();
    for ($end = microtime(true) + 5; microtime(true) < $end; usleep(20_000)) {
        try {
            $redis->connect('127.0.0.1', 16379);
            break;
        } catch (RedisException) {
            // It is starting.
        }
    }
    $queued = (int) (1000 * $seconds);
    $lines = implode('', array_map(fn (int $id) => json_encode(['id' => 3_000_000 + $id, 'title' => "queued $id", 'text' => 'zzqueue']) . "\n", range(1, $queued)));
    // What is no document must not stop a writer.
    file_put_contents("$folder/queued.jsonl", json_encode(['id' => 1, 'title' => ['a' => ['b' => 1]]]) . "\n" . $lines . json_encode(['id' => 2, 'nothing' => 1]) . "\n");
    $script = fn (string $name) => [...Machines::php($extension), __DIR__ . "/../../examples/$name.php"];
    $machines->start('add', [...$script('redis-add'), '4'], $environment, "$folder/queued.jsonl");
    $writer->close();
    isset($other) && $other->close();
    $kills = 0;
    foreach (range(0, 3) as $shard) {
        $machines->start("writer-$shard", [...$script('redis-writer'), "$shard", $machines->source($shard)], $environment);
    }
    for ($round = 0; $round < 10; ++$round) {
        usleep(mt_rand(20_000, 200_000));
        $shard = $round % 4;
        $machines->kill("writer-$shard");
        ++$kills;
        $machines->start("writer-$shard", [...$script('redis-writer'), "$shard", $machines->source($shard)], $environment);
    }
    $machines->ends('add', 60);
    for ($end = microtime(true) + 30; microtime(true) < $end; usleep(50_000)) {
        try {
            $left = array_sum(array_map(fn (int $shard) => $redis->xLen("postings:shard-$shard"), range(0, 3)));
            if ($left === 0 && ($got = $index->count('zzqueue')) >= $queued) {
                break;
            }
        } catch (Postings\Exception) {
            // Commits come fast now.
        }
    }
    $ids = $index->search('zzqueue', limit: $queued + 100)->ids();
    sort($ids);
    $say("a queue, its writers killed $kills times: nothing lost or twice", $ids === range(3_000_001, 3_000_000 + $queued) && $redis->xLen('postings:refused') >= 2, count($ids) . " documents, $left left");
} else {
    echo "SKIPPED: a queue: redis-server or PHP's redis is missing\n";
}
exit($failed ? 1 : 0);
