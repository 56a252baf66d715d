<?php

declare(strict_types=1);

namespace Postings\Shards\Tests;

use Postings\Index;
use Postings\IndexWriter;
use Postings\Shards\ShardedIndex;

/**
 * Shards and replicas on this machine as if they were several: each replica a php-fpm of its own with a folder of its own, behind
 * HAProxy on a loopback address of its own, kept up to date by a process of examples/replicate.php for each shard.
 */
final class Machines
{
    private const PORT = 18_090;
    private const WORKERS = 2;

    /** @var array<string, array{resource, int}> processes by name, with their ids */
    private array $processes = [];
    /** @var list<string> mounted folders */
    private array $mounts = [];

    public function __construct(
        private readonly string $folder,
        private readonly string $extension,
        public readonly int $shards,
        public readonly int $replicas,
    ) {
        is_dir($folder) || mkdir($folder, 0777, true);
    }

    public function source(int $shard): string
    {
        return "$this->folder/shard-$shard";
    }

    public function leaf(int $shard, int $replica): string
    {
        return "$this->folder/leaf-$shard-$replica";
    }

    /** Makes the indexes of all documents, and one of all together. */
    public function build(iterable $documents): void
    {
        $schema = require __DIR__ . '/../../examples/schema.php';
        $writers = array_map(fn (int $shard) => IndexWriter::open($this->source($shard), $schema), range(0, $this->shards - 1));
        foreach ($documents as $id => $document) {
            $writers[ShardedIndex::shardOf($id, $this->shards)]->add($id, $document);
        }
        $one = IndexWriter::open("$this->folder/one", $schema);
        foreach ($writers as $shard => $writer) {
            $writer->commit();
            $writer->close();
            $one->addIndex($this->source($shard));
        }
        $one->commit();
        $one->close();
    }

    public function one(): Index
    {
        return Index::open("$this->folder/one");
    }

    public function startAll(): void
    {
        foreach ($this->each() as [$shard, $replica]) {
            Index::open($this->source($shard))->snapshot($this->leaf($shard, $replica));
            $this->startLeaf($shard, $replica);
        }
        foreach (range(0, $this->shards - 1) as $shard) {
            $this->startReplication($shard);
        }
        $config = "global\n    maxconn 2000\n    stats socket $this->folder/haproxy.sock mode 600 level admin\ndefaults\n    mode http\n    timeout connect 200ms\n"
            . "    timeout client 5s\n    timeout server 5s\n    timeout queue 2s\n    option http-keep-alive\nfcgi-app leaf\n    docroot " . realpath(__DIR__ . '/../../public')
            . "\n    index leaf.php\n    no option keep-conn\n";
        foreach ($this->each() as [$shard, $replica]) {
            $config .= "frontend front-$shard-$replica\n    bind {$this->address($shard, $replica)}\n    default_backend back-$shard-$replica\n"
                . "backend back-$shard-$replica\n    use-fcgi-app leaf\n    server fpm unix@$this->folder/fpm-$shard-$replica.sock proto fcgi maxconn " . self::WORKERS . "\n";
        }
        file_put_contents("$this->folder/haproxy.cfg", $config);
        $this->start('haproxy', ['haproxy', '-db', '-f', "$this->folder/haproxy.cfg"]);
        $this->waitFor(fn () => @file_get_contents($this->url(0, 0), context: stream_context_create(['http' => ['ignore_errors' => true]])) !== false, 'HAProxy');
    }

    /** @return list<array{int, int}> */
    public function each(): array
    {
        $each = [];
        for ($at = 0; $at < $this->shards * $this->replicas; ++$at) {
            $each[] = [intdiv($at, $this->replicas), $at % $this->replicas];
        }
        return $each;
    }

    private function address(int $shard, int $replica): string
    {
        return '127.0.0.' . (2 + $shard * $this->replicas + $replica) . ':' . self::PORT;
    }

    public function url(int $shard, int $replica): string
    {
        return "http://{$this->address($shard, $replica)}/leaf.php";
    }

    /** @return array<string, list<string>> as ShardedIndex::connect() wants them */
    public function urls(): array
    {
        $urls = [];
        foreach ($this->each() as [$shard, $replica]) {
            $urls["shard-$shard"][] = $this->url($shard, $replica);
        }
        return $urls;
    }

    public function startLeaf(int $shard, int $replica): void
    {
        $name = "fpm-$shard-$replica";
        $workers = self::WORKERS;
        file_put_contents("$this->folder/$name.conf", <<<CONF
            [global]
            error_log = $this->folder/$name.log
            daemonize = no
            [leaf]
            listen = $this->folder/$name.sock
            listen.mode = 0666
            user = root
            group = root
            pm = static
            pm.max_children = $workers
            env[POSTINGS_LEAF] = {$this->leaf($shard, $replica)}
            CONF);
        $fpm = 'php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        $this->start($name, [$fpm, '-n', '-R', '-F', '-y', "$this->folder/$name.conf", '-d', "extension=$this->extension"]);
        $this->waitFor(fn () => @stream_socket_client("unix://$this->folder/$name.sock") !== false, $name);
    }

    public function startReplication(int $shard): void
    {
        $targets = array_map(fn (int $replica) => $this->leaf($shard, $replica), range(0, $this->replicas - 1));
        $this->start("replicate-$shard", [...self::php($this->extension), __DIR__ . '/../../examples/replicate.php', $this->source($shard), ...$targets]);
    }

    /** @return list<string> */
    public static function php(string $extension): array
    {
        return [PHP_BINARY, '-d', "extension=$extension"];
    }

    /** @param array<string, string> $environment */
    public function start(string $name, array $command, array $environment = [], string $input = '/dev/null'): void
    {
        $log = ['file', "$this->folder/$name.out", 'a'];
        // A session of its own: a signal reaches what it has started, too.
        $process = proc_open(['setsid', ...$command], [['file', $input, 'r'], $log, $log], $pipes, null, $environment + getenv());
        $this->processes[$name] = [$process, proc_get_status($process)['pid']];
    }

    /** Waits until a process has ended; false if it takes longer. */
    public function ends(string $name, float $seconds): bool
    {
        $end = microtime(true) + $seconds;
        while (proc_get_status($this->processes[$name][0])['running']) {
            if (microtime(true) > $end) {
                return false;
            }
            usleep(5000);
        }
        unset($this->processes[$name]);
        return true;
    }

    /** Sends a signal to a process and all that it has started. */
    public function signal(string $name, int $signal): void
    {
        posix_kill(-$this->processes[$name][1], $signal);
    }

    public function kill(string $name): void
    {
        $this->signal($name, SIGKILL);
        proc_close($this->processes[$name][0]);
        unset($this->processes[$name]);
    }

    /** Gives a replica a disk of so many bytes; false if this system does not let us. */
    public function smallDisk(int $shard, int $replica, int $bytes): bool
    {
        $folder = $this->leaf($shard, $replica);
        exec('mount -t tmpfs -o size=' . $bytes . ' tmpfs ' . escapeshellarg($folder) . ' 2>&1', $_, $status);
        if ($status === 0) {
            $this->mounts[] = $folder;
        }
        return $status === 0;
    }

    public function growDisk(int $shard, int $replica, int $bytes): void
    {
        exec('mount -o remount,size=' . $bytes . ' ' . escapeshellarg($this->leaf($shard, $replica)));
    }

    public function log(string $name): string
    {
        return (string) @file_get_contents("$this->folder/$name.out") . (string) @file_get_contents("$this->folder/$name.log");
    }

    private function waitFor(callable $is, string $what): void
    {
        for ($end = microtime(true) + 10; !$is(); usleep(10_000)) {
            if (microtime(true) > $end) {
                throw new \RuntimeException("$what did not start:\n" . $this->log($what));
            }
        }
    }

    public function stop(): void
    {
        foreach (array_keys($this->processes) as $name) {
            $this->signal($name, SIGCONT);
            $this->kill($name);
        }
        foreach ($this->mounts as $folder) {
            exec('umount -l ' . escapeshellarg($folder));
        }
        exec('rm -rf ' . escapeshellarg($this->folder));
    }
}
