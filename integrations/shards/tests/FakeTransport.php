<?php

declare(strict_types=1);

namespace Postings\Shards\Tests;

use Postings\Leaf;
use Postings\Shards\Reply;
use Postings\Shards\Transport;

/** Leaves of this process, by their URLs, which can be slow, broken or gone. */
final class FakeTransport implements Transport
{
    /** @var array<string, float> seconds that a URL takes */
    public array $delays = [];
    /** @var array<string, callable(string): Reply> what a URL does instead */
    public array $instead = [];
    /** @var array<string, int> how many requests a URL got */
    public array $requests = [];
    /** @var array<int, array{float, Reply}> */
    private array $underWay = [];
    private int $last = 0;
    /** Whether start() returns only with the reply, as PSR-18 clients do. */
    public bool $waits = false;
    public int $cancelled = 0;

    /** @param array<string, Leaf> $leaves */
    public function __construct(public array $leaves)
    {
    }

    public function start(string $url, string $body, float $seconds): int
    {
        $this->requests[$url] = ($this->requests[$url] ?? 0) + 1;
        $reply = match (true) {
            isset($this->instead[$url]) => ($this->instead[$url])($body),
            isset($this->leaves[$url]) => new Reply(200, $this->leaves[$url]->handle($body)),
            default => new Reply(0, "$url: connection refused"),
        };
        if ($this->waits) {
            Clock::pass($this->delays[$url] ?? 0.0);
        }
        $this->underWay[++$this->last] = [Clock::now() + ($this->waits ? 0.0 : $this->delays[$url] ?? 0.0), $reply];
        return $this->last;
    }

    public function wait(float $seconds): array
    {
        $end = Clock::now() + $seconds;
        do {
            $now = Clock::now();
            $done = array_filter($this->underWay, fn (array $one) => $one[0] <= $now);
            if ($done !== [] || $now >= $end) {
                break;
            }
            Clock::pass(0.0002);
        } while (true);
        $this->underWay = array_diff_key($this->underWay, $done);
        return array_map(fn (array $one) => $one[1], $done);
    }

    public function cancel(int $number): void
    {
        unset($this->underWay[$number]);
        ++$this->cancelled;
    }
}
