<?php

declare(strict_types=1);

namespace Postings\Seal;

use CmsIg\Seal\Adapter\AdapterInterface;
use CmsIg\Seal\Adapter\IndexerInterface;
use CmsIg\Seal\Adapter\SchemaManagerInterface;
use CmsIg\Seal\Adapter\SearcherInterface;

/** SEAL's indexes as folders, which this process reads and writes itself. */
final class PostingsAdapter implements AdapterInterface
{
    private readonly SchemaManagerInterface $schemaManager;
    private readonly IndexerInterface $indexer;
    private readonly SearcherInterface $searcher;

    public function __construct(Folder $folder)
    {
        $this->schemaManager = new PostingsSchemaManager($folder);
        $this->indexer = new PostingsIndexer($folder);
        $this->searcher = new PostingsSearcher($folder);
    }

    public function getSchemaManager(): SchemaManagerInterface
    {
        return $this->schemaManager;
    }

    public function getIndexer(): IndexerInterface
    {
        return $this->indexer;
    }

    public function getSearcher(): SearcherInterface
    {
        return $this->searcher;
    }
}
