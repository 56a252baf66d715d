<?php

declare(strict_types=1);

namespace Postings\Seal\Tests;

use CmsIg\Seal\Testing\AbstractSearcherTestCase;
use Postings\Seal\PostingsAdapter;

final class PostingsSearcherTest extends AbstractSearcherTestCase
{
    public static function setUpBeforeClass(): void
    {
        self::$adapter = new PostingsAdapter(TestFolder::new());
        parent::setUpBeforeClass();
    }
}
