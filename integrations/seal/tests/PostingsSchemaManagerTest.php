<?php

declare(strict_types=1);

namespace Postings\Seal\Tests;

use CmsIg\Seal\Testing\AbstractSchemaManagerTestCase;
use Postings\Seal\PostingsAdapter;

final class PostingsSchemaManagerTest extends AbstractSchemaManagerTestCase
{
    public static function setUpBeforeClass(): void
    {
        self::$schemaManager = (new PostingsAdapter(TestFolder::new()))->getSchemaManager();
        parent::setUpBeforeClass();
    }
}
