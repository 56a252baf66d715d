<?php

declare(strict_types=1);

namespace Postings\Demo;

use Postings\Hits;
use Postings\Index;

/** Many queries in one call: on one core, on all cores and on a device, with the same results. */
final class Batch
{
    private const ROUNDS = 3;

    /**
     * Two to four words of documents drawn at random, the same in every run.
     *
     * @return list<string>
     */
    public static function queries(Index $index, int $count): array
    {
        mt_srand(1);
        $queries = [];
        // Few documents may have a text.
        for ($tries = 10 * $count; $tries > 0 && count($queries) < $count && count($index) > 0; --$tries) {
            $id = $index->id(mt_rand(0, count($index) - 1));
            $text = $id === null ? '' : ($index->stored($id)['text'] ?? '');
            preg_match_all('/\pL{3,}/u', (string) $text, $words);
            $words = array_values(array_unique($words[0]));
            if (count($words) >= 4) {
                shuffle($words);
                $queries[] = implode(' ', array_slice($words, 0, 2 + count($queries) % 3));
            }
        }
        return count($queries) === $count ? $queries : throw new \RuntimeException('the documents have too few words to draw queries from');
    }

    /** Prints queries per second; an exception if results differ. */
    public static function run(Index $index, int $count, string $matching): void
    {
        $queries = self::queries($index, $count);
        printf("\nThe ten best of each of %s queries, in one call:\n", number_format($count));
        $device = current(array_filter(\Postings\devices(), static fn (array $device): bool => $device['selected']));
        $search = static fn (): array => $index->searchBatch($queries, limit: 10, matching: $matching);
        $cpu = null;
        foreach (['CPU, one thread' => '1', 'CPU, all cores' => '0'] as $where => $threads) {
            $results = self::with(['postings.offload' => 'never', 'postings.threads' => $threads], static fn (): array => self::measure($where, $search));
            self::compare($queries, $cpu ??= $results, $results);
        }
        if ($device === false) {
            printf("  no device (postings.device=%s)\n", ini_get('postings.device'));
            return;
        }
        self::with(['postings.offload' => 'always'], static function () use ($index, $queries, $matching, $device, $search, $cpu): void {
            [$lists, $seconds] = Console::step(static fn (): int => $index->warm($queries, $matching));
            $before = \Postings\stats();
            $results = self::measure(Console::plain($device['name']), $search);
            $after = \Postings\stats();
            if ($after['device_failures'] > $before['device_failures'] || $after['device_calls'] < $before['device_calls'] + self::ROUNDS) {
                throw new \RuntimeException('the device failed; the log says why');
            }
            self::compare($queries, $cpu, $results);
            printf("  the same results; before that, %s lists were sent and kernels built in %s\n", number_format($lists), Console::time($seconds));
        });
    }

    /**
     * The result of a call under other settings.
     *
     * @param array<string, string> $settings
     */
    private static function with(array $settings, callable $call): mixed
    {
        $before = array_map(ini_get(...), array_combine(array_keys($settings), array_keys($settings)));
        try {
            array_walk($settings, static fn (string $value, string $name) => ini_set($name, $value));
            return $call();
        } finally {
            array_walk($before, static fn (string $value, string $name) => ini_set($name, $value));
        }
    }

    /** @return array<Hits> what the search found; prints the median of its times */
    private static function measure(string $where, callable $search): array
    {
        $times = [];
        for ($round = 0; $round < self::ROUNDS; ++$round) {
            [$results, $times[]] = Console::step($search);
        }
        sort($times);
        $seconds = $times[intdiv(self::ROUNDS, 2)];
        printf("  %s: %s, %s queries per second\n", $where, Console::time($seconds), number_format(count($results) / $seconds));
        return $results;
    }

    /**
     * @param list<string> $queries
     * @param array<Hits>  $expected
     * @param array<Hits>  $found
     */
    private static function compare(array $queries, array $expected, array $found): void
    {
        $plain = static fn (Hits $hits): array => array_map(static fn ($hit): array => [$hit->docId, $hit->score], iterator_to_array($hits));
        foreach ($queries as $i => $query) {
            if ($plain($expected[$i]) !== $plain($found[$i])) {
                throw new \RuntimeException("other results for: $query");
            }
        }
    }
}
