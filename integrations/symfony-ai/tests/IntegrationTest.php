<?php

declare(strict_types=1);

namespace Postings\SymfonyAi\Tests;

use Postings\SymfonyAi\Store;
use Symfony\AI\Store\StoreInterface;
use Symfony\AI\Store\Test\AbstractStoreIntegrationTestCase;

/** Symfony AI's own tests of a store. */
final class IntegrationTest extends AbstractStoreIntegrationTestCase
{
    private static string $folder;

    protected static function createStore(): StoreInterface
    {
        self::$folder = \sys_get_temp_dir() . '/postings-ai-' . \bin2hex(\random_bytes(8));

        return new Store(self::$folder, dimensions: 3);
    }

    public static function tearDownAfterClass(): void
    {
        self::assertDirectoryDoesNotExist(self::$folder);
    }
}
