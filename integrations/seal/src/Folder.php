<?php

declare(strict_types=1);

namespace Postings\Seal;

use CmsIg\Seal\Schema\Index as Schema;
use Postings\Analyzer;
use Postings\Index;
use Postings\IndexWriter;

/** A folder with an index of Postings for each of SEAL's, in a folder of its name. */
final class Folder
{
    /** The field with the document as it came. SEAL's names begin with a letter. */
    public const SOURCE = '_source';

    /** @var array<string, Index> */
    private array $open = [];

    /**
     * @param ?string $language whose words are stemmed: 'english', 'de' …; null: words are searched as they are
     * @param bool $fold whether é and e are the same
     * @param int|string $typos as Index::search() takes it: 0, 1, 2 or 'auto'
     * @param bool $prefix whether the last word that was typed may be the beginning of one
     * @param int $wait milliseconds to wait for another process that writes in the index
     */
    public function __construct(
        private readonly string $path,
        private readonly ?string $language = null,
        private readonly bool $fold = true,
        public readonly int|string $typos = 0,
        public readonly bool $prefix = false,
        private readonly int $wait = 10000,
    ) {
        if ('' === $path) {
            throw new \InvalidArgumentException('A postings:// DSN names a folder, as postings:///var/lib/search does.');
        }
    }

    public function exists(Schema $schema): bool
    {
        return Index::exists($this->path($schema));
    }

    public function create(Schema $schema): void
    {
        $this->writer($schema)->commit();
    }

    public function drop(Schema $schema): void
    {
        unset($this->open[$schema->name]);
        if ($this->exists($schema)) {
            Index::drop($this->path($schema));
        }
    }

    /** The index as of its last commit, by whichever process. */
    public function index(Schema $schema): Index
    {
        $index = $this->open[$schema->name] ??= Index::open($this->path($schema));
        $index->reload();

        return $index;
    }

    /** A writer, which makes the index, or adds fields that are new in SEAL's schema. */
    public function writer(Schema $schema): IndexWriter
    {
        return IndexWriter::open(
            $this->path($schema),
            fields: self::fields($schema),
            analyzer: new Analyzer($this->language, fold: $this->fold, parts: true),
            wait: $this->wait,
        );
    }

    /** @return array<string, array<string, int|bool>> what IndexWriter::open() is told */
    public static function fields(Schema $schema): array
    {
        $fields = [self::SOURCE => ['stored' => true, 'indexed' => false]];
        $identifier = $schema->getIdentifierField()->name;
        foreach (\array_diff($schema->searchableFields, [$identifier]) as $path) {
            $fields[$path] = ['weight' => 1];
        }
        foreach (\array_diff([...$schema->filterableFields, ...$schema->sortableFields], [$identifier]) as $path) {
            $fields[$path] = [...$fields[$path] ?? [], Values::kind($schema->getFieldByPath($path)) => true];
        }

        return $fields;
    }

    private function path(Schema $schema): string
    {
        return \rtrim($this->path, '/') . '/' . $schema->name;
    }
}
