<?php

declare(strict_types=1);

namespace Postings\Shards;

/** How long the last requests to a shard took. */
final class Times
{
    private const KEPT = 128;
    private const ENOUGH = 16;

    /** @var list<float> in seconds */
    private array $times = [];
    private int $next = 0;

    public function add(float $seconds): void
    {
        $this->times[$this->next] = $seconds;
        $this->next = ($this->next + 1) % self::KEPT;
    }

    /** The time that 95 of 100 requests do not exceed; `null` as long as too few are known. */
    public function p95(): ?float
    {
        $count = count($this->times);
        if ($count < self::ENOUGH) {
            return null;
        }
        $sorted = $this->times;
        sort($sorted);
        return $sorted[(int) ceil(0.95 * $count) - 1];
    }
}
