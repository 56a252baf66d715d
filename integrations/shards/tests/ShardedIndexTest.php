<?php

declare(strict_types=1);

namespace Postings\Shards\Tests;

use PHPUnit\Framework\TestCase;
use Postings\Analyzer;
use Postings\Filter;
use Postings\Hits;
use Postings\Index;
use Postings\IndexWriter;
use Postings\Leaf;
use Postings\LeafException;
use Postings\Shards\Reply;
use Postings\Shards\ShardedIndex;
use Postings\Shards\ShardMissing;

/** Four shards with two replicas each, beside one index of all documents. */
final class ShardedIndexTest extends TestCase
{
    private const SHARDS = 4;
    private const FIELDS = [
        'title' => ['stored' => true, 'weight' => 2], 'body' => [], 'tag' => ['keyword' => true], 'seller' => ['keyword' => true],
        'price' => ['numeric' => true],
    ];

    private string $folder;
    private Index $one;
    private FakeTransport $transport;
    /** @var array<int, IndexWriter> */
    private array $writers = [];

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/postings-shards-' . getmypid() . '-' . random_int(0, PHP_INT_MAX);
        $this->index('english');
    }

    /** Makes them; documents are in the same order in the one index, shard by shard. */
    private function index(?string $language): void
    {
        mt_srand(7);
        $this->writers = [];
        $this->remove();
        mkdir($this->folder);
        $name = fn (int|string $part) => "$this->folder/$part-" . ($language ?? 'plain');
        $open = fn (int|string $part) => IndexWriter::open($name($part), self::FIELDS, new Analyzer($language));
        $words = ['sail', 'sailing', 'sailed', 'shoe', 'shoes', 'red', 'reddish', 'blue', 'network', 'networks', 'sea', 'the', 'of', 'rope', 'ropes'];
        $text = fn (int $count) => implode(' ', array_map(fn () => $words[(int) (count($words) * (mt_rand() / mt_getrandmax()) ** 2 * 0.999)], range(1, $count)));
        $documents = [];
        for ($id = 0; $id < 600; ++$id) {
            $documents[ShardedIndex::shardOf($id, self::SHARDS)][$id] = [
                'title' => $text(3), 'body' => $text(mt_rand(3, 40)), 'tag' => 't' . mt_rand(0, 5), 'seller' => 's' . mt_rand(0, 150), 'price' => mt_rand(0, 30),
            ];
        }
        ksort($documents);
        $one = $open('one');
        $leaves = [];
        foreach ($documents as $shard => $of) {
            $writer = $this->writers[$shard] = $open($shard);
            foreach ($of as $id => $document) {
                $writer->add($id, $document);
                $one->add($id, $document);
            }
            $writer->commit();
            Index::open($name($shard))->snapshot($name($shard) . '-copy');
            $leaves["http://$shard/a"] = Leaf::open($name($shard));
            $leaves["http://$shard/b"] = Leaf::open($name($shard) . '-copy');
        }
        $one->commit();
        $this->one = Index::open($name('one'));
        $this->transport = new FakeTransport($leaves);
    }

    protected function tearDown(): void
    {
        $this->writers = [];
        $this->remove();
    }

    private function remove(): void
    {
        if (!is_dir($this->folder)) {
            return;
        }
        $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($this->folder, \FilesystemIterator::SKIP_DOTS), \RecursiveIteratorIterator::CHILD_FIRST);
        foreach ($files as $file) {
            $file->isDir() ? rmdir((string) $file) : unlink((string) $file);
        }
        rmdir($this->folder);
    }

    private function connect(mixed ...$options): ShardedIndex
    {
        $shards = [];
        foreach (range(0, self::SHARDS - 1) as $shard) {
            $shards["shard-$shard"] = ["http://$shard/a", "http://$shard/b"];
        }
        return ShardedIndex::connect($shards, ...['transport' => $this->transport, ...$options]);
    }

    /** @return array<mixed> */
    private static function values(Hits $hits): array
    {
        return [$hits->total, $hits->facets, $hits->expired, array_map(fn ($hit) => [$hit->id, $hit->score, $hit->fields, $hit->distance], iterator_to_array($hits))];
    }

    public function testFindsWhatOneIndexFinds(): void
    {
        $queries = ['sail', 'red shoe', 'the sea', '"red shoes"', 'sail* rope', 'netwrk~', 'title:blue -red', '', 'nothing'];
        $options = [
            [], ['matching' => 'any', 'limit' => 50, 'offset' => 7, 'total' => true], ['typos' => 1, 'prefix' => true], ['sort' => ['price' => 'desc', ':score' => 'desc']],
            ['filter' => ['tag' => ['t1', 't2'], Filter::above('price', 4)], 'matching' => 'any'], ['facets' => ['tag', 'price'], 'matching' => 'any'],
            ['facets' => ['seller' => 3, 'tag' => 2]], ['distinct' => 'tag', 'matching' => 'any'], ['matching' => 'all-then-any'], ['synonyms' => ['red' => 'blue']],
        ];
        foreach (['english', null] as $language) {
            $this->index($language);
            $index = $this->connect();
            foreach ($options as $given) {
                foreach ($queries as $query) {
                    self::assertSame(
                        self::values($this->one->search($query, ...$given)), self::values($index->search($query, ...$given)), json_encode([$language, $query, $given]),
                    );
                }
            }
        }
    }

    public function testCountsFacetsSuggestionsAndStoredFields(): void
    {
        $index = $this->connect();
        self::assertSame(600, $index->documents());
        self::assertSame($this->one->count('sail red', matching: 'any'), $index->count('sail red', matching: 'any'));
        foreach ([1, 3, 10, 200] as $limit) {
            self::assertSame($this->one->facets('seller', 'sail', limit: $limit), $index->facets('seller', 'sail', limit: $limit));
        }
        self::assertSame($this->one->suggest('s'), $index->suggest('s'));
        self::assertSame($this->one->suggest('re', 1), $index->suggest('re', 1));
        self::assertSame([], $index->suggest('s', 0));
        self::assertSame($this->one->stored(17), $index->stored(17));
        self::assertNull($index->stored(999));
        $batch = $index->searchBatch(['x' => 'sail', 5 => 'red']);
        self::assertSame(['x', 5], array_keys($batch));
        self::assertSame(array_column(iterator_to_array($this->one->search('red')), 'score'), array_column(iterator_to_array($batch[5]), 'score'));
        self::assertSame([], $index->searchBatch([]));
        // Null, the default, given by name.
        self::assertSame(self::values($this->one->search('sail')), self::values($index->search('sail', statistics: null)));
        try {
            $index->search('sail', statistics: $this->one->statistics('sail'));
            self::fail('nothing was thrown');
        } catch (\ValueError $error) {
            self::assertStringContainsString('those of all shards', $error->getMessage());
        }
        // By place, as the methods of the index take them.
        self::assertSame(self::values($this->one->search('sail', 3, 2, 'any', ['tag' => 't1'])), self::values($index->search('sail', 3, 2, 'any', ['tag' => 't1'])));
        self::assertSame($this->one->count('sail red', 'any', ['tag' => 't1']), $index->count('sail red', 'any', ['tag' => 't1']));
        self::assertSame($this->one->facets('tag', 'sail red', 'any', ['price' => 3], 2), $index->facets('tag', 'sail red', 'any', ['price' => 3], 2));
    }

    public function testWordsAreAskedOncePerCommit(): void
    {
        $index = $this->connect();
        $index->search('sail');
        $cold = array_sum($this->transport->requests);
        $index->search('sail');
        self::assertSame(self::SHARDS, array_sum($this->transport->requests) - $cold);
        // A new commit on one replica, then on both.
        $document = ['title' => 'sail sail sail', 'body' => 'new'];
        $this->writers[2]->add(5000, $document);
        $this->writers[2]->commit();
        $one = IndexWriter::open("$this->folder/one-english");
        $one->add(5000, $document);
        $one->commit();
        $this->one->reload();
        Index::open("$this->folder/2-english")->snapshot("$this->folder/2-english-copy");
        $scores = fn (Hits $hits) => array_column(iterator_to_array($hits), 'score', 'id');
        $found = $scores($index->search('sail', limit: 1000));
        self::assertArrayHasKey(5000, $found);
        self::assertEquals($scores($this->one->search('sail', limit: 1000)), $found);
    }

    public function testACacheKeepsWordsFromRequestToRequest(): void
    {
        $cache = new FakeCache();
        $wanted = self::values($this->connect(cache: $cache)->search('sail', total: true));
        $this->transport->requests = [];
        self::assertSame($wanted, self::values($this->connect(cache: $cache)->search('sail', total: true)));
        self::assertSame(self::SHARDS, array_sum($this->transport->requests));
        // What another version has put there is not used, nor what is of an old commit.
        $cache->values = array_map(fn ($value) => is_array($value) ? [$value[0], 'PSTA?'] : 'PRES?', $cache->values);
        self::assertSame($wanted, self::values($this->connect(cache: $cache)->search('sail', total: true)));
        $this->writers[0]->add(5002, ['title' => 'sail']);
        $this->writers[0]->commit();
        Index::open("$this->folder/0-english")->snapshot("$this->folder/0-english-copy");
        self::assertSame($wanted[0] + 1, $this->connect(cache: $cache)->search('sail', total: true)->total);
        // A new schema: the first call says so, the next one has it.
        foreach (range(0, self::SHARDS - 1) as $shard) {
            IndexWriter::open("$this->folder/new-$shard", ['title' => []])->commit();
            $this->transport->leaves["http://$shard/a"] = $this->transport->leaves["http://$shard/b"] = Leaf::open("$this->folder/new-$shard");
        }
        try {
            $this->connect(cache: $cache)->search('sail');
            self::fail('nothing was thrown');
        } catch (LeafException $error) {
            self::assertSame(LeafException::SCHEMA, $error->getCode());
        }
        self::assertSame(0, $this->connect(cache: $cache)->search('sail', total: true)->total);
    }

    public function testAReplicaThatLagsIsNotMixedWithAnother(): void
    {
        $this->writers[1]->add(5001, ['title' => 'sail', 'body' => 'new']);
        $this->writers[1]->commit();
        $index = $this->connect(hedge: false);
        // Replicas are asked in turn: each answer is of one commit, whichever it is.
        $totals = [];
        for ($i = 0; $i < 20; ++$i) {
            $hits = $index->search('sail', limit: 1000, total: true);
            self::assertSame(count($hits), $hits->total);
            $totals[$hits->total] = true;
        }
        $old = $this->one->count('sail');
        self::assertSame([], array_diff(array_keys($totals), [$old, $old + 1]));
    }

    public function testAFailedReplicaIsReplaced(): void
    {
        $index = $this->connect();
        $wanted = self::values($index->search('red shoe', total: true));
        unset($this->transport->leaves['http://0/a'], $this->transport->leaves['http://3/b']);
        $this->transport->instead['http://1/a'] = fn () => new Reply(502, '<html>Bad Gateway</html>');
        $this->transport->instead['http://2/a'] = fn () => new Reply(200, '<html>It works!</html>');
        for ($i = 0; $i < 10; ++$i) {
            self::assertSame($wanted, self::values($index->search('red shoe', total: true)));
        }
        // They are left alone for a while.
        self::assertLessThan(6, $this->transport->requests['http://0/a']);
        self::assertGreaterThan(0, $index->requests()['retries']);
    }

    public function testAMissingShardIsAnExceptionThatHasTheRest(): void
    {
        unset($this->transport->leaves['http://2/a'], $this->transport->leaves['http://2/b']);
        $index = $this->connect();
        try {
            $index->search('sail', limit: 1000, total: true);
            self::fail('nothing was thrown');
        } catch (ShardMissing $error) {
            self::assertSame(['shard-2'], array_keys($error->missing));
            self::assertStringContainsString('shard-2: http://2/', $error->getMessage());
            $partial = $error->partial();
        }
        $others = array_filter($this->one->search('sail', limit: 1000)->ids(), fn (int $id) => ShardedIndex::shardOf($id, self::SHARDS) !== 2);
        self::assertSame(count($others), $partial->total);
        self::assertEqualsCanonicalizing(array_values($others), $partial->ids());
        $all = [fn () => $index->count('sail'), fn () => $index->suggest('sa'), fn () => $index->stored(999), fn () => $index->facets('tag')];
        foreach ($all as $call) {
            try {
                $call();
                self::fail('nothing was thrown');
            } catch (ShardMissing $error) {
                self::assertSame(['shard-2'], array_keys($error->missing));
                $error->partial();
            }
        }
        $this->transport->leaves = [];
        $this->expectException(ShardMissing::class);
        $this->connect()->search('sail');
    }

    public function testASlowReplicaIsOvertaken(): void
    {
        $index = $this->connect(keep: 1000.0);
        for ($i = 0; $i < 40; ++$i) {
            $index->search('sail');
        }
        $this->transport->delays = array_fill_keys(['http://0/a', 'http://1/a', 'http://2/a', 'http://3/a'], 0.3);
        // Replicas are asked in turn: of two searches, one asks a slow one of each shard first.
        foreach ([1, 2] as $_) {
            $begun = microtime(true);
            $found = $index->search('sail');
            self::assertLessThan(0.2, microtime(true) - $begun);
            self::assertSame(10, count($found));
        }
        self::assertGreaterThan(0, $index->requests()['hedges']);
        self::assertGreaterThan(0, $this->transport->cancelled);
    }

    public function testSecondRequestsAreFew(): void
    {
        $index = $this->connect();
        $index->search('sail');
        for ($i = 0; $i < 200; ++$i) {
            // All replicas become slower and slower.
            $this->transport->delays = array_fill_keys(array_keys($this->transport->leaves), 0.0005 * (1 + $i / 20));
            $index->search('sail');
        }
        self::assertLessThanOrEqual(1 + 201 * self::SHARDS / 10 + 10, $index->requests()['hedges']);
    }

    public function testTheDeadlineHolds(): void
    {
        $index = $this->connect(timeout: 0.1);
        $this->transport->delays = ['http://1/a' => 5.0, 'http://1/b' => 5.0];
        $begun = microtime(true);
        try {
            $index->search('sail');
            self::fail('nothing was thrown');
        } catch (ShardMissing $error) {
            self::assertSame(['shard-1' => 'the deadline has passed'], $error->missing);
        }
        self::assertLessThan(1.0, microtime(true) - $begun);
    }

    public function testALeafOfAnotherSchemaIsRefused(): void
    {
        $writer = IndexWriter::open("$this->folder/other", ['title' => []]);
        $writer->commit();
        $index = $this->connect();
        $index->search('sail');
        $this->transport->leaves['http://3/a'] = $this->transport->leaves['http://3/b'] = Leaf::open("$this->folder/other");
        $this->expectException(LeafException::class);
        $this->expectExceptionMessage('schema and analyzer');
        $index->search('sail red');
    }

    public function testWrongArgumentsAreThoseOfTheIndex(): void
    {
        $index = $this->connect();
        foreach ([['sort' => ['body' => 'asc']], ['nothing' => 1], ['limit' => -1], ['after' => [1.0, 2]]] as $options) {
            try {
                $index->search('sail', ...$options);
                self::fail('nothing was thrown');
            } catch (\Error) {
                self::assertTrue(true);
            }
        }
        $this->expectException(\ValueError::class);
        ShardedIndex::connect([]);
    }

    public function testSuggestionsAreThoseOfAllWords(): void
    {
        // Words that are rare everywhere, and in other numbers in each shard: the most frequent of all are not those of a shard.
        $one = IndexWriter::open("$this->folder/words", self::FIELDS, new Analyzer(null));
        foreach ($this->writers as $shard => $_) {
            $writer = IndexWriter::open("$this->folder/words-$shard", self::FIELDS, new Analyzer(null));
            for ($id = 0; $id < 400; ++$id) {
                $document = ['body' => implode(' ', array_map(fn () => 'x' . mt_rand(0, 150) * mt_rand(0, 3 + $shard), range(1, 12)))];
                $writer->add(10_000 * $shard + $id, $document);
                $one->add(10_000 * $shard + $id, $document);
            }
            $writer->commit();
            $this->transport->leaves["http://$shard/a"] = $this->transport->leaves["http://$shard/b"] = Leaf::open("$this->folder/words-$shard");
        }
        $one->commit();
        $wanted = Index::open("$this->folder/words");
        $index = $this->connect();
        foreach ([1, 3, 8, 20, 100, 1000] as $limit) {
            self::assertSame($wanted->suggest('x', $limit), $index->suggest('x', $limit));
            self::assertSame($wanted->suggest('x1', $limit), $index->suggest('x1', $limit));
        }
    }

    public function testDocumentsGoToTheSameShardEverywhere(): void
    {
        self::assertSame([3, 2, 2, 1], array_map(fn ($id) => ShardedIndex::shardOf($id, 4), ['a', 7, '7', 'ü']));
    }
}
