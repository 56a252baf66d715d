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
use Postings\Shards\Undecided;

require_once __DIR__ . '/Clock.php';

/** Four shards with two replicas each, beside one index of all documents. */
final class ShardedIndexTest extends TestCase
{
    private const SHARDS = 4;
    private const FIELDS = [
        'title' => ['stored' => true, 'weight' => 2], 'body' => [], 'tag' => ['keyword' => true], 'seller' => ['keyword' => true],
        'price' => ['numeric' => true], 'meaning' => ['vector' => 5, 'clusters' => true], 'look' => ['vector' => 3, 'metric' => 'euclidean'],
        'expansion' => ['weights' => true],
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
        // Few values, so that many are equally similar; and some documents have none.
        $vector = fn (int $count) => mt_rand(0, 9) === 0 ? null : array_map(fn () => mt_rand(-2, 2) + 0.5, range(1, $count));
        $documents = [];
        for ($id = 0; $id < 600; ++$id) {
            $documents[ShardedIndex::shardOf($id, self::SHARDS)][$id] = [
                'title' => $text(3), 'body' => $text(mt_rand(3, 40)), 'tag' => 't' . mt_rand(0, 5), 'seller' => 's' . mt_rand(0, 150), 'price' => mt_rand(0, 30),
                'meaning' => $vector(5), 'look' => $vector(3),
                'expansion' => ['boat' => $id % 7 / 4, 'water' => $id % 11 / 3, 42 => $id % 3],
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
        Clock::go();
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

    public function testTermsWithWeightsAreFoundAsInOneIndex(): void
    {
        $index = $this->connect();
        $weighted = ['expansion' => ['water' => 1.5, 42 => 0.25, 'nowhere' => 3]];
        foreach (['', 'red sea', 'sail*'] as $query) {
            foreach ([[], ['matching' => 'any', 'filter' => ['tag' => 't1'], 'total' => true, 'facets' => ['tag']], ['offset' => 7, 'limit' => 30]] as $given) {
                $wanted = $this->one->search($query, ...$given, weighted: $weighted);
                self::assertNotCount(0, $wanted);
                self::assertSame(self::values($wanted), self::values($index->search($query, ...$given, weighted: $weighted)));
                $batch = $index->searchBatch(['a' => ['query' => $query, 'weighted' => $weighted], 'b' => 'sea'], ...$given);
                self::assertSame(self::values($wanted), self::values($batch['a']));
                self::assertSame(self::values($this->one->search('sea', ...$given)), self::values($batch['b']));
            }
            $fused = ['nearest' => ['look' => [0.5, 1.5, -0.5]], 'weighted' => $weighted];
            self::assertSame(self::values($this->one->search($query, ...$fused)), self::values($index->search($query, ...$fused)));
            self::assertSame($this->one->count($query, weighted: $weighted), $index->count($query, weighted: $weighted));
        }
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

    public function testFindsTheNearestThatOneIndexFinds(): void
    {
        $index = $this->connect();
        $pages = [[], ['limit' => 40, 'offset' => 13], ['limit' => 150, 'offset' => 5], ['limit' => 0], ['filter' => ['tag' => ['t1', 't2'], Filter::above('price', 4)]]];
        $vectors = ['meaning' => ['a' => [1, 2, -1, 0.5, 0], 'b' => pack('g*', -1, -1, 0, 1, 1)], 'look' => [7 => [0.5, -1.5, 0.5], 3 => [0, 0, 0]]];
        foreach ($pages as $given) {
            foreach ($vectors as $field => $several) {
                $wanted = array_map(self::values(...), $this->one->nearestBatch($field, $several, ...$given));
                self::assertSame($wanted, array_map(self::values(...), $index->nearestBatch($field, $several, ...$given)));
                foreach ($several as $key => $vector) {
                    self::assertSame($wanted[$key], self::values($index->nearest($field, $vector, ...$given)));
                }
            }
        }
        self::assertSame(self::values($this->one->nearest('look', [1, 1, 1], 7, 2)), self::values($index->nearest('look', [1, 1, 1], 7, 2)));
        self::assertSame([], $index->nearestBatch('look', []));
        // Segments are too small for clusters, so nothing is missing.
        $wanted = self::values($this->one->nearest('meaning', $vectors['meaning']['a'], 30));
        self::assertSame($wanted, self::values($index->nearest('meaning', $vectors['meaning']['a'], 30, probes: 1)));
        self::assertSame($wanted, self::values($index->nearestBatch('meaning', $vectors['meaning'], 30, 0, [], null, 2)['a']));
        // A shard is asked for two at a time.
        $several = ['a' => [1, 2, 3], [0, 0, 0], [1, -1, 1], 'b' => [2, 2, 0], [0.5, 0.5, 0.5]];
        $this->transport->requests = [];
        $wanted = array_map(self::values(...), $this->one->nearestBatch('look', $several, 400_000));
        self::assertSame($wanted, array_map(self::values(...), $index->nearestBatch('look', $several, 400_000)));
        self::assertGreaterThanOrEqual(3 * self::SHARDS, array_sum($this->transport->requests));
    }

    public function testFusesAsOneIndexDoes(): void
    {
        $options = [
            [], ['matching' => 'any', 'limit' => 50, 'offset' => 7, 'total' => true], ['matching' => 'all-then-any', 'limit' => 120], ['typos' => 1, 'prefix' => true],
            ['filter' => ['tag' => ['t1', 't2']], 'facets' => ['tag', 'seller' => 3], 'total' => true], ['limit' => 0, 'total' => true],
        ];
        $nearest = ['look' => [0.5, 1.5, -0.5], 'meaning' => [1, 2, -1, 0.5, 0]];
        $index = $this->connect();
        foreach ($options as $given) {
            foreach (['sail', 'red shoe', '"red shoes"', 'sail* rope', '-red', '', 'nothing'] as $query) {
                foreach ([[], ['fusion' => 'rrf'], ['fusion' => ['text' => 1, 'look' => 2.5, 'meaning' => 0.5]], ['fusion' => ['look' => 1]]] as $fusion) {
                    $all = [...$given, ...$fusion, 'nearest' => $nearest];
                    $wanted = self::values($this->one->search($query, ...$all));
                    self::assertSame($wanted, self::values($index->search($query, ...$all)), json_encode([$query, $all]));
                    $batch = $index->searchBatch(['both' => ['query' => $query, 'nearest' => $nearest], 'words' => 'sail'], ...$given, ...$fusion);
                    self::assertSame($wanted, self::values($batch['both']), json_encode([$query, $all]));
                    self::assertSame(self::values($this->one->search('sail', ...$given)), self::values($batch['words']));
                }
            }
        }
        // A commit meanwhile, with a vector that is the nearest.
        $this->writers[2]->add('new', ['title' => 'sail', 'look' => [9, 9, 9]]);
        $this->writers[2]->commit();
        $this->writers[2]->snapshot("$this->folder/2-english-copy");
        self::assertSame(['new'], $index->search('', 1, nearest: ['look' => [9, 9, 9]])->ids());
        self::assertSame(['new'], $index->search('sail', 1, nearest: ['look' => [9, 9, 9]], fusion: ['text' => 0.001, 'look' => 1])->ids());
        self::assertSame(['new'], $index->nearest('look', [9, 9, 9], 1)->ids());
    }

    public function testWhatIsMissingOfTheNearestIsSaid(): void
    {
        $index = $this->connect();
        $this->transport->instead = ['http://1/a' => fn () => new Reply(0, 'gone'), 'http://1/b' => fn () => new Reply(0, 'gone')];
        $vector = [0.5, 1.5, -0.5];
        $calls = [
            fn () => $index->nearest('look', $vector, 500), fn () => $index->nearestBatch('look', [$vector], 500)[0], fn () => $index->search('sail', 500, nearest: ['look' => $vector]),
        ];
        foreach ($calls as $number => $call) {
            try {
                $call();
                self::fail('nothing was thrown');
            } catch (ShardMissing $error) {
                self::assertSame(['shard-1'], array_keys($error->missing));
                $partial = $error->partial();
                $ids = ($number === 1 ? $partial[0] : $partial)->ids();
                self::assertNotSame([], $ids);
                self::assertSame([], array_filter($ids, fn (int $id) => ShardedIndex::shardOf($id, self::SHARDS) === 1));
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
        Clock::stop();
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

    public function testOneReplicaOfAnotherSchemaOrVersionIsReplaced(): void
    {
        IndexWriter::open("$this->folder/other", ['title' => []])->commit();
        $other = Leaf::open("$this->folder/other");
        $wanted = self::values($this->one->search('red', total: true));
        $this->transport->leaves['http://3/a'] = $other;
        $version = function (string $body) use ($other): Reply {
            $body[4] = "\x09";
            return new Reply(200, $other->handle($body));
        };
        $this->transport->instead['http://2/b'] = $version;
        // Which replica tells the schema is by chance: it must not be the one that has another, here.
        $this->transport->delays['http://3/a'] = 0.05;
        $index = $this->connect();
        for ($i = 0; $i < 10; ++$i) {
            self::assertSame($wanted, self::values($index->search('red', total: true)));
        }
        $this->transport->instead['http://2/a'] = $version;
        try {
            $index->search('red sail');
            self::fail('nothing was thrown');
        } catch (LeafException $error) {
            self::assertSame(LeafException::VERSION, $error->getCode());
        }
    }

    public function testAReplicaThatIsBehindReplacesOneThatIsGone(): void
    {
        $this->writers[1]->add(5001, ['title' => 'sail', 'body' => 'new']);
        $this->writers[1]->commit();
        unset($this->transport->leaves['http://1/b']);
        $index = $this->connect();
        $new = $index->search('sail', limit: 1000, total: true);
        self::assertContains(5001, $new->ids());
        $behind = Leaf::open("$this->folder/1-english-copy");
        // Gone, then silent.
        foreach ([null, 10.0] as $delay) {
            $this->transport->leaves['http://1/b'] = $behind;
            if ($delay === null) {
                $this->transport->instead['http://1/a'] = fn () => new Reply(0, 'connection refused');
            } else {
                unset($this->transport->instead['http://1/a']);
                $this->transport->delays['http://1/a'] = $delay;
            }
            self::assertSame($new->total - 1, $index->search('sail', limit: 1000, total: true)->total);
            $this->transport->delays = $this->transport->instead = [];
            unset($this->transport->leaves['http://1/b']);
            self::assertSame($new->total, $this->eventually(fn () => $index->search('sail', limit: 1000, total: true))->total);
        }
    }

    /** What does not throw ShardMissing after a while: who was silent is left alone for a time. */
    private function eventually(\Closure $call): mixed
    {
        for ($until = microtime(true) + 20.0;;) {
            try {
                return $call();
            } catch (ShardMissing $error) {
                self::assertLessThan($until, microtime(true), $error->getMessage());
            }
        }
    }

    public function testTheThirdReplicaIsAskedWhenTwoAreSilent(): void
    {
        $this->transport->leaves['http://0/c'] = Leaf::open("$this->folder/0-english-copy");
        $this->transport->delays = ['http://0/a' => 30.0, 'http://0/b' => 30.0];
        foreach ([true, false] as $hedge) {
            $index = ShardedIndex::connect(['shard-0' => ['http://0/a', 'http://0/b', 'http://0/c']], timeout: 1.0, hedge: $hedge, transport: $this->transport);
            foreach (['sail', 'red', 'rope', 'blue sea'] as $query) {
                self::assertGreaterThan(0, count($index->search($query)));
            }
            // They are left alone meanwhile.
            self::assertLessThanOrEqual(6, $index->requests()['hedges']);
        }
    }

    public function testTheSchemaIsToldByAnyShard(): void
    {
        $this->transport->delays = ['http://0/a' => 30.0, 'http://0/b' => 30.0];
        $calls = [
            fn (ShardedIndex $index) => $index->search('sail', limit: 1000)->ids(), fn (ShardedIndex $index) => $index->count('sail'),
            fn (ShardedIndex $index) => $index->suggest('sa'), fn (ShardedIndex $index) => $index->facets('tag', 'sail'), fn (ShardedIndex $index) => $index->stored(999),
        ];
        foreach ($calls as $call) {
            try {
                $call($this->connect(timeout: 0.5));
                self::fail('nothing was thrown');
            } catch (ShardMissing $error) {
                self::assertSame(['shard-0'], array_keys($error->missing));
                $error->partial();
            }
        }
        // None is left.
        $this->transport->leaves = $this->transport->delays = [];
        foreach ($calls as $call) {
            try {
                $call($this->connect());
                self::fail('nothing was thrown');
            } catch (ShardMissing $error) {
                self::assertCount(self::SHARDS, $error->missing);
                try {
                    $error->partial();
                    self::fail('nothing was thrown');
                } catch (ShardMissing $again) {
                    self::assertSame($error->missing, $again->missing);
                }
            }
        }
    }

    public function testSilenceOfAllIsNotAskedTwice(): void
    {
        Clock::stop();
        $index = $this->connect(timeout: 0.8, hedge: false);
        $index->search('sail');
        $this->transport->requests = [];
        // All take longer than a quarter of the time, and answer.
        $this->transport->delays = array_fill_keys(array_keys($this->transport->leaves), 0.3);
        for ($i = 0; $i < 10; ++$i) {
            self::assertSame(10, count($index->search('sail')));
        }
        // One in ten, one a second, and those that were saved up.
        self::assertLessThanOrEqual(40 + 4 + 6 + 4, array_sum($this->transport->requests));
    }

    public function testSlowReplicasDoNotUseUpWhatSilentOnesNeed(): void
    {
        Clock::stop();
        $index = $this->connect(timeout: 1.0);
        for ($i = 0; $i < 200; ++$i) {
            // All replicas become slower and slower.
            $this->transport->delays = array_fill_keys(array_keys($this->transport->leaves), 0.0005 * (1 + $i / 20));
            $index->search('sail');
        }
        self::assertGreaterThan(0, $index->requests()['hedges']);
        // A machine with a replica of each shard falls silent.
        $this->transport->delays = ['http://0/a' => 30.0, 'http://1/a' => 30.0, 'http://2/a' => 30.0, 'http://3/a' => 30.0];
        for ($i = 0; $i < 8; ++$i) {
            self::assertSame(10, count($index->search('sail')));
        }
    }

    public function testATransportThatWaitsIsNotAskedTwice(): void
    {
        $this->transport->waits = true;
        $this->transport->delays = array_fill_keys(array_keys($this->transport->leaves), 0.02);
        $index = $this->connect(timeout: 1.0);
        for ($i = 0; $i < 3; ++$i) {
            self::assertSame(10, count($index->search('sail')));
        }
        self::assertSame(['hedges' => 0, 'retries' => 0], $index->requests());
        // No time is left for the last ones.
        $begun = microtime(true);
        $this->transport->delays = array_fill_keys(array_keys($this->transport->leaves), 0.15);
        try {
            $this->connect(timeout: 0.2)->search('sail');
            self::fail('nothing was thrown');
        } catch (ShardMissing) {
            self::assertLessThan(1.2, microtime(true) - $begun);
        }
    }

    public function testBatchesOfManyValuesAreAskedInParts(): void
    {
        $index = $this->connect();
        $queries = array_map(fn (int $number) => ['sail', 'red', 'sea'][$number % 3], range(0, 99));
        foreach ([['seller' => 3], ['seller' => 20_000, 'tag' => 1]] as $facets) {
            $wanted = $this->one->searchBatch($queries, limit: 2, facets: $facets);
            self::assertSame(array_map(self::values(...), $wanted), array_map(self::values(...), $index->searchBatch($queries, limit: 2, facets: $facets)));
        }
    }

    public function testWhatCannotBeToldIsAnException(): void
    {
        // Each of 70,000 words is in one document; one more is in a document of each shard, behind all others.
        foreach ([0, 1] as $shard) {
            $writer = IndexWriter::open("$this->folder/many-$shard", ['body' => [], 'tag' => ['keyword' => true]]);
            $words = array_map(fn (int $number) => sprintf('a%06d', $number + 100_000 * $shard), range(1, 70_000));
            $writer->add($shard, ['body' => implode(' ', $words) . ' azz', 'tag' => [...$words, 'azz']]);
            $writer->commit();
            $this->transport->leaves["http://many-$shard"] = Leaf::open("$this->folder/many-$shard");
        }
        $index = ShardedIndex::connect(['http://many-0', 'http://many-1'], timeout: 30.0, transport: $this->transport);
        foreach ([fn () => $index->suggest('a', 2), fn () => $index->facets('tag', limit: 2)] as $call) {
            try {
                $call();
                self::fail('nothing was thrown');
            } catch (Undecided $error) {
                self::assertStringContainsString('65536', $error->getMessage());
            }
        }
        // Those that the order of bytes decides.
        self::assertSame(['a000001' => 1, 'a000002' => 1], $index->suggest('a0', 2));
        self::assertSame(['azz' => 2], $index->suggest('az', 2));
        foreach ([-1, PHP_INT_MIN] as $limit) {
            try {
                $index->suggest('a', $limit);
                self::fail('nothing was thrown');
            } catch (\ValueError) {
            }
        }
        self::assertCount(600, $this->connect()->search('', limit: PHP_INT_MAX, offset: 0));
        self::assertCount(599, $this->connect()->search('', limit: PHP_INT_MAX, offset: 1));
        self::assertSame($this->one->suggest('s', PHP_INT_MAX), $this->connect()->suggest('s', PHP_INT_MAX));
    }

    public function testWrongArgumentsAreThoseOfTheIndex(): void
    {
        $index = $this->connect();
        foreach ([['sort' => ['body' => 'asc']], ['nothing' => 1], ['limit' => -1], ['limit' => -1, 'offset' => 5], ['after' => [1.0, 2]]] as $options) {
            try {
                $index->search('sail', ...$options);
                self::fail('nothing was thrown');
            } catch (\Error) {
                self::assertTrue(true);
            }
        }
        try {
            $index->search('sail', 5, limit: 3);
            self::fail('nothing was thrown');
        } catch (\Error $error) {
            self::assertStringContainsString('overwrites', $error->getMessage());
        }
        $calls = [
            'too short' => fn () => $index->nearest('look', [1, 2]), 'not finite' => fn () => $index->nearest('look', [1, 2, NAN]), 'no vectors' => fn () => $index->nearest('title', [1]),
            'no field' => fn () => $index->nearestBatch('nothing', [[1]]), 'negative' => fn () => $index->nearest('look', [1, 2, 3], -1),
            'unknown' => fn () => $index->nearest('look', [1, 2, 3], sort: []), 'zeros' => fn () => $index->nearest('meaning', [0, 0, 0, 0, 0]),
            'sorted' => fn () => $index->search('sail', nearest: ['look' => [1, 2, 3]], sort: ['price' => 'asc']),
            'fusion' => fn () => $index->search('sail', nearest: ['look' => [1, 2, 3]], fusion: 'sum'),
            'no vector' => fn () => $index->search('sail', nearest: ['look' => [1, 2, 3]], fusion: ['look' => 1, 'meaning' => 1]),
            'no array' => fn () => $index->search('sail', nearest: 'look'), 'no vectors of a query' => fn () => $index->searchBatch([['query' => 'sail', 'nearest' => 'look']]),
            'in a batch' => fn () => $index->searchBatch(['sail'], nearest: ['look' => [1, 2, 3]]), 'counted' => fn () => $index->count('sail', nearest: ['look' => [1, 2, 3]]),
            'facets' => fn () => $index->facets('tag', 'sail', nearest: ['look' => [1, 2, 3]]),
        ];
        foreach ($calls as $name => $call) {
            try {
                $call();
                self::fail("$name: nothing was thrown");
            } catch (\Error|LeafException $error) {
                self::assertNotSame('', $error->getMessage());
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
