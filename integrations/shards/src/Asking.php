<?php

declare(strict_types=1);

namespace Postings\Shards;

use Postings\LeafException;

/** A shard that is being asked: which of its replicas are left, which requests are under way, and what has failed. */
final class Asking
{
    /** @var list<Replica> those that were not asked, in the order in which to ask them */
    private array $left;
    /** @var array<int, array{Replica, float}> who was asked, and when, by the number of the request */
    private array $underWay = [];
    /** @var list<\Exception> */
    private array $errors = [];
    public readonly float $begun;
    /** When the last request was sent. */
    public float $sent = 0.0;
    /** When the next replica is to be asked if none has answered. */
    public float $due = INF;

    public function __construct(public readonly Shard $shard)
    {
        $this->begun = microtime(true);
        $this->left = $shard->inTurn($this->begun);
    }

    public function hasOthers(): bool
    {
        return $this->left !== [];
    }

    public function isWaiting(): bool
    {
        return $this->underWay !== [];
    }

    /** The next replica to be asked. */
    public function next(): Replica
    {
        return array_shift($this->left);
    }

    public function asked(int $number, Replica $replica): void
    {
        $this->underWay[$number] = [$replica, $this->sent];
    }

    /**
     * Who has replied, and when it was asked.
     *
     * @return array{Replica, float}
     */
    public function replied(int $number): array
    {
        $asked = $this->underWay[$number];
        unset($this->underWay[$number]);
        return $asked;
    }

    /**
     * Gives up what is under way, and returns who was asked and when.
     *
     * @return list<array{Replica, float}>
     */
    public function giveUp(Transport $transport): array
    {
        array_map($transport->cancel(...), array_keys($this->underWay));
        $all = array_values($this->underWay);
        $this->underWay = [];
        return $all;
    }

    public function failed(\Exception $error): void
    {
        $this->errors[] = $error;
    }

    /** Whether a replica has another commit than the one that was named: if no other one answers, that one is gone. */
    public function hasOtherCommit(): bool
    {
        return $this->otherCommit() !== null;
    }

    private function otherCommit(): ?\Exception
    {
        foreach ($this->errors as $error) {
            if ($error instanceof LeafException && $error->getCode() === LeafException::COMMIT) {
                return $error;
            }
        }
        return null;
    }

    /**
     * Why there is no answer: another commit, what all replicas refuse alike (LeafException), or all reasons together (Unanswered).
     */
    public function failure(): \Exception
    {
        if ($error = $this->otherCommit()) {
            return $error;
        }
        $alike = fn (\Exception $error) => $error instanceof LeafException && $error->getCode() !== LeafException::FAILED
            && $error->getCode() === $this->errors[0]->getCode();
        if (array_filter($this->errors, $alike) === $this->errors && $this->errors !== []) {
            return $this->errors[0];
        }
        $reasons = array_map(fn (\Exception $error) => $error->getMessage(), $this->errors);
        return new Unanswered(implode('; ', array_unique($reasons)));
    }
}
