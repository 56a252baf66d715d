<?php

declare(strict_types=1);

namespace TeamTNT\TNTSearch\Indexer;

use Postings\Index;
use TeamTNT\TNTSearch\Stemmer\PorterStemmer;
use TeamTNT\TNTSearch\TNTSearch;

/** What TNTSearch's tests do with an index: rows of a database go into examples/tntsearch.php. */
class TNTIndexer
{
    public $disableOutput = true;
    private string $query = '';
    private string $key = 'id';
    private bool $keyIsSearched = false;
    private ?string $language;

    public function __construct(
        private readonly TNTSearch $tnt,
        private readonly \TNTSearch $example,
        private readonly ?string $name = null,
    ) {
        $this->language = ($tnt->config['stemmer'] ?? null) === PorterStemmer::class ? 'english' : null;
        if ($name !== null) {
            $example->createIndex($name, [], $this->language);
        }
    }

    public function disableOutput(bool $value): void
    {
    }

    public function query(string $query): void
    {
        $this->query = $query;
    }

    public function includePrimaryKey(): void
    {
        $this->keyIsSearched = true;
    }

    public function setPrimaryKey(string $key): void
    {
        $this->key = $key;
    }

    public function setLanguage(string $language): void
    {
        $this->language = $language;
    }

    public function run(): void
    {
        $rows = (new \PDO("sqlite:{$this->tnt->config['database']}"))->query($this->query, \PDO::FETCH_ASSOC);
        $this->example->createIndex($this->name, (function () use ($rows): iterable {
            foreach ($rows as $row) {
                yield $this->row($row);
            }
        })(), $this->language);
        $this->tnt->selectIndex($this->name);
    }

    public function insert(array $row): void
    {
        $this->example->insert($this->row($row));
    }

    public function update(int|string $id, array $row): void
    {
        $this->example->update(self::id($id), \array_diff_key($this->row($row), ['id' => 0]));
    }

    public function delete(int|string $id): void
    {
        $this->example->delete(self::id($id));
    }

    public function countWordInWordList(string $word): int
    {
        return Index::open($this->tnt->path)->occurrences($this->term($word), 'text');
    }

    public function countDocHitsInWordList(string $word): int
    {
        $term = $this->term($word);

        return Index::open($this->tnt->path)->terms($term, 'text')[$term] ?? 0;
    }

    /** TNTSearch counts terms: 'titl', but also 'Othello'. */
    private function term(string $word): string
    {
        return \mb_strtolower($word);
    }

    private function row(array $row): array
    {
        $id = $row[$this->key];
        unset($row[$this->key]);

        return ['id' => self::id($id)] + $row + ($this->keyIsSearched ? ['key' => $id] : []);
    }

    /** In a database '11' and 11 are one row. */
    private static function id(int|string $id): int|string
    {
        return \is_string($id) && \ctype_digit($id) ? (int) $id : $id;
    }
}
