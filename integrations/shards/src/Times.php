<?php

declare(strict_types=1);

namespace Postings\Shards;

/** How long the last requests to a shard took. */
final class Times
{
    private const KEPT = 128;
    private const ENOUGH = 16;
    /** After so many more the percentile is worked out again: sorting takes as long as a part of a request. */
    private const NEW = 8;

    /** @var list<float> in seconds */
    private array $times = [];
    private int $next = 0;
    private int $new = 0;
    private ?float $p95 = null;

    public function add(float $seconds): void
    {
        $this->times[$this->next] = $seconds;
        $this->next = ($this->next + 1) % self::KEPT;
        ++$this->new;
    }

    /** The time that 95 of 100 requests do not exceed; `null` as long as too few are known. */
    public function p95(): ?float
    {
        $count = count($this->times);
        if ($count >= self::ENOUGH && ($this->p95 === null || $this->new >= self::NEW)) {
            $sorted = $this->times;
            sort($sorted);
            $this->p95 = $sorted[(int) ceil(0.95 * $count) - 1];
            $this->new = 0;
        }
        return $this->p95;
    }
}
