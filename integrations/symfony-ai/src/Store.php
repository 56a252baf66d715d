<?php

declare(strict_types=1);

namespace Postings\SymfonyAi;

use Postings\Analyzer;
use Postings\Filter;
use Postings\Hits;
use Postings\Index;
use Postings\IndexWriter;
use Symfony\AI\Platform\Vector\NullVector;
use Symfony\AI\Store\Document\Metadata;
use Symfony\AI\Store\Document\VectorDocument;
use Symfony\AI\Store\Exception\InvalidArgumentException;
use Symfony\AI\Store\Exception\RuntimeException;
use Symfony\AI\Store\Exception\UnsupportedQueryTypeException;
use Symfony\AI\Store\ManagedStoreInterface;
use Symfony\AI\Store\Query\HybridQuery;
use Symfony\AI\Store\Query\QueryInterface;
use Symfony\AI\Store\Query\TextQuery;
use Symfony\AI\Store\Query\VectorQuery;
use Symfony\AI\Store\StoreInterface;

/**
 * Symfony AI's documents in an index of Postings, a folder: their vectors, the words of their texts, and their metadata.
 *
 * Scores are similarities, or BM25 for texts: more is better. Ids are strings when they come back, and vectors do not come back.
 */
final class Store implements ManagedStoreInterface, StoreInterface
{
    private const TEXT = Metadata::KEY_TEXT;
    private const VECTOR = '_vector';
    private const METADATA = '_metadata';

    /** How many hits of words, and how many of vectors, are fused by ranks at least; docs/meaning.md. */
    private const LIST = 100;
    private const RRF_K = 60;

    /** @var array<string, array<string, mixed>> */
    private readonly array $fields;

    private ?Index $index = null;

    /**
     * @param string $path a folder, made by setup() or by the first documents
     * @param int $dimensions how many numbers a vector has
     * @param string $metric 'cosine', 'dot' or 'euclidean'
     * @param array<string, array<string, mixed>> $fields metadata that can be filtered by or searched, by key: fields as
     *     IndexWriter::open() takes them
     * @param ?string $language whose words are stemmed
     * @param bool $fold whether é and e are the same
     * @param array<string, mixed> $search arguments of every search for words, as Index::search() takes them by name
     * @param int $wait milliseconds to wait for another process that writes
     */
    public function __construct(
        private readonly string $path,
        int $dimensions = 1536,
        string $metric = 'cosine',
        array $fields = [],
        private readonly ?string $language = null,
        private readonly bool $fold = true,
        private readonly array $search = [],
        private readonly int $wait = 10000,
    ) {
        foreach ([self::VECTOR, self::METADATA] as $own) {
            if (isset($fields[$own])) {
                throw new InvalidArgumentException(\sprintf('The field "%s" is the store\'s own.', $own));
            }
        }
        $this->fields = [
            self::VECTOR => ['vector' => $dimensions, 'metric' => $metric],
            self::METADATA => ['stored' => true, 'indexed' => false],
        ] + $fields + [self::TEXT => []];
    }

    public function setup(array $options = []): void
    {
        self::noOptions($options);
        $this->write(static fn () => null);
    }

    public function drop(array $options = []): void
    {
        self::noOptions($options);
        $this->index = null;
        self::translated(fn () => Index::drop($this->path));
    }

    public function add(VectorDocument|array $documents): void
    {
        $documents = \is_array($documents) ? $documents : [$documents];
        if ($documents === []) {
            return;
        }
        $this->write(function (IndexWriter $writer) use ($documents) {
            foreach ($documents as $document) {
                $metadata = $document->getMetadata()->getArrayCopy();
                $vector = $document->getVector();
                $writer->add((string) $document->getId(), [
                    self::VECTOR => $vector instanceof NullVector ? null : $vector->getData(),
                    self::METADATA => \json_encode($metadata, \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION),
                ] + \array_intersect_key($metadata, $this->fields));
            }
        });
    }

    public function remove(string|array $ids, array $options = []): void
    {
        self::noOptions($options);
        if ($ids !== [] && $this->exists()) {
            $this->write(static function (IndexWriter $writer) use ($ids) {
                foreach ((array) $ids as $id) {
                    $writer->delete((string) $id);
                }
            });
        }
    }

    public function clear(array $options = []): void
    {
        self::noOptions($options);
        if ($this->exists()) {
            $this->write(static fn (IndexWriter $writer) => $writer->clear());
        }
    }

    public function supports(string $queryClass): bool
    {
        return \in_array($queryClass, [VectorQuery::class, TextQuery::class, HybridQuery::class], true);
    }

    /**
     * The documents that match, best first, as of the last commit.
     *
     * @param array{
     *     limit?: int,
     *     maxItems?: int,
     *     offset?: int,
     *     filter?: Filter|array<int|string, mixed>,
     *     minScore?: float,
     *     fusion?: 'rrf'|'scores',
     * } $options limit (or maxItems; 10): the most documents; offset: those to leave out at the front; filter: conditions on the
     *     store's fields, as Index::search() takes them; minScore: leaves out documents with lower scores; fusion: how a
     *     HybridQuery becomes one list, by ranks or by scores. Others are ignored
     */
    public function query(QueryInterface $query, array $options = []): iterable
    {
        if (!$this->supports($query::class)) {
            throw new UnsupportedQueryTypeException($query::class, $this);
        }
        if (isset($options['maxScore'])) {
            throw new InvalidArgumentException('Scores are similarities, so there is no "maxScore", but "minScore".');
        }
        $filter = $options['filter'] ?? [];
        if (!\is_array($filter) && !$filter instanceof Filter) {
            throw new InvalidArgumentException('The filter must be an array of conditions or a Postings\Filter.');
        }
        $filter = \is_array($filter) ? $filter : [$filter];
        [$limit, $offset] = [$options['limit'] ?? $options['maxItems'] ?? 10, $options['offset'] ?? 0];
        if (!\is_int($limit) || !\is_int($offset) || $limit < 0 || $offset < 0) {
            throw new InvalidArgumentException('The options "limit" and "offset" must be whole numbers, and not negative.');
        }
        $found = self::translated(fn () => match (true) {
            $query instanceof VectorQuery => self::all($this->index()->nearest(
                self::VECTOR,
                $query->getVector()->getData(),
                $limit,
                $offset,
                $filter,
            )),
            $query instanceof TextQuery => self::all($this->words($this->index(), $query->getTexts(), $limit, $offset, $filter)),
            default => $this->both($query, $options['fusion'] ?? 'rrf', $limit, $offset, $filter),
        });

        return self::documents($found, $options['minScore'] ?? null);
    }

    /**
     * @param array<string> $texts one: all of its words; several: any word of any
     * @param array<int|string, mixed> $filter
     * @param array<string, mixed> $arguments more of them
     */
    private function words(
        Index $index,
        array $texts,
        int $limit,
        int $offset,
        array $filter,
        array $arguments = [],
    ): Hits {
        $text = \trim(\implode(' ', $texts));

        return $index->search($text, ...[
            'matching' => \count($texts) === 1 ? 'all' : 'any',
            'syntax' => false,
            ...$this->search,
            // An empty query would match everything, where there are no vectors that decide.
            'filter' => $text === '' && !isset($arguments['nearest']) ? [...$filter, Filter::any()] : $filter,
            'limit' => $limit,
            'offset' => $offset,
            ...$arguments,
        ]);
    }

    /**
     * @param array<int|string, mixed> $filter
     * @return iterable<array{Hits, int, ?float}>
     */
    private function both(HybridQuery $query, mixed $fusion, int $limit, int $offset, array $filter): iterable
    {
        [$vector, $texts] = [$query->getVector()->getData(), $query->getTexts()];
        if ($fusion === 'scores') {
            return self::all($this->words($this->index(), $texts, $limit, $offset, $filter, [
                'nearest' => [self::VECTOR => $vector],
                'fusion' => ['text' => $query->getKeywordRatio(), self::VECTOR => $query->getSemanticRatio()],
            ]));
        }
        if ($fusion !== 'rrf') {
            throw new InvalidArgumentException('The option "fusion" must be "rrf" or "scores".');
        }
        $length = \max(self::LIST, $offset + $limit);
        $index = $this->index();
        $lists = [
            [$this->words($index, $texts, $length, 0, $filter), $query->getKeywordRatio()],
            [$index->nearest(self::VECTOR, $vector, $length, 0, $filter), $query->getSemanticRatio()],
        ];
        $scores = $places = [];
        foreach ($lists as [$hits, $ratio]) {
            foreach ($ratio > 0 ? $hits->docIds() : [] as $at => $document) {
                $places[$document] = [$hits, $at];
                $scores[$document] = ($scores[$document] ?? 0.0) + $ratio / (self::RRF_K + $at + 1);
            }
        }
        // Sorting is stable: equal ones stay in the order in which they were added.
        \ksort($scores);
        \arsort($scores);
        $found = [];
        foreach (\array_slice($scores, $offset, $limit, true) as $document => $score) {
            $found[] = [...$places[$document], $score];
        }

        return $found;
    }

    /** @return \Generator<int, array{Hits, int, ?float}> */
    private static function all(Hits $hits): \Generator
    {
        for ($at = 0; $at < \count($hits); ++$at) {
            yield [$hits, $at, null];
        }
    }

    /**
     * @param iterable<array{Hits, int, ?float}> $found hits, which one of them, and a score in place of its own
     * @return \Generator<int, VectorDocument>
     */
    private static function documents(iterable $found, ?float $minimum): \Generator
    {
        foreach ($found as [$hits, $at, $score]) {
            $hit = $hits[$at];
            $score ??= $hit->score;
            if ($minimum !== null && $score < $minimum) {
                return;
            }
            $metadata = \json_decode($hit->fields[self::METADATA], true, flags: \JSON_THROW_ON_ERROR);
            yield new VectorDocument($hit->id, new NullVector(), new Metadata($metadata), $score);
        }
    }

    /** The index as of its last commit, by whichever process. */
    private function index(): Index
    {
        if ($this->index === null) {
            $this->index = Index::open($this->path);
        } else {
            $this->index->reload();
        }

        return $this->index;
    }

    private function exists(): bool
    {
        return self::translated(fn () => Index::exists($this->path));
    }

    /** @param callable(IndexWriter): mixed $change what becomes one commit */
    private function write(callable $change): void
    {
        self::translated(function () use ($change) {
            $analyzer = new Analyzer($this->language, fold: $this->fold, parts: true);
            $writer = IndexWriter::open($this->path, fields: $this->fields, analyzer: $analyzer, wait: $this->wait);
            $vectors = $writer->fields()[self::VECTOR];
            if (\array_diff_assoc($this->fields[self::VECTOR], $vectors) !== []) {
                throw new InvalidArgumentException(\sprintf(
                    'The index in "%s" has vectors of %d dimensions compared by %s. Drop the store, and add the documents again.',
                    $this->path,
                    $vectors['vector'],
                    $vectors['metric'],
                ));
            }
            $change($writer);
            $writer->commit();
            $writer->close();
        });
    }

    /** @param array<mixed> $options */
    private static function noOptions(array $options): void
    {
        if ($options !== []) {
            throw new InvalidArgumentException('No supported options.');
        }
    }

    /**
     * What a function returns, with the exceptions of Postings as those of Symfony AI.
     *
     * @template T
     * @param callable(): T $do
     * @return T
     */
    private static function translated(callable $do): mixed
    {
        try {
            return $do();
        } catch (\ValueError|\TypeError|\JsonException $error) {
            throw new InvalidArgumentException($error->getMessage(), previous: $error);
        } catch (\Postings\Exception $exception) {
            throw new RuntimeException($exception->getMessage(), previous: $exception);
        }
    }
}
