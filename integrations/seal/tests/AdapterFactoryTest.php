<?php

declare(strict_types=1);

namespace Postings\Seal\Tests;

use CmsIg\Seal\Adapter\AdapterFactory;
use PHPUnit\Framework\TestCase;
use Postings\Seal\Folder;
use Postings\Seal\PostingsAdapter;
use Postings\Seal\PostingsAdapterFactory;

/** DSNs, as SEAL takes them apart. */
final class AdapterFactoryTest extends TestCase
{
    public static function dsns(): iterable
    {
        yield ['postings:///var/lib/search', new Folder('/var/lib/search')];
        yield ['postings://var/search', new Folder('var/search')];
        yield ['postings://var', new Folder('var')];
        yield ['postings:////srv/app/var/search', new Folder('//srv/app/var/search')];
        yield [
            'postings:///s?language=de&fold=0&typos=auto&prefix=1&wait=5',
            new Folder('/s', language: 'de', fold: false, typos: 'auto', prefix: true, wait: 5),
        ];
        yield ['postings://s?typos=2', new Folder('s', typos: 2)];
    }

    /** @dataProvider dsns */
    public function testFolderAndOptions(string $dsn, Folder $folder): void
    {
        $factory = new AdapterFactory(['postings' => new PostingsAdapterFactory()]);
        self::assertEquals($folder, PostingsAdapterFactory::folder($factory->parseDsn($dsn)));
        self::assertInstanceOf(PostingsAdapter::class, $factory->createAdapter($dsn));
    }

    public function testAnUnknownOptionIsNamed(): void
    {
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage('"stemmer"');
        (new AdapterFactory(['postings' => new PostingsAdapterFactory()]))->createAdapter('postings:///s?stemmer=de');
    }
}
