<?php

declare(strict_types=1);

namespace Postings\Seal\Tests;

use CmsIg\Seal\Testing\AbstractIndexerTestCase;
use Postings\Seal\PostingsAdapter;

final class PostingsIndexerTest extends AbstractIndexerTestCase
{
    public static function setUpBeforeClass(): void
    {
        self::$adapter = new PostingsAdapter(TestFolder::new());
        parent::setUpBeforeClass();
    }
}
