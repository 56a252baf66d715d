<?php

/**
 * For those who come from TNTSearch: its methods on Postings, in one class to copy and to shorten. Ids come back best first,
 * as there.
 *
 *     php -d extension=modules/postings.so examples/tntsearch.php
 */

declare(strict_types=1);

use Postings\{Analyzer, Index, IndexWriter};

final class TNTSearch
{
    /** Whether search() forgives typing errors, and whether its last word may be the beginning of one. */
    public bool $fuzziness = false;
    public bool $asYouType = false;

    private string $storage = '';
    private string $path = '';
    private ?Index $index = null;

    /** @param array{storage: string} $config the folder that has the indexes */
    public function loadConfig(array $config): void
    {
        $this->storage = rtrim($config['storage'], '/');
    }

    /** Makes an index, in place of one of that name, of rows with an `id`. */
    public function createIndex(string $name, iterable $rows, ?string $language = null): void
    {
        if (Index::exists("$this->storage/$name")) {
            Index::drop("$this->storage/$name");
        }
        $writer = IndexWriter::open("$this->storage/$name", ['text' => []], new Analyzer($language));
        foreach ($rows as $row) {
            $writer->add($row['id'], self::text($row));
        }
        $writer->commit();
    }

    public function selectIndex(string $name): void
    {
        $this->path = "$this->storage/$name";
        $this->index = Index::open($this->path);
    }

    public function insert(array $row): void
    {
        $this->change(fn (IndexWriter $writer) => $writer->add($row['id'], self::text($row)));
    }

    public function update(int|string $id, array $row): void
    {
        $this->insert(['id' => $id] + $row);
    }

    public function delete(int|string $id): void
    {
        $this->change(fn (IndexWriter $writer) => $writer->delete($id));
    }

    /** Documents with any of the words; those with more and rarer ones come first. */
    public function search(string $phrase, int $limit = 100): array
    {
        return $this->answer($phrase, $limit, 'any', $this->fuzziness ? 'auto' : 0, $this->asYouType);
    }

    /** `a b`: both; `a or b`: one of them; `-a`: not that. */
    public function searchBoolean(string $phrase, int $limit = 100): array
    {
        $all = ['ids' => [], 'hits' => 0, 'docScores' => [], 'execution_time' => 0.0];
        foreach (preg_split('/\s+or\s+/i', $phrase) as $alternative) {
            $found = $this->answer($alternative, $limit, 'all');
            $all['ids'] = array_slice(array_unique([...$all['ids'], ...$found['ids']]), 0, $limit);
            $all['docScores'] += $found['docScores'];
            $all['execution_time'] += $found['execution_time'];
        }
        return ['hits' => count($all['ids'])] + $all;
    }

    private function answer(string $phrase, int $limit, string $matching, int|string $typos = 0, bool $prefix = false): array
    {
        $began = hrtime(true);
        $hits = $this->index->search($phrase, $limit, matching: $matching, total: true, typos: $typos, prefix: $prefix);
        $scores = array_column(iterator_to_array($hits), 'score', 'id');
        return ['ids' => $hits->ids(), 'hits' => $hits->total, 'docScores' => $scores, 'execution_time' => (hrtime(true) - $began) / 1e6];
    }

    private function change(callable $change): void
    {
        $writer = IndexWriter::open($this->path, wait: 5000);
        $change($writer);
        $writer->commit();
        $this->index->reload();
    }

    private static function text(array $row): string
    {
        return implode(' ', array_diff_key($row, ['id' => true]));
    }
}

$storage = sys_get_temp_dir() . '/postings-tntsearch-' . getmypid();
mkdir($storage);
$tnt = new TNTSearch();
$tnt->loadConfig(['storage' => $storage]);
$tnt->createIndex('plays', [
    ['id' => 1, 'title' => 'Romeo and Juliet', 'text' => 'Two households, both alike in dignity'],
    ['id' => 2, 'title' => 'Hamlet', 'text' => 'To be, or not to be'],
    ['id' => 3, 'title' => 'Antony and Cleopatra', 'text' => 'Juliet is in another play'],
]);
$tnt->selectIndex('plays');
$show = static fn (string $what, array $found) => printf("%-28s %s\n", $what, json_encode($found['ids']));

$show('romeo juliet', $tnt->search('romeo juliet'));
$show('boolean: juliet -romeo', $tnt->searchBoolean('juliet -romeo'));
$show('boolean: hamlet or romeo', $tnt->searchBoolean('hamlet or romeo'));
$tnt->fuzziness = true;
$show('fuzzy: cleopatre', $tnt->search('cleopatre'));
$tnt->fuzziness = false;
$tnt->asYouType = true;
$show('as you type: cleo', $tnt->search('cleo'));
$tnt->delete(3);
$tnt->insert(['id' => 4, 'title' => 'Macbeth', 'text' => 'When shall we three meet again']);
$show('after changes: three juliet', $tnt->search('three juliet'));

Index::drop("$storage/plays");
rmdir($storage);

/* Prints:
romeo juliet                 [1,3]
boolean: juliet -romeo       [3]
boolean: hamlet or romeo     [2,1]
fuzzy: cleopatre             [3]
as you type: cleo            [3]
after changes: three juliet  [4,1]
*/
