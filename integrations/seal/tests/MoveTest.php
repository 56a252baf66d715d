<?php

declare(strict_types=1);

namespace Postings\Seal\Tests;

use CmsIg\Seal\Adapter\AdapterInterface;
use CmsIg\Seal\Adapter\Memory\MemoryAdapter;
use CmsIg\Seal\Adapter\Multi\MultiAdapter;
use CmsIg\Seal\Adapter\ReadWrite\ReadWriteAdapter;
use CmsIg\Seal\Engine;
use CmsIg\Seal\Reindex\ReindexConfig;
use CmsIg\Seal\Reindex\ReindexProviderInterface;
use CmsIg\Seal\Search\Condition;
use CmsIg\Seal\Testing\TestingHelper;
use PHPUnit\Framework\TestCase;
use Postings\Seal\PostingsAdapter;

/** An application moves from Postings to another engine (here SEAL's in memory), and back, while it goes on. */
final class MoveTest extends TestCase
{
    public function testBothAreWrittenAndEitherIsRead(): void
    {
        $schema = TestingHelper::createSchema();
        $postings = new PostingsAdapter(TestFolder::new());
        $other = new MemoryAdapter();
        $reading = static fn (AdapterInterface $one): Engine => new Engine(
            new ReadWriteAdapter($one, new MultiAdapter([$postings, $other])),
            $schema,
        );
        $wait = ['return_slow_promise_result' => true];
        $from = $reading($postings);
        $from->createSchema($wait)->wait();
        try {
            $documents = TestingHelper::createComplexFixtures();
            $from->bulk(TestingHelper::INDEX_COMPLEX, $documents, [], options: $wait)->wait();
            $from->deleteDocument(TestingHelper::INDEX_COMPLEX, $documents[3]['uuid'], $wait)->wait();
            foreach ([$from, $reading($other)] as $engine) {
                $found = $engine->createSearchBuilder(TestingHelper::INDEX_COMPLEX)
                    ->addFilter(new Condition\EqualCondition('tags', 'Tech'))
                    ->addSortBy('created', 'desc')
                    ->getResult();
                self::assertSame([$documents[2], $documents[0]], [...$found]);
                self::assertSame(2, $found->total());
                self::assertSame(3, $engine->createSearchBuilder(TestingHelper::INDEX_COMPLEX)->getResult()->total());
            }
        } finally {
            $from->dropSchema($wait)->wait();
        }
    }

    /** MultiAdapter cannot reindex: it gives the second adapter the generator that the first one has used up. */
    public function testTheNewOneIsFilledAlone(): void
    {
        $schema = TestingHelper::createSchema();
        $postings = new PostingsAdapter(TestFolder::new());
        $other = new MemoryAdapter();
        $both = new Engine(new ReadWriteAdapter($postings, new MultiAdapter([$postings, $other])), $schema);
        $alone = new Engine($other, $schema);
        $wait = ['return_slow_promise_result' => true];
        $index = TestingHelper::INDEX_COMPLEX;
        $documents = TestingHelper::createComplexFixtures();
        (new Engine($postings, $schema))->createSchema($wait)->wait();
        try {
            (new Engine($postings, $schema))->bulk($index, $documents, [], options: $wait)->wait();
            $alone->createSchema($wait)->wait();
            $both->saveDocument($index, [...$documents[0], 'title' => 'Changed'], $wait)->wait();
            $provider = new class() implements ReindexProviderInterface {
                public function total(): int|null
                {
                    return null;
                }

                public function provide(ReindexConfig $reindexConfig): \Generator
                {
                    yield from \array_slice(TestingHelper::createComplexFixtures(), 1);
                }

                public static function getIndex(): string
                {
                    return TestingHelper::INDEX_COMPLEX;
                }
            };
            $alone->reindex([$provider], ReindexConfig::create()->withIndex($index));
            foreach ([$both, $alone] as $engine) {
                self::assertSame(\count($documents), $engine->createSearchBuilder($index)->getResult()->total());
                self::assertSame('Changed', $engine->getDocument($index, $documents[0]['uuid'])['title']);
            }
        } finally {
            $both->dropSchema($wait)->wait();
        }
    }
}
