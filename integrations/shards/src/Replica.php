<?php

declare(strict_types=1);

namespace Postings\Shards;

/** One machine that has a shard, as far as this process knows it. */
final class Replica
{
    /** Until when it is asked only if there is no other one. */
    public float $avoidedUntil = 0.0;
    /** How often it has failed without answering in between. */
    private int $failures = 0;

    public function __construct(public readonly string $url)
    {
    }

    public function answered(): void
    {
        $this->failures = 0;
        $this->avoidedUntil = 0.0;
    }

    /** Another one was faster, or knows more: that one is asked first for a moment. */
    public function slow(float $now): void
    {
        $this->avoidedUntil = max($this->avoidedUntil, $now + 0.1);
    }

    /**
     * It is left alone for a while, longer each time: 0.1 to 5 seconds, or as long as it says.
     *
     * @param float $waited seconds for which it was silent: it is left alone for at least four times as long
     */
    public function failed(float $now, ?float $retryAfter = null, float $waited = 0.0): void
    {
        $this->avoidedUntil = $now + min(60.0, $retryAfter ?? min(5.0, max(0.1 * 2 ** $this->failures, 4 * $waited)));
        $this->failures = min($this->failures + 1, 10);
    }
}
