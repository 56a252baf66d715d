<?php

declare(strict_types=1);

namespace Postings\Shards;

use Postings\CorruptDataException;
use Postings\Hits;
use Postings\Index;
use Postings\LeafClient;
use Postings\LeafException;
use Postings\LeafRequest;
use Postings\Statistics;
use Postings\StatisticsException;
use Psr\SimpleCache\CacheInterface;

/**
 * An index whose documents are on several machines, searched as one: it finds what one index of all documents would find, scores to
 * the last bit.
 *
 *     $index = ShardedIndex::connect([
 *         'shard-0' => ['http://10.0.0.1/leaf', 'http://10.0.0.2/leaf'],
 *         'shard-1' => ['http://10.0.0.3/leaf', 'http://10.0.0.4/leaf'],
 *     ]);
 *     foreach ($index->search('red shoes') as $hit) …
 *
 * Methods and their arguments are those of Postings\Index, but for `after:`, docIDs, and streams. A search first asks each shard
 * what it knows of the words, unless that is known, and then for its hits. Every answer of a shard is of the commit that the words were
 * asked of: if there is a new one, words are asked again.
 */
final class ShardedIndex
{
    /** How often words are asked again because shards have new commits. */
    private const ATTEMPTS = 8;
    /** More queries are not kept in this process. */
    private const KEPT = 1000;
    /** More values or words of a shard are not asked for only to know which are the most frequent of all. */
    private const MOST_VALUES = 1 << 16;
    /** A leaf answers so many queries at once, with so many hits and values of facets. */
    private const MOST_QUERIES = 1 << 16;
    private const MOST_HITS = 1 << 20;
    /** More bytes of vectors are not sent at once. */
    private const MOST_BYTES = 1 << 25;
    /** What decides which words are searched where, and so what statistics tell of. */
    private const READING = ['weights', 'typos', 'prefix', 'fields', 'syntax', 'maxWords', 'synonyms'];

    /** @var array<string, array{float, array<string, string>, Statistics}> until when, of which commits, and what, by key */
    private array $known = [];
    private ?LeafClient $client = null;

    /** @param array<string, Shard> $shards */
    private function __construct(
        private readonly array $shards,
        private readonly Scatter $scatter,
        private readonly float $timeout,
        private readonly float $keep,
        private readonly bool $stored,
        private readonly ?CacheInterface $cache,
    ) {
    }

    /**
     * Connects to nothing yet: machines are asked when something is to be found.
     *
     * @param array<string, list<string>|string> $shards the URLs of each shard's replicas. Equal hits are in the order of the shards
     * @param float $timeout seconds that a call takes at most
     * @param float $keep seconds for which what shards know of words is kept: as long as they have no new commits
     * @param bool $hedge whether a second replica is asked when one is slower than 95 of 100 requests were. One that is silent for a
     *     quarter of the timeout is followed by another in any case. Both together: at most one request in ten, and one a second
     * @param bool $stored whether hits come with their stored fields
     * @param Transport|null $transport null: curl
     * @param CacheInterface|null $cache what keeps words from one PHP request to the next, as APCu does; null: only this object
     */
    public static function connect(
        array $shards,
        float $timeout = 2.0,
        float $keep = 60.0,
        bool $hedge = true,
        bool $stored = true,
        ?Transport $transport = null,
        ?CacheInterface $cache = null,
    ): self {
        if ($shards === []) {
            throw new \ValueError('There must be a shard at least');
        }
        $all = [];
        foreach ($shards as $name => $urls) {
            $urls = array_values((array) $urls);
            if ($urls === []) {
                throw new \ValueError("Shard '$name' must have a URL at least");
            }
            $all[$name] = new Shard((string) $name, $urls);
        }
        $others = array_sum(array_map(fn (Shard $shard) => count($shard->replicas) - 1, $all));
        return new self($all, new Scatter($transport ?? new CurlTransport(), $hedge, $others), $timeout, $keep, $stored, $cache);
    }

    /** The number of the shard that a document belongs to, of so many: by a hash of its id, the same everywhere. */
    public static function shardOf(int|string $id, int $shards): int
    {
        return crc32((string) $id) % $shards;
    }

    /**
     * As Index::search(). `limit` and `offset` are those of all shards; each is asked for as many as both together. With `nearest:` and
     * the fusion 'rrf' it is asked for all documents of all lists, 100 of each at least.
     *
     * @throws ShardMissing  if a shard does not answer
     * @throws LeafException if all replicas of a shard have another schema or version, or commit faster than they can be asked
     * @throws Undecided     if very many values of a facet are equally frequent
     */
    public function search(string $query, mixed ...$options): Hits
    {
        $options = self::named('search', 1, $options);
        $query = ['query' => $query];
        foreach (['weighted', 'nearest'] as $name) {
            $query[$name] = $options[$name] ?? [];
            if (!is_array($query[$name])) {
                throw new \TypeError("search(): \$$name must be of type array, " . get_debug_type($query[$name]) . ' given');
            }
            unset($options[$name]);
        }
        $weights = is_array($options['fusion'] ?? null) ? $options['fusion'] : [];
        foreach (array_keys(array_diff_key($weights, $query['nearest'], ['text' => 0])) as $field) {
            throw new \ValueError("search(): \$fusion has a weight for '$field', and no vector is looked for in it");
        }
        return self::of(fn () => $this->found($this->shards, [$query], $options, microtime(true) + $this->timeout), fn (array $found) => $found[0]);
    }

    /**
     * As Index::searchBatch(): every shard is asked for all queries at once.
     *
     * @template K of array-key
     * @param array<K, string|array{query?: string, weighted?: array<string, array<string|int, int|float>>, nearest?: array<string, string|list<int|float>>}> $queries
     * @return array<K, Hits>
     * @throws ShardMissing if a shard does not answer
     * @throws Undecided    if very many values of a facet are equally frequent
     */
    public function searchBatch(array $queries, mixed ...$options): array
    {
        $options = self::named('searchBatch', 1, $options);
        return $queries === [] ? [] : $this->found($this->shards, $queries, $options, microtime(true) + $this->timeout);
    }

    /**
     * As Index::nearest(). `limit` and `offset` are those of all shards; each is asked for as many as both together.
     *
     * @param string|list<int|float> $vector
     * @throws ShardMissing if a shard does not answer
     */
    public function nearest(string $field, array|string $vector, mixed ...$options): Hits
    {
        $options = self::named('nearest', 2, $options);
        return self::of(fn () => $this->nearestBatch($field, [$vector], ...$options), fn (array $found) => $found[0]);
    }

    /**
     * As Index::nearestBatch(): every shard is asked for many vectors at once.
     *
     * @template K of array-key
     * @param array<K, string|list<int|float>> $vectors
     * @return array<K, Hits>
     * @throws ShardMissing if a shard does not answer
     */
    public function nearestBatch(string $field, array $vectors, mixed ...$options): array
    {
        $options = self::named('nearestBatch', 2, $options);
        return $vectors === [] ? [] : $this->foundNearest($this->shards, $field, $vectors, $options, microtime(true) + $this->timeout);
    }

    /**
     * As Index::count().
     *
     * @throws ShardMissing if a shard does not answer
     */
    public function count(string $query = '', mixed ...$options): int
    {
        $options = ['limit' => 0, 'total' => true] + self::named('count', 1, $options);
        return self::of(fn () => $this->search($query, ...$options), fn (Hits $hits) => $hits->total);
    }

    /**
     * As Index::facets(): exact counts of the values that most documents have.
     *
     * @return array<int|string, int>
     * @throws ShardMissing if a shard does not answer
     * @throws Undecided    if very many values are equally frequent
     */
    public function facets(string $field, string $query = '', mixed ...$options): array
    {
        $options = self::named('facets', 2, $options);
        $options = ['limit' => 0, 'facets' => [$field => $options['limit'] ?? 10]] + $options;
        return self::of(fn () => $this->search($query, ...$options), fn (Hits $hits) => $hits->facets[$field]);
    }

    /**
     * As Index::suggest(): numbers of documents are those of all shards.
     *
     * @return array<int|string, int>
     * @throws ShardMissing if a shard does not answer
     * @throws Undecided    if very many words are equally frequent
     */
    public function suggest(string $text, int $limit = 8, ?string $field = null): array
    {
        if ($limit < 0) {
            throw new \ValueError("suggest(): \$limit must not be negative, $limit given");
        }
        return $this->suggested($this->shards, $text, $limit, $field, microtime(true) + $this->timeout);
    }

    /**
     * The stored fields of a document, as Index::stored(); null if there is no such document.
     *
     * @return array<string, mixed>|null
     * @throws ShardMissing if a shard does not answer
     */
    public function stored(int|string $id): ?array
    {
        return $this->storedIn($this->shards, $id, microtime(true) + $this->timeout);
    }

    /** The number of all documents. */
    public function documents(): int
    {
        return $this->count();
    }

    /**
     * How many second requests were sent because a replica was slow, and how many because one failed, since connect().
     *
     * @return array{hedges: int, retries: int}
     */
    public function requests(): array
    {
        return ['hedges' => $this->scatter->hedges, 'retries' => $this->scatter->retries];
    }

    /**
     * Arguments by the names that the method of Index has for them.
     *
     * @param array<int|string, mixed> $arguments what was given after the first ones
     * @return array<string, mixed>
     */
    private static function named(string $method, int $first, array $arguments): array
    {
        $named = array_filter($arguments, 'is_string', ARRAY_FILTER_USE_KEY);
        if (count($named) < count($arguments)) {
            $names = array_column((new \ReflectionMethod(Index::class, $method))->getParameters(), 'name');
            foreach (array_diff_key($arguments, $named) as $at => $value) {
                $name = $names[$first + $at] ?? throw new \ArgumentCountError("$method() has no argument " . $first + $at + 1);
                if (array_key_exists($name, $named)) {
                    throw new \Error("$method(): named parameter \$$name overwrites previous argument");
                }
                $named[$name] = $value;
            }
        }
        $unknown = match ($method) {
            'search' => [],
            'searchBatch' => ['nearest', 'weighted'],
            default => ['nearest', 'fusion'],
        };
        foreach (array_intersect($unknown, array_keys($named)) as $name) {
            throw new \Error("$method(): unknown named parameter \$$name");
        }
        return $named;
    }

    /** What is made of a result, also of one without the shards that are missing. */
    private static function of(\Closure $find, \Closure $make): mixed
    {
        try {
            return $make($find());
        } catch (ShardMissing $missing) {
            throw $missing->then($make);
        }
    }

    /** @param array<string, Shard> $shards */
    private function storedIn(array $shards, int|string $id, float $until): ?array
    {
        $others = fn (array $rest) => $this->storedIn($rest, $id, microtime(true) + $this->timeout);
        $request = $this->client($shards, $until, $others)->stored([$id]);
        foreach ($this->ask($shards, $request, $until, [], $others) as [$stored]) {
            if ($stored !== null) {
                return $stored;
            }
        }
        return null;
    }

    /** @param array<string, Shard> $shards */
    private function suggested(array $shards, string $text, int $limit, ?string $field, float $until): array
    {
        $others = fn (array $rest) => $this->suggested($rest, $text, $limit, $field, microtime(true) + $this->timeout);
        $asked = min(self::MOST_HITS, max(4 * min($limit, self::MOST_HITS), 32));
        for ($most = max(self::MOST_VALUES, $asked);; $asked = min($most, 4 * $asked)) {
            $request = $this->client($shards, $until, $others)->suggest($text, $asked, $field);
            $told = $this->ask($shards, $request, $until, [], $others);
            $sum = [];
            foreach ($told as $words) {
                foreach ($words as $word => $count) {
                    $sum[$word] = ($sum[$word] ?? 0) + $count;
                }
            }
            // As one index orders them: the most frequent first, then by their bytes.
            $words = array_map('strval', array_keys($sum));
            array_multisort(array_values($sum), SORT_DESC, $words, SORT_ASC, SORT_STRING);
            $first = array_slice($words, 0, $limit);
            $cut = array_filter($told, fn (array $words) => count($words) >= $asked);
            if (self::areKnown($first, $sum, $cut)) {
                return array_combine($first, array_map(fn (string $word) => $sum[$word], $first));
            }
            if ($asked >= $most) {
                throw new Undecided("suggest(): which $limit words are the most frequent ones does not follow from the $asked of each shard");
            }
        }
    }

    /**
     * Whether these words are the most frequent ones, and their counts those of all shards.
     *
     * @param list<string> $first
     * @param array<int|string, int> $sum of all words that were told
     * @param array<string, array<int|string, int>> $cut what those shards told that have more words: the most frequent first,
     *     equal ones in the order of their bytes
     */
    private static function areKnown(array $first, array $sum, array $cut): bool
    {
        $ends = array_map(fn (array $words) => [(string) array_key_last($words), end($words)], $cut);
        // A word that a shard did not tell of comes after the last one there: in as many documents, if its bytes do, or in fewer.
        $more = function (string $word) use ($cut, $ends): int {
            $more = 0;
            foreach ($ends as $shard => [$last, $count]) {
                $more += isset($cut[$shard][$word]) ? 0 : max(0, strcmp($word, $last) > 0 ? $count : $count - 1);
            }
            return $more;
        };
        if ($first === [] || $cut === []) {
            return true;
        }
        $last = end($first);
        $least = $sum[$last];
        foreach ($first as $word) {
            if ($more($word) > 0) {
                return false;
            }
        }
        foreach (array_diff_key($sum, array_flip($first)) as $word => $count) {
            $unseen = $more((string) $word);
            $most = $count + $unseen;
            if ($unseen > 0 && ($most > $least || $most === $least && strcmp((string) $word, $last) < 0)) {
                return false;
            }
        }
        // One that nobody told of.
        $most = array_sum(array_column($ends, 1));
        return $most < $least || $most === $least && strcmp(max(array_map('strval', array_column($ends, 0))), $last) >= 0;
    }

    /**
     * @param array<string, mixed> $options
     * @return array{int, int}
     */
    private static function page(array $options): array
    {
        [$limit, $offset] = [$options['limit'] ?? 10, $options['offset'] ?? 0];
        if ($limit < 0 || $offset < 0) {
            throw new \ValueError("\$limit and \$offset must not be negative, $limit and $offset given");
        }
        return [$limit, $offset];
    }

    /**
     * @param array<string, Shard> $shards
     * @param array<string|list<int|float>> $vectors
     * @param array<string, mixed> $options
     * @return array<Hits>
     */
    private function foundNearest(array $shards, string $field, array $vectors, array $options, float $until): array
    {
        [$limit, $offset] = self::page($options);
        $others = fn (array $rest) => $this->foundNearest($rest, $field, $vectors, $options, microtime(true) + $this->timeout);
        $client = $this->client($shards, $until, $others);
        $each = self::sum($offset, $limit);
        $bytes = 4 * ($client->fields()[$field]['vector'] ?? 1);
        $found = [];
        foreach (array_chunk($vectors, self::atATime($each, $bytes), true) as $chunk) {
            $request = $client->nearestBatch($field, $chunk, ...array_merge($options, ['limit' => $each, 'offset' => 0]));
            $parts = $this->ask($shards, $request, $until, [], $others);
            if (!isset($options['deadline'])) {
                $this->refuseLate($shards, $parts, $others);
            }
            foreach (array_keys($chunk) as $key) {
                $found[$key] = Hits::merge(array_values(array_column($parts, $key)), $limit, $offset);
            }
        }
        return $found;
    }

    /** How many queries that want so many hits and values each, and have so many bytes, are asked at once. */
    private static function atATime(int $wanted, int $bytes = 1): int
    {
        return max(1, min(self::MOST_QUERIES, intdiv(self::MOST_HITS, max(1, $wanted)), intdiv(self::MOST_BYTES, $bytes)));
    }

    /**
     * @param array<string, Shard> $shards
     * @param array<string|array{query?: string, weighted?: array, nearest?: array}> $queries
     * @param array<string, mixed> $options
     * @return array<Hits>
     */
    private function found(array $shards, array $queries, array $options, float $until): array
    {
        [$limit, $offset] = self::page($options);
        $facets = [];
        foreach ($options['facets'] ?? [] as $field => $most) {
            is_int($field) ? $facets[$most] = 10 : $facets[$field] = $most;
        }
        // Null is their default: the statistics are those of all shards, the deadline that of the call.
        $options = array_filter($options, fn (mixed $value, string $name) => $value !== null || !in_array($name, ['statistics', 'deadline'], true), ARRAY_FILTER_USE_BOTH);
        if (isset($options['statistics'])) {
            throw new \ValueError('statistics must be null: they are those of all shards');
        }
        unset($options['offset']);
        $others = fn (array $rest) => $this->found($rest, $queries, $options + ['offset' => $offset], microtime(true) + $this->timeout);
        [$found, $left] = [[], $queries];
        // One more tells whether a value was left out.
        for ($more = 1;; $more = min(self::MOST_VALUES, 16 * ($more + 15))) {
            $values = array_map(fn (int $most) => $most === 0 ? 0 : self::sum($most, $more), $facets);
            $own = array_merge($options, ['limit' => self::sum($offset, $limit)], $facets === [] ? [] : ['facets' => $values]);
            $each = array_reduce($values, self::sum(...), $own['limit']);
            $undecided = [];
            foreach ($this->chunks($shards, $left, $each, $until, $others) as $chunk) {
                $parts = $this->foundBy($shards, $chunk, $own, $until, $others);
                foreach ($chunk as $key => $query) {
                    $hits = self::merged(array_column($parts, $key), $limit, $offset, $facets, $more);
                    $hits ? $found[$key] = $hits : $undecided[$key] = $query;
                }
            }
            if ($undecided === []) {
                return array_replace($queries, $found);
            }
            $left = $undecided;
        }
    }

    /**
     * Queries that are asked at once, each for so many hits and values.
     *
     * @param array<string, Shard> $shards
     * @return list<array>
     */
    private function chunks(array $shards, array $queries, int $each, float $until, \Closure $others): array
    {
        $vectors = fn (mixed $query) => is_array($query) && is_array($query['nearest'] ?? null) ? $query['nearest'] : [];
        $lists = max(array_map(fn (mixed $query) => count($vectors($query)), $queries));
        if ($lists === 0) {
            return array_chunk($queries, self::atATime($each), true);
        }
        // Each list has as many hits as all have, and 100 at least.
        $dimensions = array_column($this->client($shards, $until, $others)->fields(), 'vector');
        $atATime = self::atATime((1 + $lists) * min(self::MOST_HITS, max(100, $each)), 4 * max([1, ...$dimensions]) * $lists);
        return array_chunk($queries, $atATime, true);
    }

    /**
     * The hits of all shards; `null` if each must tell of more than so many values that were not wanted: which are the most frequent
     * depends on what was left out.
     *
     * @param list<Hits> $parts
     * @param array<string, int> $facets
     */
    private static function merged(array $parts, int $limit, int $offset, array $facets, int $more): ?Hits
    {
        try {
            return Hits::merge($parts, $limit, $offset, $facets === [] ? null : $facets);
        } catch (\ValueError $error) {
            if (!str_contains($error->getMessage(), 'too few values')) {
                throw $error;
            }
            if ($more < self::MOST_VALUES) {
                return null;
            }
            $text = 'which values of a facet are the most frequent ones does not follow from the ' . self::MOST_VALUES . ' of each shard';
            throw new Undecided($text, previous: $error);
        }
    }

    /** Of two numbers, both not negative. */
    private static function sum(int $a, int $b): int
    {
        return $b > PHP_INT_MAX - $a ? PHP_INT_MAX : $a + $b;
    }

    /**
     * The hits of each shard, all by the same statistics.
     *
     * @param array<string, Shard> $shards
     * @return array<string, array<Hits>>
     */
    private function foundBy(array $shards, array $queries, array $given, float $until, \Closure $others): array
    {
        $reading = array_intersect_key($given, array_flip(self::READING));
        $texts = array_map(self::textOf(...), $queries);
        $key = self::keyOf($shards, array_values($texts), $reading);
        $second = false;
        for ($attempt = 1;; ++$attempt) {
            try {
                [$commits, $statistics] = $this->statistics($shards, $key, $texts, $reading, $second, $until, $others);
                $client = $this->client($shards, $until, $others);
                $request = $client->searchBatch($queries, ...$given, statistics: $statistics);
                $parts = $this->ask($shards, $request, $until, $commits, $others);
                if (!isset($given['deadline'])) {
                    $this->refuseLate($shards, $parts, $others);
                }
                return $parts;
            } catch (LeafException $error) {
                // There are new commits. What is kept is of the old ones.
                if ($error->getCode() !== LeafException::COMMIT || $attempt >= self::ATTEMPTS) {
                    throw $error;
                }
            } catch (StatisticsException $error) {
                // What prefixes stand for where terms are stems needs a second round.
                if ($second) {
                    throw $error;
                }
                $second = true;
            } catch (ShardMissing $error) {
                // Who has the commits that are known may be gone: the next call asks the others.
                $this->forget($key);
                throw $error;
            }
            $this->forget($key);
        }
    }

    /** @param string|array{query?: string} $query */
    private static function textOf(string|array $query): string
    {
        return is_string($query) ? $query : $query['query'] ?? '';
    }

    /**
     * @param array<string, Shard> $shards
     * @param array<string, array<Hits>> $parts
     * @throws ShardMissing if a shard has not found its hits in time
     */
    private function refuseLate(array $shards, array $parts, \Closure $others): void
    {
        if ($late = array_filter($parts, self::hasExpired(...))) {
            throw $this->missing($shards, array_map(fn () => 'the deadline has passed', $late), $others);
        }
    }

    /** @param array<Hits> $hits */
    private static function hasExpired(array $hits): bool
    {
        return array_filter($hits, fn (Hits $one) => $one->expired) !== [];
    }

    /**
     * What the shards know of some queries, and as of which commits.
     *
     * @param array<string, Shard> $shards
     * @return array{array<string, string>, Statistics}
     */
    private function statistics(array $shards, string $key, array $queries, array $reading, bool $second, float $until, \Closure $others): array
    {
        if ($known = $this->known($key)) {
            return $known;
        }
        $commits = $sum = null;
        foreach ($second ? [1, 2] : [1] as $round) {
            $request = $this->client($shards, $until, $others)->statistics($queries, ...$reading, statistics: $sum);
            $of = [];
            $told = $this->ask($shards, $request, $until, $commits ?? [], $others, $of);
            $sum = Statistics::sum(...array_values($told));
            $commits = $of;
        }
        $this->keep($key, $commits, $sum);
        return [$commits, $sum];
    }

    /** @return array{array<string, string>, Statistics}|null */
    private function known(string $key): ?array
    {
        if ($known = $this->known[$key] ?? null) {
            [$until, $commits, $statistics] = $known;
            return $until > microtime(true) ? [$commits, $statistics] : null;
        }
        if ($kept = $this->cache?->get("postings.$key")) {
            [$commits, $bytes] = $kept;
            try {
                return [$commits, Statistics::fromBytes($bytes)];
            } catch (CorruptDataException) {
                // Of another version, for instance: it is asked again.
                return null;
            }
        }
        return null;
    }

    /** @param array<string, string> $commits */
    private function keep(string $key, array $commits, Statistics $statistics): void
    {
        if ($this->keep <= 0) {
            return;
        }
        if (count($this->known) >= self::KEPT) {
            unset($this->known[array_key_first($this->known)]);
        }
        $this->known[$key] = [microtime(true) + $this->keep, $commits, $statistics];
        $this->cache?->set("postings.$key", [$commits, $statistics->toBytes()], (int) ceil($this->keep));
    }

    private function forget(string $key): void
    {
        unset($this->known[$key]);
        $this->cache?->delete("postings.$key");
    }

    /**
     * @param array<string, Shard> $shards
     * @param \Closure(array<string, Shard>): mixed $others as of ask()
     */
    private function client(array $shards, float $until, \Closure $others): LeafClient
    {
        if ($this->client) {
            return $this->client;
        }
        if ($response = $this->cache?->get($this->schemaKey())) {
            try {
                return $this->client = LeafClient::fromResponse($response, $this->stored);
            } catch (CorruptDataException|LeafException) {
                // Of another version: it is asked again.
            }
        }
        // Any shard tells it; the others refuse what is not of theirs.
        $read = fn (Shard $shard, string $response) => [LeafClient::fromResponse($response, $this->stored), $response];
        [$answers, $failed] = $this->scatter->ask($shards, fn () => LeafClient::schemaRequest(), $read, $until, 1);
        if ($answers === []) {
            throw $this->thrown($shards, $failed, $others);
        }
        [$this->client, $response] = end($answers);
        $this->cache?->set($this->schemaKey(), $response, 3600);
        return $this->client;
    }

    private function schemaKey(): string
    {
        return 'postings.schema.' . self::keyOf($this->shards);
    }

    /**
     * What something that these shards tell is kept by.
     *
     * @param array<string, Shard> $shards
     */
    private static function keyOf(array $shards, mixed ...$of): string
    {
        return hash('xxh128', serialize([array_map(fn (Shard $shard) => $shard->urls, $shards), ...$of]));
    }

    /**
     * The answer of each shard, by its name, in their order.
     *
     * @param array<string, Shard> $shards
     * @param array<string, string> $commits those that may answer, by shard
     * @param \Closure(array<string, Shard>): mixed $others what the caller would return of the other shards alone
     * @param array<string, string> $of set to the commits that answered
     * @return array<string, mixed>
     */
    private function ask(array $shards, LeafRequest $request, float $until, array $commits, \Closure $others, array &$of = []): array
    {
        $read = function (Shard $shard, string $response) use ($request, $commits, &$of): mixed {
            $answer = $request->read($response);
            $commit = LeafClient::commit($response);
            if ($commit !== ($commits[$shard->name] ?? $commit)) {
                throw new Unanswered("$shard->name: the response is of commit $commit, and {$commits[$shard->name]} was asked for");
            }
            $of[$shard->name] = $commit;
            return $answer;
        };
        // A shard stops when nobody waits for it any more.
        $left = fn () => max(1, (int) (1000 * ($until - microtime(true))));
        $bytes = fn (Shard $shard) => $request->bytes($commits[$shard->name] ?? null, $left());
        [$answers, $failed] = $this->scatter->ask($shards, $bytes, $read, $until);
        if ($failed === []) {
            return array_replace(array_intersect_key($shards, $answers), $answers);
        }
        throw $this->thrown($shards, $failed, $others);
    }

    /**
     * What a caller is told if shards have not answered.
     *
     * @param array<string, Shard> $shards
     * @param array<string, \Exception> $failed
     */
    private function thrown(array $shards, array $failed, \Closure $others): \Exception
    {
        foreach ($failed as $error) {
            if (!$error instanceof Unanswered) {
                if ($error->getCode() === LeafException::SCHEMA) {
                    // It may have changed everywhere: the next call asks for it.
                    $this->client = null;
                    $this->cache?->delete($this->schemaKey());
                }
                return $error;
            }
        }
        return $this->missing($shards, array_map(fn (\Exception $error) => $error->getMessage(), $failed), $others);
    }

    /**
     * @param array<string, Shard> $shards
     * @param array<string, string> $missing
     */
    private function missing(array $shards, array $missing, \Closure $others): ShardMissing
    {
        $rest = array_diff_key($shards, $missing);
        return new ShardMissing($missing, $rest === [] ? null : fn () => $others($rest));
    }
}
