<?php

declare(strict_types=1);

namespace Postings\Shards;

use Postings\CorruptDataException;
use Postings\LeafException;
use Postings\StatisticsException;

/**
 * Asks every shard once: one replica of each, a second one if the first is slower than 95 of 100 requests were or silent for a
 * quarter of the time, the next one if it fails. Only reads are sent, so asking twice changes nothing.
 */
final class Scatter
{
    /** At most one request in so many is a second one to a shard that is only slow: or slowness would double the load. */
    private const HEDGED = 10;
    /** Second requests that may be saved up. */
    private const MOST_SAVED = 10.0;
    /** After that part of the time that there is, a replica that has not answered counts as failed, and another one is asked. */
    private const SILENT = 0.25;

    private float $saved = 1.0;

    /** How many second requests were sent to slow shards. */
    public int $hedges = 0;
    /** How many requests were sent again because one failed. */
    public int $retries = 0;

    public function __construct(private readonly Transport $transport, private readonly bool $hedge)
    {
    }

    /**
     * @template T
     * @param array<string, Shard> $shards
     * @param callable(Shard): string $request the bytes for a shard
     * @param callable(Shard, string): T $read what a response says; a LeafException of code COMMIT or FAILED, and bytes that are no
     *     response, make another replica be asked
     * @return array{array<string, T>, array<string, \Throwable|string>} the answers, and why there is none, by shard
     */
    public function ask(array $shards, callable $request, callable $read, float $until): array
    {
        $answers = $failed = $left = $under = $bytes = $secondAt = $begun = [];
        $send = function (Shard $shard) use (&$left, &$under, &$bytes, $until): void {
            $now = microtime(true);
            $replica = array_shift($left[$shard->name]);
            $number = $this->transport->start($replica->url, $bytes[$shard->name], max(0.001, $until - $now));
            $under[$number] = [$shard, $replica];
        };
        foreach ($shards as $name => $shard) {
            $begun[$name] = $now = microtime(true);
            $bytes[$name] = $request($shard);
            $left[$name] = $shard->inTurn($now);
            $send($shard);
            $p95 = $this->hedge ? $shard->times->p95() : null;
            $silent = $now + self::SILENT * ($until - $now);
            $secondAt[$name] = $p95 === null ? $silent : min($silent, $now + max(0.001, $p95));
            $this->saved = min(self::MOST_SAVED, $this->saved + 1 / self::HEDGED);
        }
        while ($under !== [] && ($now = microtime(true)) < $until) {
            foreach ($secondAt as $name => $at) {
                if ($at > $now || $left[$name] === []) {
                    continue;
                }
                $silent = $begun[$name] + self::SILENT * ($until - $begun[$name]);
                if ($now < $silent && $this->saved < 1.0) {
                    $secondAt[$name] = $silent;
                    continue;
                }
                $this->saved = max(0.0, $this->saved - 1.0);
                ++$this->hedges;
                $send($shards[$name]);
                $secondAt[$name] = INF;
            }
            $waiting = array_filter($secondAt, fn (float $at, string $name) => $left[$name] !== [], ARRAY_FILTER_USE_BOTH);
            $next = min([$until, ...array_values($waiting)]);
            foreach ($this->transport->wait(max(0.0, $next - $now)) as $number => $reply) {
                if (!isset($under[$number])) {
                    continue;
                }
                [$shard, $replica] = $under[$number];
                unset($under[$number]);
                $name = $shard->name;
                $now = microtime(true);
                try {
                    $answers[$name] = $this->read($shard, $replica, $reply, $read, $now);
                } catch (LeafException|StatisticsException|CorruptDataException|Unanswered $error) {
                    $failed[$name] = $error;
                    $secondAt[$name] = INF;
                    if ($left[$name] !== [] && self::isOfReplica($error)) {
                        ++$this->retries;
                        $send($shard);
                    }
                    continue;
                }
                $shard->times->add($now - $begun[$name]);
                unset($failed[$name], $secondAt[$name]);
                foreach ($under as $other => [$of, $overtaken]) {
                    if ($of === $shard) {
                        // If it was asked first, it is silent: the next ones ask others first.
                        $overtaken->failed($now, null);
                        $this->transport->cancel($other);
                        unset($under[$other]);
                    }
                }
            }
        }
        foreach ($under as $number => [$shard, $replica]) {
            $this->transport->cancel($number);
            $replica->failed(microtime(true), null);
            $failed[$shard->name] ??= 'the deadline has passed';
        }
        return [$answers, array_diff_key($failed, $answers)];
    }

    /** Whether another replica may do better. */
    private static function isOfReplica(\Throwable $error): bool
    {
        return match (true) {
            $error instanceof LeafException => in_array($error->getCode(), [LeafException::COMMIT, LeafException::FAILED], true),
            default => !$error instanceof StatisticsException,
        };
    }

    private function read(Shard $shard, Replica $replica, Reply $reply, callable $read, float $now): mixed
    {
        if ($reply->status !== 200) {
            $replica->failed($now, $reply->retryAfter);
            throw new Unanswered($reply->status === 0 ? $reply->body : "$replica->url: HTTP $reply->status");
        }
        try {
            $answer = $read($shard, $reply->body);
        } catch (CorruptDataException $error) {
            $replica->failed($now, null);
            throw $error;
        } catch (LeafException $error) {
            $error->getCode() === LeafException::FAILED ? $replica->failed($now, null) : $replica->answered();
            throw $error;
        }
        $replica->answered();
        return $answer;
    }
}
