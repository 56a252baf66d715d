<?php

declare(strict_types=1);

namespace Postings\Seal\Tests;

use CmsIg\Seal\Testing\AbstractAdapterTestCase;
use Postings\Seal\PostingsAdapter;

final class PostingsAdapterTest extends AbstractAdapterTestCase
{
    public static function setUpBeforeClass(): void
    {
        self::$adapter = new PostingsAdapter(TestFolder::new());
        parent::setUpBeforeClass();
    }
}
