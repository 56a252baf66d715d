<?php

declare(strict_types=1);

namespace Postings\Shards;

/**
 * One shard or more did not answer. What the others have found, partial() returns: a result from which documents are missing, and
 * whose scores, totals and facets are those of the shards that answered.
 */
final class ShardMissing extends \RuntimeException implements \Postings\Exception
{
    /**
     * @param array<string, string> $missing why, by the name of the shard
     * @param (\Closure(): mixed)|null $others what is found without these shards; null if there are no others
     */
    public function __construct(public readonly array $missing, private readonly ?\Closure $others)
    {
        $reasons = array_map(fn (string $name, string $why) => "$name: $why", array_keys($missing), $missing);
        parent::__construct('no answer of ' . implode('; ', $reasons));
    }

    /**
     * What the method would have returned if there were only the other shards.
     *
     * @throws ShardMissing if another one is missing now, too, or none is left
     */
    public function partial(): mixed
    {
        return $this->others ? ($this->others)() : throw $this;
    }

    /** The same of a method that makes something else of what this one returns. */
    public function then(\Closure $make): self
    {
        return new self($this->missing, $this->others ? fn () => $make($this->partial()) : null);
    }
}
