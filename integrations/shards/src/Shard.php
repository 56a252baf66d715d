<?php

declare(strict_types=1);

namespace Postings\Shards;

/** A shard and its replicas. */
final class Shard
{
    /** @var list<Replica> */
    public readonly array $replicas;
    public readonly Times $times;
    private int $turn;

    /** @param list<string> $urls */
    public function __construct(public readonly string $name, public readonly array $urls)
    {
        $this->replicas = array_map(fn (string $url) => new Replica($url), $urls);
        $this->times = new Times();
        // Processes do not all begin with the same one.
        $this->turn = random_int(0, count($urls) - 1);
    }

    /**
     * The replicas in the order in which to ask them: in turn, those that failed of late last.
     *
     * @return list<Replica>
     */
    public function inTurn(float $now): array
    {
        $from = $this->turn++ % count($this->replicas);
        $all = [...array_slice($this->replicas, $from), ...array_slice($this->replicas, 0, $from)];
        foreach ($this->replicas as $replica) {
            if ($replica->avoidedUntil > $now) {
                return self::wellFirst($all, $now);
            }
        }
        return $all;
    }

    /**
     * Those that are well, and then the others, the soonest first.
     *
     * @param list<Replica> $all
     * @return list<Replica>
     */
    private static function wellFirst(array $all, float $now): array
    {
        // Stable: those that are well stay in turn.
        usort($all, fn (Replica $a, Replica $b) => max($a->avoidedUntil, $now) <=> max($b->avoidedUntil, $now));
        return $all;
    }
}
