<?php

declare(strict_types=1);

namespace Postings\Scout;

/** What semantic() and hybrid() find, and raw() returns: a page of keys, best first. */
final class Ranked implements \Countable
{
    /**
     * @param list<int|string> $ids
     * @param list<float> $scores similarities, or what the fusion gave
     * @param int $total how many models all pages have together
     * @param ?array<string, array<int|string, int|float|null>> $facets those of what the words find
     */
    public function __construct(
        public readonly array $ids = [],
        public readonly array $scores = [],
        public readonly int $total = 0,
        public readonly ?array $facets = null,
    ) {
    }

    /** @return list<int|string> */
    public function ids(): array
    {
        return $this->ids;
    }

    public function count(): int
    {
        return \count($this->ids);
    }
}
