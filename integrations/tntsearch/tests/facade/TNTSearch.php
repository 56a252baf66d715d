<?php

declare(strict_types=1);

namespace TeamTNT\TNTSearch;

use Postings\Index;
use Postings\IndexException;
use TeamTNT\TNTSearch\Exceptions\IndexNotFoundException;

/** examples/tntsearch.php under TNTSearch's names, with what its tests ask besides searching. */
class TNTSearch
{
    public array $config = [];
    public string $path = '';
    private static ?string $storage = null;
    private \TNTSearch $example;

    public function __construct()
    {
        $this->example = new \TNTSearch();
    }

    /** Indexes are in a folder of their own: the checkout stays as it is. */
    public function loadConfig(array $config): void
    {
        if (self::$storage === null) {
            self::$storage = \sys_get_temp_dir() . '/postings-tntsearch-suite-' . \getmypid();
            \mkdir(self::$storage);
            \register_shutdown_function(static function (): void {
                \array_map(Index::drop(...), \glob(self::$storage . '/*'));
                \rmdir(self::$storage);
            });
        }
        $this->config = $config;
        $this->example->loadConfig(['storage' => self::$storage]);
    }

    public function createIndex(string $name, bool $disableOutput = false): Indexer\TNTIndexer
    {
        $indexer = new Indexer\TNTIndexer($this, $this->example, $name);
        $this->selectIndex($name);

        return $indexer;
    }

    public function selectIndex(string $name): void
    {
        try {
            $this->example->selectIndex($name);
        } catch (IndexException $e) {
            throw $e->getCode() === IndexException::MISSING ? new IndexNotFoundException($e->getMessage(), 1) : $e;
        }
        $this->path = self::$storage . "/$name";
    }

    public function getIndex(): Indexer\TNTIndexer
    {
        return new Indexer\TNTIndexer($this, $this->example);
    }

    public function fuzziness(bool $value): void
    {
        $this->example->fuzziness = $value;
    }

    public function asYouType(bool $value): void
    {
        $this->example->asYouType = $value;
    }

    /** These bound what TNTSearch looks at; all words within a distance are found here, exact ones first. */
    public function fuzzyNoLimit(bool $value): void
    {
    }

    public function setFuzzyPrefixLength(int $value): void
    {
    }

    public function setFuzzyMaxExpansions(int $value): void
    {
    }

    public function search(int|string $phrase, int $limit = 100): array
    {
        return $this->example->search((string) $phrase, $limit);
    }

    public function searchBoolean(string $phrase, int $limit = 100): array
    {
        return $this->example->searchBoolean(\str_replace('~', '-', $phrase), $limit);
    }

    public function totalDocumentsInCollection(): int
    {
        return \count(Index::open($this->path));
    }
}
