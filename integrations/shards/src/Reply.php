<?php

declare(strict_types=1);

namespace Postings\Shards;

/** What came back of a request. */
final class Reply
{
    /**
     * @param int $status of HTTP; 0 if none came
     * @param string $body what came, or why nothing did
     * @param float|null $retryAfter seconds for which the machine wants to be left alone
     */
    public function __construct(
        public readonly int $status,
        public readonly string $body,
        public readonly ?float $retryAfter = null,
    ) {
    }

    /** More came than is read. */
    public static function tooLarge(string $url): self
    {
        return new self(0, "$url: more than " . Transport::MOST_BYTES . ' bytes');
    }
}
