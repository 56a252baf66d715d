<?php

declare(strict_types=1);

namespace Postings\Seal;

use CmsIg\Seal\Adapter\SchemaManagerInterface;
use CmsIg\Seal\Schema\Index;
use CmsIg\Seal\Task\SyncTask;
use CmsIg\Seal\Task\TaskInterface;

final class PostingsSchemaManager implements SchemaManagerInterface
{
    public function __construct(private readonly Folder $folder)
    {
    }

    public function existIndex(Index $index): bool
    {
        return $this->folder->exists($index);
    }

    public function dropIndex(Index $index, array $options = []): ?TaskInterface
    {
        $this->folder->drop($index);

        return ($options['return_slow_promise_result'] ?? false) ? new SyncTask(null) : null;
    }

    /** Makes the index; one that exists gets the fields that are new. */
    public function createIndex(Index $index, array $options = []): ?TaskInterface
    {
        $this->folder->create($index);

        return ($options['return_slow_promise_result'] ?? false) ? new SyncTask(null) : null;
    }
}
