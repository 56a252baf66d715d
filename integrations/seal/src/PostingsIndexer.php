<?php

declare(strict_types=1);

namespace Postings\Seal;

use CmsIg\Seal\Adapter\IndexerInterface;
use CmsIg\Seal\Marshaller\FlattenMarshaller;
use CmsIg\Seal\Schema\Index;
use CmsIg\Seal\Task\SyncTask;
use CmsIg\Seal\Task\TaskInterface;

/** Every call is a commit, so what is saved is found and durable when it returns; bulk() is one for all its documents. */
final class PostingsIndexer implements IndexerInterface
{
    private readonly FlattenMarshaller $marshaller;

    public function __construct(private readonly Folder $folder)
    {
        $this->marshaller = new FlattenMarshaller(
            dateAsInteger: true,
            sourceField: Folder::SOURCE,
            geoPointFieldConfig: ['latitude' => 'lat', 'longitude' => 'lng'],
        );
    }

    public function save(Index $index, array $document, array $options = []): ?TaskInterface
    {
        $this->bulk($index, [$document], []);

        return ($options['return_slow_promise_result'] ?? false) ? new SyncTask($document) : null;
    }

    public function delete(Index $index, string $identifier, array $options = []): ?TaskInterface
    {
        return $this->bulk($index, [], [$identifier], options: $options);
    }

    public function bulk(
        Index $index,
        iterable $saveDocuments,
        iterable $deleteDocumentIdentifiers,
        int $bulkSize = 100,
        array $options = [],
    ): ?TaskInterface {
        $writer = $this->folder->writer($index);
        $identifier = $index->getIdentifierField()->name;
        $fields = Folder::fields($index);
        foreach ($saveDocuments as $document) {
            $values = \array_intersect_key($this->values($index, $document), $fields);
            $writer->add((string) $document[$identifier], $values);
        }
        foreach ($deleteDocumentIdentifiers as $id) {
            $writer->delete($id);
        }
        $writer->commit();
        $writer->close();

        return ($options['return_slow_promise_result'] ?? false) ? new SyncTask(null) : null;
    }

    /**
     * @param array<string, mixed> $document
     * @return array<string, mixed> by the names of fields, of which the index may lack some
     */
    private function values(Index $index, array $document): array
    {
        $marshalled = $this->marshaller->marshall($index->fields, $document);
        $values = [Folder::SOURCE => $marshalled[Folder::SOURCE]];
        foreach ([...$index->searchableFields, ...$index->filterableFields, ...$index->sortableFields] as $path) {
            $value = $marshalled[$path] ?? null;
            if ($value === null || $path === $index->getIdentifierField()->name) {
                continue;
            }
            if (\is_array($value) && \array_is_list($value)) {
                $value = \array_values(\array_filter($value, static fn (mixed $part) => $part !== null));
            }
            $values += [$path => $value];
        }

        return $values;
    }
}
