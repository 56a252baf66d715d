<?php

declare(strict_types=1);

namespace Postings\SymfonyAi\Tests;

use PHPUnit\Framework\TestCase;
use Postings\Filter;
use Postings\Index;
use Postings\SymfonyAi\Store;
use Symfony\AI\Platform\Vector\NullVector;
use Symfony\AI\Platform\Vector\Vector;
use Symfony\AI\Store\CombinedStore;
use Symfony\AI\Store\Document\EmbeddableDocumentInterface;
use Symfony\AI\Store\Document\Metadata;
use Symfony\AI\Store\Document\VectorDocument;
use Symfony\AI\Store\Document\VectorizerInterface;
use Symfony\AI\Store\Exception\InvalidArgumentException;
use Symfony\AI\Store\Exception\RuntimeException;
use Symfony\AI\Store\Exception\UnsupportedQueryTypeException;
use Symfony\AI\Store\InMemory\Store as InMemory;
use Symfony\AI\Store\Query\HybridQuery;
use Symfony\AI\Store\Query\QueryInterface;
use Symfony\AI\Store\Query\TextQuery;
use Symfony\AI\Store\Query\VectorQuery;
use Symfony\AI\Store\Retriever;
use Symfony\AI\Store\StoreInterface;

/** Compared with the store that has all documents in memory, and looks at each. */
final class StoreTest extends TestCase
{
    private const FIELDS = ['lang' => ['keyword' => true], 'year' => ['numeric' => true], '_title' => []];
    private const WORDS = ['sea', 'ship', 'sail', 'port', 'land', 'crew'];

    private string $folder;
    private Store $store;
    private InMemory $memory;
    private Vector $vector;

    protected function setUp(): void
    {
        $this->folder = \sys_get_temp_dir() . '/postings-ai-' . \bin2hex(\random_bytes(8));
        $this->store = new Store($this->folder, dimensions: 5, fields: self::FIELDS);
        $this->memory = new InMemory();
        $this->vector = new Vector([0.3, -0.8, 0.1, 0.5, 0.2]);
        \mt_srand(11);
        $documents = [];
        for ($number = 0; $number < 300; ++$number) {
            $metadata = new Metadata([
                'lang' => ['de', 'en', 'fr'][$number % 3],
                'year' => 1900 + \mt_rand(0, 9),
                'nested' => ['a' => [1.0, null]],
            ]);
            $words = \array_map(static fn () => self::WORDS[\mt_rand(0, 5)], \range(1, \mt_rand(2, 9)));
            $metadata->setText(\implode(' ', $words));
            $numbers = \array_map(static fn () => \mt_rand(-1000, 1000) / 1000, \range(1, 5));
            $documents[] = new VectorDocument("d$number", new Vector($numbers), $metadata);
        }
        $this->store->setup();
        $this->store->add($documents);
        $this->memory->add($documents);
    }

    protected function tearDown(): void
    {
        $this->store->drop();
        self::assertDirectoryDoesNotExist($this->folder);
    }

    /** @return list<VectorDocument> */
    private static function found(StoreInterface $store, QueryInterface $query, array $options = []): array
    {
        return \iterator_to_array($store->query($query, $options), false);
    }

    /** @param list<VectorDocument> $documents @return list<string> */
    private static function ids(array $documents): array
    {
        return \array_map(static fn (VectorDocument $document) => (string) $document->getId(), $documents);
    }

    public function testVectorsAreFoundAsByLookingAtEach(): void
    {
        $query = new VectorQuery($this->vector);
        $expected = self::found($this->memory, $query);
        $found = self::found($this->store, $query, ['limit' => 1000]);
        self::assertSame(self::ids($expected), self::ids($found));
        foreach ($found as $at => $document) {
            self::assertEqualsWithDelta(1 - $expected[$at]->getScore(), $document->getScore(), 1e-6);
            self::assertSame($expected[$at]->getMetadata()->getArrayCopy(), $document->getMetadata()->getArrayCopy());
            self::assertInstanceOf(NullVector::class, $document->getVector());
        }
        self::assertSame(\array_slice(self::ids($expected), 0, 10), self::ids(self::found($this->store, $query)));
        self::assertSame(\array_slice(self::ids($expected), 0, 3), self::ids(self::found($this->store, $query, ['maxItems' => 3])));
        $page = self::found($this->store, $query, ['limit' => 7, 'offset' => 20]);
        self::assertSame(\array_slice(self::ids($expected), 20, 7), self::ids($page));
        foreach ([0.9, 0.5, -1.0, 2.0] as $minimum) {
            $similar = \array_filter($expected, static fn ($document) => 1 - $document->getScore() >= $minimum);
            $found = self::found($this->store, $query, ['limit' => 1000, 'minScore' => $minimum]);
            self::assertSame(self::ids($similar), self::ids($found));
        }
    }

    public function testFiltersHoldBeforeTheSearch(): void
    {
        $query = new VectorQuery($this->vector);
        foreach ([
            [['lang' => 'de'], static fn ($of) => $of['lang'] === 'de'],
            [
                ['lang' => ['de', 'fr'], 'year' => [1903, 1905]],
                static fn ($of) => $of['lang'] !== 'en' && $of['year'] >= 1903 && $of['year'] <= 1905,
            ],
            [['year' => 1904], static fn ($of) => $of['year'] === 1904],
            [
                [Filter::not(['lang' => 'en']), ['year' => [null, 1902]]],
                static fn ($of) => $of['lang'] !== 'en' && $of['year'] <= 1902,
            ],
            [Filter::above('year', 1907), static fn ($of) => $of['year'] > 1907],
            [Filter::any(), static fn () => false],
        ] as [$filter, $where]) {
            $where = static fn (VectorDocument $document) => $where($document->getMetadata());
            $expected = self::found($this->memory, $query, ['filter' => $where]);
            $options = ['filter' => $filter, 'limit' => 1000];
            self::assertSame(self::ids($expected), self::ids(self::found($this->store, $query, $options)));
            $texts = self::found($this->memory, new TextQuery('crew'), ['filter' => $where]);
            $found = self::found($this->store, new TextQuery('crew'), $options);
            self::assertEqualsCanonicalizing(self::ids($texts), self::ids($found));
            $both = self::found($this->store, new HybridQuery($this->vector, 'crew'), $options);
            self::assertEqualsCanonicalizing(self::ids($expected), self::ids($both), 'all have vectors');
        }
    }

    public function testTextsAreFoundByTheirWords(): void
    {
        $some = self::found($this->memory, new TextQuery(['crew', 'port']));
        $found = self::found($this->store, new TextQuery(['crew', 'port']), ['limit' => 1000]);
        self::assertEqualsCanonicalizing(self::ids($some), self::ids($found));
        $with = fn (string $word) => self::ids(self::found($this->memory, new TextQuery($word)));
        $all = \array_intersect($with('crew'), $with('port'));
        self::assertNotEmpty($all);
        $found = self::found($this->store, new TextQuery('port crew'), ['limit' => 1000]);
        self::assertEqualsCanonicalizing($all, self::ids($found));
        $scores = \array_map(static fn ($document) => $document->getScore(), $found);
        self::assertGreaterThan(0, \min($scores));
        $sorted = $scores;
        \rsort($sorted);
        self::assertSame($sorted, $scores);
        self::assertSame([], self::found($this->store, new TextQuery('')));
        self::assertSame([], self::found($this->store, new TextQuery([' ', ''])));
        self::assertSame([], self::found($this->store, new TextQuery('whale')));
        // A sign is no syntax: this is not everything without the word.
        self::assertSame([], self::found($this->store, new TextQuery('-whale')));
    }

    public function testTitlesAreSearchedIfTheyAreFields(): void
    {
        $metadata = new Metadata();
        $metadata->setTitle('Whales');
        $this->store->add(new VectorDocument(7, new NullVector(), $metadata));
        $found = self::found($this->store, new TextQuery('whales'));
        self::assertSame(['7'], self::ids($found));
        self::assertSame('Whales', $found[0]->getMetadata()->getTitle());
        $nearest = self::found($this->store, new VectorQuery($this->vector), ['limit' => 1000]);
        self::assertNotContains('7', self::ids($nearest), 'it has no vector');
        self::assertContains('7', self::ids(self::found($this->store, new HybridQuery($this->vector, 'whales'))));
        $this->store->remove('7');
        self::assertSame([], self::found($this->store, new TextQuery('whales')));
    }

    /** Symfony AI's own fusion by ranks, of both kinds of query. */
    public function testRanksAreFusedAsByTheCombinedStore(): void
    {
        $combined = new CombinedStore($this->store, $this->store);
        foreach (['ship', 'ship crew', 'whale'] as $text) {
            $query = new HybridQuery($this->vector, $text);
            $expected = [];
            foreach (self::found($combined, $query, ['limit' => 100]) as $document) {
                $expected[$document->getId()] = $document->getScore() / 2;
            }
            $found = self::found($this->store, $query, ['limit' => 50]);
            self::assertCount(50, $found);
            foreach ($found as $at => $document) {
                self::assertEqualsWithDelta($expected[$document->getId()], $document->getScore(), 1e-12);
                self::assertEqualsWithDelta(\array_values($expected)[$at], $document->getScore(), 1e-12, 'none is left out');
            }
            self::assertSame(
                \array_slice(self::ids($found), 30, 10),
                self::ids(self::found($this->store, $query, ['limit' => 10, 'offset' => 30])),
            );
        }
        // And as by the index, which has the same order with equal ratios.
        $hits = Index::open($this->folder)->search('ship crew', limit: 50, nearest: ['_vector' => $this->vector->getData()]);
        $found = self::found($this->store, new HybridQuery($this->vector, 'ship crew'), ['limit' => 50]);
        self::assertSame($hits->ids(), self::ids($found));
    }

    public function testRatiosWeighRanks(): void
    {
        $words = self::ids(self::found($this->store, new TextQuery('ship crew'), ['limit' => 100]));
        $nearest = self::ids(self::found($this->store, new VectorQuery($this->vector), ['limit' => 100]));
        foreach ([0.0, 0.2, 0.7, 1.0] as $ratio) {
            $scores = [];
            foreach ([[$words, 1 - $ratio], [$nearest, $ratio]] as [$list, $weight]) {
                foreach ($weight > 0 ? $list : [] as $at => $id) {
                    $scores[$id] = ($scores[$id] ?? 0) + $weight / (61 + $at);
                }
            }
            \arsort($scores);
            $found = self::found($this->store, new HybridQuery($this->vector, 'ship crew', $ratio), ['limit' => 100]);
            self::assertCount(\min(100, \count($scores)), $found);
            foreach ($found as $at => $document) {
                self::assertEqualsWithDelta($scores[$document->getId()], $document->getScore(), 1e-12);
                self::assertEqualsWithDelta(\array_values($scores)[$at], $document->getScore(), 1e-12);
            }
            $minimum = $found[4]->getScore();
            $best = self::found($this->store, new HybridQuery($this->vector, 'ship crew', $ratio), ['minScore' => $minimum]);
            self::assertSame(\array_slice(self::ids($found), 0, \count($best)), self::ids($best));
            self::assertGreaterThanOrEqual(5, \count($best));
        }
        self::assertSame([], self::found($this->store, new HybridQuery($this->vector, 'whale', 0.0)), 'vectors do not count');
    }

    public function testScoresAreAddedUpIfWanted(): void
    {
        $scores = [];
        foreach (self::found($this->store, new VectorQuery($this->vector), ['limit' => 1000]) as $document) {
            $scores[$document->getId()] = 0.7 * $document->getScore();
        }
        foreach (self::found($this->store, new TextQuery(['ship', 'crew']), ['limit' => 1000]) as $document) {
            $scores[$document->getId()] += 0.3 * $document->getScore();
        }
        \arsort($scores);
        $options = ['fusion' => 'scores', 'limit' => 1000];
        $found = self::found($this->store, new HybridQuery($this->vector, ['ship', 'crew'], 0.7), $options);
        self::assertCount(300, $found);
        foreach ($found as $at => $document) {
            self::assertEqualsWithDelta($scores[$document->getId()], $document->getScore(), 1e-5);
            self::assertEqualsWithDelta(\array_values($scores)[$at], $document->getScore(), 1e-5);
        }
        foreach (['rrf', 'scores'] as $fusion) {
            self::assertSame(
                self::ids(self::found($this->store, new VectorQuery($this->vector), ['limit' => 20])),
                self::ids(self::found($this->store, new HybridQuery($this->vector, ''), ['limit' => 20, 'fusion' => $fusion])),
                'without words vectors decide',
            );
        }
    }

    public function testDocumentsAreReplacedAndSeenByOthers(): void
    {
        $other = new Store($this->folder, dimensions: 5, fields: self::FIELDS);
        self::assertCount(10, self::found($other, new VectorQuery($this->vector)));
        $this->store->add(new VectorDocument('d0', $this->vector, new Metadata(['lang' => 'it'])));
        $found = self::found($other, new VectorQuery($this->vector), ['limit' => 1]);
        self::assertSame(['d0'], self::ids($found));
        self::assertSame(['lang' => 'it'], $found[0]->getMetadata()->getArrayCopy());
        self::assertEqualsWithDelta(1, $found[0]->getScore(), 1e-6);
        $other->remove(['d0', 'd1', 'none']);
        self::assertCount(298, self::found($this->store, new VectorQuery($this->vector), ['limit' => 1000]));
        $other->clear();
        self::assertSame([], self::found($this->store, new VectorQuery($this->vector)));
    }

    public function testSetupKeepsWhatIsThereAndAddsFields(): void
    {
        $more = new Store($this->folder, dimensions: 5, fields: self::FIELDS + ['place' => ['keyword' => true]]);
        $more->setup();
        self::assertArrayHasKey('place', Index::open($this->folder)->fields());
        $more->add(new VectorDocument('x', $this->vector, new Metadata(['place' => 'Oslo'])));
        self::assertSame(['x'], self::ids(self::found($more, new VectorQuery($this->vector), ['filter' => ['place' => 'Oslo']])));
        self::assertCount(301, self::found($this->store, new VectorQuery($this->vector), ['limit' => 1000]));
    }

    public function testMetricsAreThoseOfTheIndex(): void
    {
        $this->store->drop();
        $this->store = new Store($this->folder, dimensions: 2, metric: 'euclidean');
        $this->store->add([new VectorDocument('near', new Vector([1.0, 2.0])), new VectorDocument('far', new Vector([4.0, 6.0]))]);
        $found = self::found($this->store, new VectorQuery(new Vector([1.0, 2.0])));
        self::assertSame(['near', 'far'], self::ids($found));
        self::assertEqualsWithDelta([1, 1 / 26], \array_map(static fn ($document) => $document->getScore(), $found), 1e-9);
    }

    public function testWordsAreStemmedAndArgumentsOfSearchesKept(): void
    {
        $this->store->drop();
        $this->store = new Store($this->folder, dimensions: 2, language: 'english', search: ['typos' => 'auto']);
        $metadata = new Metadata();
        $metadata->setText('Sailing ships');
        $this->store->add(new VectorDocument('a', new Vector([1.0, 0.0]), $metadata));
        self::assertSame(['a'], self::ids(self::found($this->store, new TextQuery('ship sailed'))));
        self::assertSame(['a'], self::ids(self::found($this->store, new TextQuery('shpis'))));
    }

    public function testARetrieverTakesTheStore(): void
    {
        $vectorizer = new class($this->vector) implements VectorizerInterface {
            public function __construct(private readonly Vector $vector)
            {
            }

            public function vectorize(
                string|\Stringable|EmbeddableDocumentInterface|array $values,
                array $options = [],
            ): Vector|VectorDocument|array {
                return $this->vector;
            }
        };
        $retriever = new Retriever($this->store, $vectorizer);
        $found = \iterator_to_array($retriever->retrieve('ship crew', ['semanticRatio' => 0.3, 'limit' => 4]), false);
        $expected = self::found($this->store, new HybridQuery($this->vector, ['ship', 'crew'], 0.3), ['limit' => 4]);
        self::assertCount(4, $found);
        self::assertEquals($expected, $found);
    }

    public function testWhatCannotBeIsRefused(): void
    {
        $query = new VectorQuery($this->vector);
        $vector = new Vector([1.0, 2.0]);
        $own = ['path' => $this->folder, 'dimensions' => 5, 'fields' => self::FIELDS];
        $other = static fn (mixed ...$arguments) => new Store(...[...$own, ...$arguments]);
        $refused = [
            'must have 5 numbers' => fn () => $this->store->query(new VectorQuery($vector)),
            'must have 5 numbers, 2 given' => fn () => $this->store->add([
                new VectorDocument('n', $this->vector),
                new VectorDocument('o', $vector),
            ]),
            'zeros' => fn () => $this->store->add(new VectorDocument('n', new Vector([0.0, 0.0, 0.0, 0.0, 0.0]))),
            'year' => fn () => $this->store->add(new VectorDocument('n', $this->vector, new Metadata(['year' => 'long ago']))),
            'UTF-8' => fn () => $this->store->add(new VectorDocument('n', $this->vector, new Metadata(['x' => "\xff"]))),
            'maxScore' => fn () => $this->store->query($query, ['maxScore' => 0.1]),
            'filter' => fn () => $this->store->query($query, ['filter' => static fn () => true]),
            'colour' => fn () => $this->store->query($query, ['filter' => ['colour' => 'red']]),
            'limit' => fn () => $this->store->query($query, ['limit' => -1]),
            '"offset"' => fn () => $this->store->query(new HybridQuery($this->vector, 'x'), ['offset' => -1]),
            'fusion' => fn () => $this->store->query(new HybridQuery($this->vector, 'x'), ['fusion' => 'sum']),
            'No supported options' => fn () => $this->store->setup(['x' => 1]),
            'No supported options.' => fn () => $this->store->remove('d0', ['x' => 1]),
            'dimensions' => fn () => $other(dimensions: 6)->setup(),
            'compared by cosine' => fn () => $other(metric: 'dot')->setup(),
            'created otherwise' => fn () => $other(fields: ['lang' => ['numeric' => true]] + self::FIELDS)->setup(),
            'analyzer' => fn () => $other(language: 'german')->setup(),
            'the store\'s own' => fn () => $other(fields: ['_vector' => []]),
        ];
        foreach ($refused as $why => $what) {
            try {
                $what();
                self::fail("$why is not refused");
            } catch (InvalidArgumentException $exception) {
                self::assertStringContainsString($why, $exception->getMessage());
            }
        }
        self::assertCount(300, self::found($this->store, $query, ['limit' => 1000]), 'nothing was added');
        self::assertFalse($this->store->supports(QueryInterface::class));
        $this->expectException(UnsupportedQueryTypeException::class);
        $this->store->query(new class implements QueryInterface {
        });
    }

    public function testAStoreThatIsNotSetUp(): void
    {
        $this->store->drop();
        $this->store->drop();
        $this->store->clear();
        $this->store->remove('d0');
        self::assertDirectoryDoesNotExist($this->folder);
        $this->expectException(RuntimeException::class);
        $this->store->query(new VectorQuery($this->vector));
    }
}
