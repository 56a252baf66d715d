<?php

declare(strict_types=1);

namespace Postings\Shards;

use Postings\CorruptDataException;
use Postings\LeafException;
use Postings\StatisticsException;

/**
 * Asks every shard once: one replica of each, another one if it fails, is slower than 95 of 100 requests were, or is silent for a
 * quarter of the time. Only reads are sent, so asking twice changes nothing.
 */
final class Scatter
{
    /** At most one request in so many, and one a second, is a second one where none failed: or slowness would double the load. */
    private const HEDGED = 10;
    /** Second requests that may be saved up beside those that are kept for silent replicas. */
    private const MOST_SAVED = 10.0;
    /** After that part of the time that there is, a replica that has not answered is silent, and another one is asked. */
    private const SILENT = 0.25;

    private float $saved;
    private float $savedAt;

    /** How many second requests were sent to shards that were slow. */
    public int $hedges = 0;
    /** How many requests were sent again because one failed. */
    public int $retries = 0;

    /**
     * @param bool $hedge whether another replica is asked when one is slow, before it counts as silent
     * @param int $others how many replicas there are beside the first of each shard: so many second requests are kept for shards whose
     *     replicas fall silent, whatever slow ones have taken
     */
    public function __construct(private readonly Transport $transport, private readonly bool $hedge, private readonly int $others)
    {
        $this->saved = $others + 1.0;
        $this->savedAt = microtime(true);
    }

    /**
     * @template T
     * @param array<string, Shard> $shards
     * @param callable(Shard): string $request the bytes for a shard
     * @param callable(Shard, string): T $read what a response says
     * @param int|null $enough after so many answers the others are given up; null: all are wanted
     * @return array{array<string, T>, array<string, \Exception>} the answers, and why there is none: what a caller must know
     *     (LeafException, StatisticsException), in which case others may be missing, or that nobody answered (Unanswered); by shard
     */
    public function ask(array $shards, callable $request, callable $read, float $until, ?int $enough = null): array
    {
        $answers = $failed = $asking = $of = [];
        $silence = self::SILENT * max(0.0, $until - microtime(true));
        $this->save();
        $send = function (Asking $ask) use (&$of, $request, $until): void {
            $of[$ask->send($this->transport, $request($ask->shard), $until)] = $ask->shard->name;
        };
        foreach ($shards as $name => $shard) {
            $asking[$name] = $ask = new Asking($shard, $silence);
            $this->saved += 1 / self::HEDGED;
            if ($ask->begun >= $until) {
                // Those before, by a transport that waits for each, took all of the time.
                continue;
            }
            $send($ask);
            if ($this->hedge && ($p95 = $shard->times->p95()) !== null) {
                $ask->hurry(max(0.001, $p95));
            }
        }
        do {
            $now = microtime(true);
            $next = $until;
            foreach ($asking as $ask) {
                $next = min($next, $ask->due);
            }
            // What has come is read first, also after the end.
            foreach ($this->transport->wait(max(0.0, $next - $now)) as $number => $reply) {
                $ask = $asking[$of[$number] ?? ''] ?? null;
                if (!$ask) {
                    continue;
                }
                $name = $ask->shard->name;
                [$replica, $sent] = $ask->replied($number);
                $replied = microtime(true);
                try {
                    $answers[$name] = $this->read($ask->shard, $replica, $reply, $read, $replied);
                    $ask->shard->times->add($replied - $ask->begun);
                    $ask->overtake($this->transport, $replied, $sent);
                    unset($asking[$name]);
                    continue;
                } catch (LeafException|StatisticsException|CorruptDataException|Unanswered $error) {
                    $ask->failed($error);
                }
                if (self::isOfAll($error)) {
                    $ask->giveUp($this->transport);
                    $failed[$name] = self::isLate($error) ? new Unanswered($error->getMessage()) : $error;
                    unset($asking[$name]);
                } elseif ($ask->hasOthers() && $replied < $until) {
                    ++$this->retries;
                    $send($ask);
                } elseif (!$ask->isWaiting()) {
                    $failed[$name] = $ask->failure();
                    unset($asking[$name]);
                }
            }
            $mustBeKnown = array_filter($failed, fn (\Exception $error) => !$error instanceof Unanswered);
            if ($mustBeKnown || count($answers) >= ($enough ?? INF)) {
                // Nobody waits for the others.
                array_map(fn (Asking $ask) => $ask->giveUp($this->transport), $asking);
                return [$answers, $failed];
            }
            $late = microtime(true);
            foreach ($asking as $name => $ask) {
                if ($late < $ask->due || $late >= $until) {
                    continue;
                }
                if (!$ask->hasOthers() && $ask->hasOtherCommit()) {
                    // One replica is silent, and the others have another commit: that one can be asked for.
                    $ask->overtake($this->transport, $late);
                    $failed[$name] = $ask->failure();
                    unset($asking[$name]);
                    continue;
                }
                $this->save();
                if (!$ask->hasOthers() || $this->saved < ($ask->isSilent($late) ? 1.0 : 1.0 + $this->others)) {
                    $ask->postpone($late);
                } else {
                    $this->saved -= 1.0;
                    ++$this->hedges;
                    $send($ask);
                }
            }
        } while ($asking !== [] && $now < $until);
        foreach ($asking as $name => $ask) {
            $ask->overtake($this->transport, microtime(true));
            $ask->failed(new Unanswered('the deadline has passed'));
            $failed[$name] = $ask->failure();
        }
        return [$answers, $failed];
    }

    /** Time saves up one a second: where searches are rare, a machine that falls silent must not use up all for long. */
    private function save(): void
    {
        $now = microtime(true);
        $this->saved = min($this->others + self::MOST_SAVED, $this->saved + $now - $this->savedAt);
        $this->savedAt = $now;
    }

    /** Whether all replicas would say the same. */
    private static function isOfAll(\Exception $error): bool
    {
        $ofAll = [LeafException::REQUEST, LeafException::DEADLINE];
        return $error instanceof StatisticsException || $error instanceof LeafException && in_array($error->getCode(), $ofAll, true);
    }

    private static function isLate(\Exception $error): bool
    {
        return $error instanceof LeafException && $error->getCode() === LeafException::DEADLINE;
    }

    private function read(Shard $shard, Replica $replica, Reply $reply, callable $read, float $now): mixed
    {
        if ($reply->status !== 200) {
            $replica->failed($now, $reply->retryAfter);
            throw new Unanswered($reply->status === 0 ? $reply->body : "$replica->url: HTTP $reply->status");
        }
        try {
            $answer = $read($shard, $reply->body);
        } catch (LeafException $error) {
            match ($error->getCode()) {
                LeafException::FAILED, LeafException::SCHEMA, LeafException::VERSION => $replica->failed($now),
                // Those that have it are asked before.
                LeafException::COMMIT => $replica->slow($now),
                default => $replica->answered(),
            };
            throw $error;
        } catch (CorruptDataException|Unanswered $error) {
            $replica->failed($now);
            throw $error;
        }
        $replica->answered();
        return $answer;
    }
}
