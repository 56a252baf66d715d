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
    private float $sent = 0.0;
    /** When the next replica is to be asked if none has answered. */
    public float $due = INF;

    /** @param float $silence seconds after which a replica that has not answered is silent */
    public function __construct(public readonly Shard $shard, private readonly float $silence)
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

    /** Asks the next replica, and returns the number of the request. */
    public function send(Transport $transport, string $bytes, float $until): int
    {
        $this->sent = microtime(true);
        $this->due = $this->sent + $this->silence;
        $replica = array_shift($this->left);
        $number = $transport->start($replica->url, $bytes, max(0.001, $until - $this->sent));
        $this->underWay[$number] = [$replica, $this->sent];
        return $number;
    }

    /** The next replica is due at most so many seconds after the last request. */
    public function hurry(float $seconds): void
    {
        $this->due = min($this->due, $this->sent + $seconds);
    }

    /** The next replica is due when the one that was asked last is silent, or has been for as long again. */
    public function postpone(float $now): void
    {
        $this->due = $this->isSilent($now) ? $now + $this->silence : $this->sent + $this->silence;
    }

    /** Whether the replica that was asked last is silent. */
    public function isSilent(float $now): bool
    {
        return $now >= $this->sent + $this->silence;
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

    /** Gives up what is under way: nobody waits for it any more. */
    public function giveUp(Transport $transport): void
    {
        array_map($transport->cancel(...), array_keys($this->underWay));
        $this->underWay = [];
    }

    /**
     * The same, as it has taken too long: who is silent is left alone for a while, and who was asked before the one that answered, if
     * one did, is slow.
     */
    public function overtake(Transport $transport, float $now, float $answered = -INF): void
    {
        foreach ($this->underWay as [$replica, $sent]) {
            if ($now - $sent >= $this->silence) {
                $replica->failed($now, waited: $now - $sent);
            } elseif ($sent < $answered) {
                $replica->slow($now);
            }
        }
        $this->giveUp($transport);
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
