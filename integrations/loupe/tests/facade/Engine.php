<?php

declare(strict_types=1);

namespace Loupe\Loupe\Internal;

use Loupe\Loupe\BrowseParameters;
use Loupe\Loupe\BrowseResult;
use Loupe\Loupe\Configuration;
use Loupe\Loupe\SearchParameters;
use Loupe\Loupe\SearchResult;
use Postings\Filter;
use Postings\Index;
use Postings\IndexWriter;
use Postings\Loupe\Tests\Facade\Hits;
use Postings\Loupe\Tests\Facade\Schema;
use Postings\Loupe\Tests\Facade\Search;

/**
 * In place of Loupe's engine, one that is a Postings index, so that Loupe's own tests ask Postings. The classes around
 * it (Loupe, Configuration, SearchParameters, SearchResult, the parser of filters, types of values, the formatter of
 * texts) are Loupe's.
 *
 * The folder has the index and a file with what Loupe knows besides: the types of attributes, and the configuration
 * that the index was made with.
 */
class Engine
{
    private Schema $schema;
    private ?string $hash = null;

    public function __construct(private readonly Configuration $configuration, private readonly string $path)
    {
        \is_dir($path) || \mkdir($path, recursive: true);
        $state = \is_file("$path/state.json") ? \json_decode(\file_get_contents("$path/state.json"), true) : [];
        $this->schema = new Schema($configuration, ...$state['schema'] ?? []);
        $this->hash = $state['hash'] ?? null;
    }

    /** @param list<array<string, mixed>> $documents */
    public function addDocuments(array $documents): void
    {
        if ($documents === []) {
            return;
        }
        if ($this->needsReindex()) {
            $stored = $this->all();
            $this->deleteIndex();
            $this->schema = new Schema($this->configuration);
            $documents = [...$stored, ...$documents];
        }
        foreach ($documents as $document) {
            $this->schema->accept($document);
        }
        $writer = IndexWriter::open("$this->path/index", ...$this->creation($documents), wait: 5000);
        foreach ($documents as $document) {
            $writer->add($this->schema->id($document), $this->schema->document($document));
        }
        $writer->commit();
        $this->hash = $this->configuration->getIndexHash();
        $this->save();
    }

    public function browse(BrowseParameters $parameters): BrowseResult
    {
        $index = $this->index();
        if ($index === null) {
            return BrowseResult::createEmptyFromBrowseParameters($parameters);
        }

        return (new Search($index, $this->schema, $this))->answer($parameters, BrowseResult::class, \PHP_INT_MAX);
    }

    public function search(SearchParameters $parameters): SearchResult
    {
        $index = $this->index();
        if ($index === null) {
            return SearchResult::createEmptyFromSearchParameters($parameters);
        }

        $search = new Search($index, $this->schema, $this);

        return $search->answer($parameters, SearchResult::class, $this->configuration->getMaxTotalHits());
    }

    public function countDocuments(): int
    {
        return \count($this->index() ?? []);
    }

    public function deleteAllDocuments(): void
    {
        $this->change(static fn (IndexWriter $writer) => $writer->clear());
    }

    /** @param array<int|string> $ids */
    public function deleteDocuments(array $ids): void
    {
        $this->change(static function (IndexWriter $writer) use ($ids): void {
            foreach ($ids as $id) {
                $writer->delete((string) $id);
            }
        });
    }

    public function getConfiguration(): Configuration
    {
        return $this->configuration;
    }

    /** @return array<string, mixed>|null */
    public function getDocument(int|string $identifier): ?array
    {
        $hit = $this->index()?->search('', 1, filter: [Filter::ids((string) $identifier)])[0] ?? null;

        return $hit === null ? null : Hits::displayed($hit, $this->configuration);
    }

    public function needsReindex(): bool
    {
        return $this->hash !== null && $this->hash !== $this->configuration->getIndexHash();
    }

    public function size(): int
    {
        return $this->index() === null ? 0 : \array_sum(\array_map('filesize', \glob("$this->path/index/*")));
    }

    private function index(): ?Index
    {
        return Index::exists("$this->path/index") ? Index::open("$this->path/index") : null;
    }

    /** @return list<array<string, mixed>> */
    private function all(): array
    {
        $index = $this->index();
        $documents = [];
        foreach ($index?->search('', \max(1, \count($index)), sort: []) ?? [] as $hit) {
            $documents[] = Hits::document($hit);
        }

        return $documents;
    }

    private function deleteIndex(): void
    {
        Index::drop("$this->path/index");
        $this->hash = null;
    }

    /** The fields for open(): those of the index, new ones after them. The analyzer is of the first documents. */
    private function creation(array $documents): array
    {
        $fields = $this->schema->fields();
        $index = $this->index();
        if ($index === null) {
            return ['fields' => $fields, 'analyzer' => $this->schema->analyzer($documents)];
        }

        return ['fields' => $index->fields() + $fields, 'analyzer' => $index->analyzer()];
    }

    private function change(callable $change): void
    {
        if ($this->index() !== null) {
            $writer = IndexWriter::open("$this->path/index", wait: 5000);
            $change($writer);
            $writer->commit();
        }
    }

    private function save(): void
    {
        $state = ['hash' => $this->hash, 'schema' => $this->schema->state()];
        \file_put_contents("$this->path/state.json", \json_encode($state));
    }
}
