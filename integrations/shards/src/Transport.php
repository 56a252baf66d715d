<?php

declare(strict_types=1);

namespace Postings\Shards;

/** Carries requests to leaves. Several may be under way. */
interface Transport
{
    /** Responses of more bytes are not read: they would take the memory of the process. */
    public const MOST_BYTES = 1 << 25;

    /**
     * Sends a request, which ends after so many seconds at the latest. Returns at once where it can, with a number that no other
     * one has had.
     */
    public function start(string $url, string $body, float $seconds): int;

    /**
     * The replies that have come, by number; waits for the first one at most so many seconds.
     *
     * @return array<int, Reply>
     */
    public function wait(float $seconds): array;

    /** Gives up a request, whose reply is no longer wanted. */
    public function cancel(int $number): void;
}
