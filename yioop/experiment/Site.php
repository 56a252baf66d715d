<?php
/**
 * Part of Postings: the experiment with Yioop.
 *
 * Copyright (C) 2026 the authors of Postings
 *
 * This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public
 * License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later
 * version. It is distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY; without even the implied
 * warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the GNU General Public License for more
 * details: <https://www.gnu.org/licenses/>.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
namespace Postings\Experiment;

use seekquarry\yioop\configs as C;
use seekquarry\yioop\library as L;
use seekquarry\yioop\library\IndexArchiveBundle;
use seekquarry\yioop\library\IndexManager;
use seekquarry\yioop\library\IndexShard;
use seekquarry\yioop\library\index_bundle_iterators\IndexBundleIterator;
use seekquarry\yioop\library\index_bundle_iterators\WordIterator;

/**
 * A real Yioop, and an index of Debian's package descriptions built with it. It has a work directory of its own, and
 * writes nothing to the checkout.
 *
 * The shards are written by Yioop's IndexShard. Words are looked up in the shards' own dictionaries; see Dictionary.
 */
final class Site
{
    private string $index;
    /** @var array{counts: array<string, int>, texts: list<list<string>>} */
    public array $words;

    /** @param int $texts package descriptions that make up a document */
    public function __construct(
        string $checkout,
        private string $work,
        private int $documents,
        private int $perGeneration,
        private int $texts,
    ) {
        @mkdir("$work/cache", 0777, true);
        @mkdir("$work/app/library/index_bundle_iterators", 0777, true);
        foreach (glob(__DIR__ . '/../app/library/index_bundle_iterators/*.php') as $file) {
            copy($file, "$work/app/library/index_bundle_iterators/" . basename($file));
        }
        $_SERVER['NO_LOGGING'] = true;
        foreach (['PROFILE' => true, 'DEBUG_LEVEL' => 0, 'WORK_DIRECTORY' => $work, 'CRAWL_DIR' => $work,
            'MIN_QUERY_CACHE_TIME' => 1 << 30] as $name => $value) {
            define("seekquarry\\yioop\\configs\\$name", $value);
        }
        // Yioop of 2019 under PHP 8: deprecated features, and constants that are defined twice.
        set_error_handler(fn() => true);
        require "$checkout/src/configs/Config.php";
        require_once "$checkout/src/library/Utility.php";
        set_error_handler(fn(int $level) => in_array($level, [E_DEPRECATED, E_USER_DEPRECATED]));
        // Yioop's own iterator, under another name than the drop-in.
        $own = file_get_contents("$checkout/src/library/index_bundle_iterators/IntersectIterator.php");
        eval('?>' . str_replace('class IntersectIterator ', 'class OwnIntersectIterator ', $own));
        $this->index = (string) (1600000000 + 1000 * $texts + intdiv($documents, 1000));
        $this->build();
        IndexManager::getIndex($this->index)->dictionary =
            new Dictionary("$work/cache/IndexData$this->index/posting_doc_shards", $documents, $perGeneration);
    }

    public function name(): string
    {
        return 'Yioop';
    }

    /** @return list<list<string>> words of each description */
    private static function texts(): array
    {
        $texts = [];
        foreach (explode("\n\n", (string) shell_exec('apt-cache dumpavail')) as $record) {
            if (preg_match('/^Package: (\S+)/m', $record, $name) && preg_match('/^Description(?:-en)?: (.*)/m', $record, $text)) {
                preg_match_all('/[a-z0-9]+/', strtolower("$name[1] $text[1]"), $words);
                $texts[] = $words[0];
            }
        }
        if (count($texts) < 1000) {
            throw new \RuntimeException('no package descriptions: the experiment indexes those of apt-cache dumpavail');
        }
        return $texts;
    }

    private function build(): void
    {
        $folder = "$this->work/cache/IndexData$this->index";
        if (is_file("$folder/words.json")) {
            $this->words = json_decode(file_get_contents("$folder/words.json"), true);
            return;
        }
        fwrite(STDERR, "Yioop indexes $this->documents documents, $this->perGeneration a generation ...\n");
        exec('rm -rf ' . escapeshellarg($folder));
        mt_srand(1);
        $texts = self::texts();
        new IndexArchiveBundle($folder, false, serialize(['DESCRIPTION' => 'experiment']), $this->perGeneration);
        $counts = [];
        $samples = [];
        $shard = null;
        for ($d = 0; $d < $this->documents; $d++) {
            $words = $texts[$d % count($texts)];
            for ($i = 1; $i < $this->texts; $i++) {
                array_push($words, ...$texts[mt_rand(0, count($texts) - 1)]);
            }
            $positions = [];
            foreach ($words as $position => $word) {
                $positions["$word"][] = $position + 1;
            }
            foreach ($positions as $word => $_) {
                $counts[$word] = ($counts[$word] ?? 0) + 1;
            }
            if ($d % intdiv($this->documents, 3000) == 0) {
                $samples[] = $words;
            }
            $generation = intdiv($d, $this->perGeneration);
            $shard ??= new IndexShard("$folder/posting_doc_shards/index$generation", $generation, $this->perGeneration);
            $key = substr(md5("u$d", true), 0, 8) . substr(md5("h$d", true), 0, 8) . 'r' . substr(md5("s$d", true), 0, 7);
            $shard->addDocumentWords($key, $d, $positions, [], true);
            if ($shard->num_docs == $this->perGeneration || $d == $this->documents - 1) {
                $shard->save();
                $shard = null;
            }
        }
        file_put_contents("$folder/generation.txt", serialize(['ACTIVE' => $generation]));
        $this->words = ['counts' => $counts, 'texts' => $samples];
        file_put_contents("$folder/words.json", json_encode($this->words));
    }

    /** The posting lists of a word, one per generation. */
    public function lists(string $word): array
    {
        $lists = [];
        foreach (IndexManager::getWordInfo($this->index, L\crawlHashWord($word, true)) as [$generation, $first, $last]) {
            $index = IndexManager::getIndex($this->index);
            $index->setCurrentShard($generation, true);
            $lists[$generation] = $index->getCurrentShard()->getWordDocsSubstring($first, $last - $first + 4, false);
        }
        return $lists;
    }

    /** The places of the lists of words: [Shard, ranges] for each generation that has all of the words. */
    public function ranges(array $words): array
    {
        $ranges = [];
        foreach ($words as $word) {
            foreach (IndexManager::getWordInfo($this->index, L\crawlHashWord($word, true)) as [$generation, $first, $last]) {
                $ranges[$generation][] = [$first, $last];
            }
        }
        $found = [];
        foreach ($ranges as $generation => $pairs) {
            if (count($pairs) == count($words)) {
                $path = "$this->work/cache/IndexData$this->index/posting_doc_shards/index$generation";
                $found[] = [\Postings\Yioop\Shard::open($path), $pairs];
            }
        }
        return $found;
    }

    /** An intersect iterator, Yioop's own or the drop-in, over fresh word iterators. */
    public function query(array $words, bool $own): IndexBundleIterator
    {
        $iterators = array_map(fn($word) => new WordIterator(L\crawlHashWord($word, true), 0, $this->index, true), $words);
        $class = 'seekquarry\yioop\library\index_bundle_iterators\\' . ($own ? 'OwnIntersectIterator' : 'IntersectIterator');
        return new $class($iterators, array_keys($words));
    }

    /** Goes through the documents of an iterator, to the end or up to a limit, and returns their number. */
    public static function drain(IndexBundleIterator $iterator, int $most = PHP_INT_MAX): int
    {
        $documents = 0;
        while ($documents < $most && is_array($docs = $iterator->currentDocsWithWord())) {
            $documents += count($docs);
            $iterator->advance();
        }
        return $documents;
    }

    /* The single operations, with Yioop's own functions. */

    /**
     * Posting by posting, as Yioop goes through a list.
     *
     * @return list<int>
     */
    public function docIndexes(string $list): array
    {
        $docs = [];
        for ($offset = 0, $end = strlen($list); $offset < $end;) {
            $posting = L\nextPostString($list, $offset);
            $docs[] = L\docIndexModified9(L\unpackInt(substr($posting, 0, 4)) & 0x3FFFFFFF);
        }
        return $docs;
    }

    /**
     * All words unpacked at once, and Yioop's function called for those that begin a posting: faster than Yioop.
     *
     * @return list<int>
     */
    public function docIndexesTight(string $list): array
    {
        $docs = [];
        foreach (unpack('N*', $list) as $word) {
            // A word that begins a posting: the top two bits are 11, or 00 if it is the only word.
            if ($word >= 0xC0000000 || $word < 0x40000000) {
                $docs[] = L\docIndexModified9($word & 0x3FFFFFFF);
            }
        }
        return $docs;
    }

    /** @return list<array{int, list<int>}> */
    public function unpack(string $list): array
    {
        $postings = [];
        for ($offset = 0, $end = strlen($list); $offset < $end;) {
            $postings[] = L\unpackPosting($list, $offset);
        }
        return $postings;
    }

    /** @param list<array{int, list<int>}> $postings */
    public function pack(array $postings): string
    {
        $list = '';
        foreach ($postings as [$doc, $positions]) {
            $list .= L\packPosting($doc, $positions);
        }
        return $list;
    }
}
