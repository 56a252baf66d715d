<?php
/**
 * Part of Postings: runs Yioop's conjunctive queries natively.
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
namespace seekquarry\yioop\library\index_bundle_iterators;

use Postings\Yioop\Conjunction;
use Postings\Yioop\Shard;
use seekquarry\yioop\configs as C;
use seekquarry\yioop\library\IndexManager;

/**
 * Iterates over the documents that are in all of its iterators, one document per block, scored by the relevance of the
 * words and their proximity.
 *
 * If all iterators are word iterators of one index, their posting lists are intersected natively: those of the first
 * generation in one call, those of the next two in a second, of the next four in a third and so on, because a page of
 * results may need no more. Documents are scored natively on request, a few at a time. The word iterators are then only
 * asked where their lists are; they do not move. If an iterator is of another kind, or a word is in the feed shard, the
 * iterators themselves are moved, one document after the other, until native work is possible.
 */
class PostingsIntersectIterator extends IndexBundleIterator
{
    /**
     * Seconds after which an iterator with its timer on stops looking for the next document
     */
    const SYNC_TIMEOUT = 3;
    /**
     * Documents scored in the first native call of a query, and in each later one
     */
    const FIRST_HITS = 16;
    const MORE_HITS = 256;
    /** @var array iterators to intersect */
    public $index_bundle_iterators;
    /** @var int number of iterators */
    public $num_iterators;
    /** @var array index of a word in the query => index of its iterator */
    public $word_iterator_map;
    /** @var int number of words in the query */
    public $num_words;
    /** @var array|null one array per quoted phrase: index of a word => positions that it takes, or any key => "*" */
    public $quote_positions;
    /** @var float factor for all scores */
    public $weight;
    /** @var bool whether looking for a document may time out */
    public $sync_timer_on;
    /** @var int time at which looking for documents began; 0 before that */
    public $sync_time;
    /** @var int documents that the iterator with the fewest has gone through in its current generation (an estimate) */
    public $seen_docs_unfiltered;
    /** @var int index of the iterator with the fewest documents */
    public $least_num_doc_index;
    /** @var int number of documents in that iterator */
    public $total_num_docs;
    /** @var bool whether native work is possible at all */
    protected $native;
    /** @var Conjunction|null native cursor over some of the generations known so far */
    protected $cursor;
    /** @var array numbers of the generations of the cursor */
    protected $generations;
    /** @var array the generations after those: generation => [[first offset, last offset], ...] */
    protected $pending;
    /** @var array|null [generation, offset into its document map]: documents before it are not wanted */
    protected $from;
    /** @var int|null generation up to which all lists were known when the cursor was made; null if all were known */
    protected $known_until;
    /** @var array documents that the cursor returned and that were not asked for yet */
    protected $hits;
    /** @var int index of the current one */
    protected $hit;
    /** @var array|null place of the last document from the cursor that the iterator has passed */
    protected $behind;

    /**
     * @param array $index_bundle_iterators iterators to intersect
     * @param array $word_iterator_map index of a word in the query => index of its iterator
     * @param array|null $quote_positions one array per quoted phrase: index of a word => positions that it takes, or
     *     any key => "*" for any number of other words
     * @param float $weight factor for all scores
     */
    public function __construct($index_bundle_iterators, $word_iterator_map, $quote_positions = null, $weight = 1)
    {
        $this->index_bundle_iterators = array_values($index_bundle_iterators);
        $this->num_iterators = count($index_bundle_iterators);
        $this->word_iterator_map = $word_iterator_map;
        $this->num_words = count($word_iterator_map);
        $this->quote_positions = $quote_positions;
        $this->weight = $weight;
        $this->results_per_block = 1;
        $this->sync_timer_on = false;
        $this->sync_time = 0;
        $this->current_block_fresh = false;
        $this->count_block = 0;
        $this->least_num_doc_index = 0;
        $fewest = null;
        foreach ($this->index_bundle_iterators as $i => $iterator) {
            if ($fewest === null || $iterator->num_docs < $fewest) {
                $fewest = $iterator->num_docs;
                $this->least_num_doc_index = $i;
            }
        }
        $this->num_docs = $fewest ?? 0;
        $this->total_num_docs = $this->num_docs;
        foreach ($this->index_bundle_iterators as $iterator) {
            $iterator->setResultsPerBlock(1);
        }
        $this->begin();
    }
    /**
     * Returns to the first document
     */
    public function reset()
    {
        foreach ($this->index_bundle_iterators as $iterator) {
            $iterator->setResultsPerBlock(1);
            $iterator->reset();
        }
        $this->current_block_fresh = false;
        $this->begin();
    }
    /**
     * Forgets what was found so far
     */
    protected function begin()
    {
        $this->seen_docs = 0;
        $this->seen_docs_unfiltered = 0;
        $this->native = $this->canBeNative();
        $this->cursor = null;
        $this->generations = [];
        $this->pending = [];
        $this->from = null;
        $this->known_until = -1;
        $this->hits = [];
        $this->hit = 0;
        $this->behind = null;
    }
    /**
     * Finds the current block of documents: one document
     *
     * @return array|int key of the document => its fields; -1 if there is none left
     */
    public function findDocsWithWord()
    {
        if ($this->isNative()) {
            $docs = $this->nativeDocs();
        } else if ($this->meet()) {
            $docs = $this->scoredDocs();
        } else {
            $docs = -1;
        }
        $this->count_block = is_array($docs) ? count($docs) : 0;
        $this->pages = $docs;
        return $docs;
    }
    /**
     * Where the next document is
     *
     * @return array|int [generation, offset into its document map]; -1 if there is none left
     */
    public function currentGenDocOffsetWithWord()
    {
        if ($this->isNative()) {
            return $this->nativePlace();
        }
        $this->meet();
        return $this->index_bundle_iterators[0]->currentGenDocOffsetWithWord();
    }
    /**
     * Moves forward by one document, or to the first at or after a place
     *
     * @param array|null $gen_doc_offset [generation, offset into its document map]; if the current document is there
     *     or after it, it stays the current one
     */
    public function advance($gen_doc_offset = null)
    {
        $this->current_block_fresh = false;
        $this->seen_docs++;
        // A cursor is not made here: the iterators may be at a document that it would pass over.
        $place = $this->cursor !== null ? $this->nativePlace() : null;
        if ($this->cursor !== null) {
            if ($place == -1) {
                return;
            }
            $offset = $this->hits[$this->hit]['offsets'][$this->least_num_doc_index];
            $this->estimateNumDocs(intdiv($offset, 4) + 1);
            if ($gen_doc_offset == null) {
                $this->behind = $place;
                $this->hit++;
            } else if ($this->genDocOffsetCmp($place, $gen_doc_offset) < 0) {
                $this->behind = $place;
                $this->seek($gen_doc_offset);
            }
            return;
        }
        $this->estimateNumDocs($this->index_bundle_iterators[$this->least_num_doc_index]->seen_docs);
        $this->index_bundle_iterators[0]->advance($gen_doc_offset);
    }
    /**
     * @param int $num documents per block; only 1 is possible
     */
    public function setResultsPerBlock($num)
    {
        if ($num != 1) {
            trigger_error("An intersect iterator gives one document a block", E_USER_ERROR);
        }
    }
    /**
     * Estimates the number of documents from the share found so far
     *
     * @param int $unfiltered documents passed in the iterator with the fewest
     */
    protected function estimateNumDocs($unfiltered)
    {
        $this->seen_docs_unfiltered = $unfiltered;
        if ($unfiltered > 0) {
            $this->num_docs = floor($this->seen_docs * $this->total_num_docs / $unfiltered);
        }
    }

    /* Native work */

    /**
     * Whether all iterators are word iterators of one index and every word has one
     *
     * @return bool
     */
    protected function canBeNative()
    {
        if ($this->num_iterators == 0) {
            return false;
        }
        $name = $this->index_bundle_iterators[0]->index_name ?? null;
        for ($i = 0; $i < $this->num_iterators; $i++) {
            $iterator = $this->index_bundle_iterators[$i] ?? null;
            if (!is_object($iterator) || get_class($iterator) !== WordIterator::class ||
                $iterator->index_name !== $name) {
                return false;
            }
        }
        for ($i = 0; $i < $this->num_words; $i++) {
            if (!is_int($this->word_iterator_map[$i] ?? null)) {
                return false;
            }
        }
        return true;
    }
    /**
     * Whether documents come from a native cursor now. Makes one if that is possible.
     *
     * @return bool
     */
    protected function isNative()
    {
        return $this->cursor !== null || ($this->native && $this->gather());
    }
    /**
     * The places of the lists of all words, generation by generation, from the iterators' current places on
     *
     * @return array|null generation => [[first offset, last offset], ...], a pair per word; null if the iterators have
     *     to be moved
     */
    protected function ranges()
    {
        $common = null;
        $this->known_until = null;
        foreach ($this->index_bundle_iterators as $i => $iterator) {
            if ($iterator->using_feeds && $iterator->use_feeds && !$iterator->feed_empty) {
                return null;
            }
            $ranges = [];
            $last = -1;
            $infos = $iterator->empty ? [] :
                array_slice($iterator->dictionary_info, max(0, $iterator->generation_pointer));
            foreach ($infos as $info) {
                list($generation, $first_offset, $last_offset) = $info;
                if ($generation <= $last) {
                    $this->native = false; // the same generation twice: the word has more than one key
                    return null;
                }
                $last = $generation;
                if ($i == 0 || isset($common[$generation])) {
                    $ranges[$generation] = $common[$generation] ?? [];
                    $ranges[$generation][] = [$first_offset, $last_offset];
                }
            }
            if (!$iterator->no_more_generations && $infos != []) {
                $this->known_until = min($this->known_until ?? $last, $last);
            }
            $common = $ranges;
        }
        return $common;
    }
    /**
     * Makes a cursor over the generations that the iterators know of, from their current places on
     *
     * @return bool whether it was possible
     */
    protected function gather()
    {
        $ranges = $this->ranges();
        if ($ranges === null) {
            return false;
        }
        $this->pending = $ranges;
        $this->from = $this->iteratorsMoved() ? $this->furthestPlace() : null;
        return $this->intersectSome(1);
    }
    /**
     * Makes a cursor over the next generations
     *
     * @param int $many number of generations
     * @return bool whether it was possible
     */
    protected function intersectSome($many)
    {
        $index = IndexManager::getIndex($this->index_bundle_iterators[0]->index_name);
        if (!$index || !$this->isOnDisk($index)) {
            $this->cursor = null;
            return $this->native = false;
        }
        $words = [];
        for ($i = 0; $i < $this->num_words; $i++) {
            // Yioop scores the first iterator for the first word. If a word is repeated, its map may name the last of equal ones.
            $words[] = $i == 0 ? 0 : $this->word_iterator_map[$i];
        }
        while ($this->from !== null && key($this->pending) !== null && key($this->pending) < $this->from[0]) {
            unset($this->pending[key($this->pending)]);
        }
        $ranges = array_slice($this->pending, 0, $many, true);
        try {
            $generations = [];
            foreach ($ranges as $generation => $lists) {
                $shard = Shard::open($index->dir_name . "/posting_doc_shards/index" . $generation);
                $generations[] = [$shard, $lists];
            }
            $this->cursor = Conjunction::of($generations, $words, $this->quote_positions ?? [], [
                'title' => C\TITLE_WEIGHT, 'description' => C\DESCRIPTION_WEIGHT, 'link' => C\LINK_WEIGHT,
                'title_length' => C\AD_HOC_TITLE_LENGTH, 'links_per_page' => C\AVG_LINKS_PER_PAGE,
                'precision' => C\PRECISION]);
        } catch (\Throwable $problem) {
            return $this->leaveNative($problem);
        }
        $this->generations = array_keys($ranges);
        $this->pending = array_diff_key($this->pending, $ranges);
        $this->hits = [];
        $this->hit = 0;
        if ($this->from !== null) {
            $this->seek($this->from);
        }
        return true;
    }
    /**
     * Whether Yioop itself would read the shards from their files
     *
     * @param object $index an index
     * @return bool
     */
    protected function isOnDisk($index)
    {
        return !isset($index->current_shard) || $index->current_shard->read_only_from_disk;
    }
    /**
     * Continues without native work. Yioop reads past damage that the extension refuses.
     *
     * @param \Throwable $problem what went wrong
     * @return bool false
     */
    protected function leaveNative($problem)
    {
        error_log("Postings: " . $problem->getMessage() . "; continuing with Yioop's own iterators");
        $this->native = false;
        $this->cursor = null;
        $this->hits = [];
        return false;
    }
    /**
     * Whether an iterator has moved from its first posting
     *
     * @return bool
     */
    protected function iteratorsMoved()
    {
        foreach ($this->index_bundle_iterators as $iterator) {
            if ($iterator->generation_pointer != 0 || $iterator->current_offset != $iterator->start_offset) {
                return true;
            }
        }
        return false;
    }
    /**
     * Where the furthest iterator is
     *
     * @return array [generation, offset into its document map]; after all generations if one is at its end
     */
    protected function furthestPlace()
    {
        $furthest = [-1, 0];
        foreach ($this->index_bundle_iterators as $iterator) {
            $place = $iterator->currentGenDocOffsetWithWord();
            if ($place == -1) {
                $this->known_until = null;
                return [PHP_INT_MAX, 0];
            }
            if ($this->genDocOffsetCmp($place, $furthest) > 0) {
                $furthest = $place;
            }
        }
        return $furthest;
    }
    /**
     * Moves the cursor forward
     *
     * @param array $gen_doc_offset [generation, offset into its document map]
     */
    protected function seek($gen_doc_offset)
    {
        list($generation, $doc_offset) = $this->from = $gen_doc_offset;
        // Documents that were scored already come first.
        while (isset($this->hits[$this->hit]) &&
            $this->genDocOffsetCmp($this->hitPlace($this->hits[$this->hit]), $gen_doc_offset) < 0) {
            $this->hit++;
        }
        if (isset($this->hits[$this->hit])) {
            return;
        }
        $index = 0;
        while (isset($this->generations[$index]) && $this->generations[$index] < $generation) {
            $index++;
        }
        $within = isset($this->generations[$index]) && $this->generations[$index] == $generation;
        $this->cursor->seek($index, $within ? $doc_offset >> 4 : 0);
        if ($this->known_until !== null && $generation > $this->known_until) {
            $this->known_until = $generation - 1;
        }
    }
    /**
     * @param array $hit a document of the cursor
     * @return array [generation, offset into its document map]
     */
    protected function hitPlace($hit)
    {
        return [$this->generations[$hit['generation']], $hit['doc_index'] << 4];
    }
    /**
     * The place of the current document of the cursor. Fetches more documents if the fetched ones are used up.
     *
     * @return array|int [generation, offset into its document map]; -1 if there is none left
     */
    protected function nativePlace()
    {
        while (!isset($this->hits[$this->hit])) {
            try {
                $this->hits = $this->cursor->next(empty($this->hits) ? self::FIRST_HITS : self::MORE_HITS);
            } catch (\Throwable $problem) {
                $this->leaveNative($problem);
                return $this->goOnWithIterators();
            }
            $this->hit = 0;
            if (empty($this->hits)) {
                $many = max(1, 2 * count($this->generations));
                if ($this->pending ? $this->intersectSome($many) : $this->moreGenerations()) {
                    continue;
                }
                return $this->cursor === null ? $this->goOnWithIterators() : -1;
            }
            $this->skipPassedOver();
            $this->skipFiltered();
        }
        return $this->hitPlace($this->hits[$this->hit]);
    }
    /**
     * Counts the documents without the phrases
     */
    protected function skipPassedOver()
    {
        if (!empty($this->quote_positions)) {
            $this->seen_docs += array_sum(array_column($this->hits, 'passed_over'));
        }
    }
    /**
     * Drops documents of hosts that the site filters out
     */
    protected function skipFiltered()
    {
        $filter = $this->index_bundle_iterators[0]->filter;
        if (empty($filter)) {
            return;
        }
        $this->hits = array_values(array_filter($this->hits, function ($hit) use ($filter) {
            return !$filter->isFiltered(substr($hit['id'], WordIterator::HOST_KEY_POS, WordIterator::KEY_LEN));
        }));
    }
    /**
     * Looks for generations that the word iterators did not know of when the cursor was made
     *
     * @return bool whether the cursor now covers some; false without a cursor if the iterators have to be moved
     */
    protected function moreGenerations()
    {
        if ($this->known_until === null) {
            return false;
        }
        $known_until = $this->known_until;
        foreach ($this->index_bundle_iterators as $iterator) {
            $iterator->advance([$known_until + 1, 0]);
        }
        $this->cursor = null;
        if (!$this->gather()) {
            return false;
        }
        if ($this->known_until !== null && $this->known_until <= $known_until) {
            $this->known_until = null; // no iterator found more
        }
        return true;
    }
    /**
     * If native work ends before the documents do: moves the iterators past the last document returned
     *
     * @return array|int place of the next document
     */
    protected function goOnWithIterators()
    {
        $place = $this->from;
        if ($this->behind) {
            $next = [$this->behind[0], $this->behind[1] + 16];
            $place = $place && $this->genDocOffsetCmp($place, $next) > 0 ? $place : $next;
        }
        if ($place) {
            foreach ($this->index_bundle_iterators as $iterator) {
                $iterator->advance($place);
            }
        }
        return $this->currentGenDocOffsetWithWord();
    }
    /**
     * The current document of the cursor, with Yioop's fields
     *
     * @return array|int key of the document => its fields; -1 if there is none left
     */
    protected function nativeDocs()
    {
        $place = $this->nativePlace();
        if ($this->cursor === null) {
            return $this->findDocsWithWord();
        }
        if ($place == -1) {
            return -1;
        }
        $hit = $this->hits[$this->hit];
        $key = $hit['id'];
        $docs = [$key => [
            self::POSITION_LIST => $hit['positions'],
            self::DOC_RANK => $hit['rank'],
            self::SUMMARY_OFFSET => $hit['summary_offset'],
            self::GENERATION => $place[0],
            self::DOC_LEN => $hit['length'],
            self::IS_DOC => !$hit['is_link'],
            self::PROXIMITY => $hit['proximity'],
            self::DESCRIPTION_SCORES => $hit['description_scores'],
            self::RELEVANCE => $hit['relevance'],
            self::KEY => $key,
            self::HASH => substr($key, 8, 8),
            self::INLINKS => substr($key, 16),
            self::CRAWL_TIME => $this->index_bundle_iterators[0]->index_name]];
        if (isset($hit['user_ranks'])) {
            $docs[$key][self::USER_RANKS] = $hit['user_ranks'];
        }
        $this->addScore($docs[$key]);
        return $docs;
    }

    /* Work with the iterators themselves */

    /**
     * Moves the iterators forward until all are at the same document
     *
     * @return bool whether they are; false if one is at its end or time is up
     */
    protected function meet()
    {
        if ($this->sync_time === 0) {
            $this->sync_time = time();
        }
        $meeting = null;
        $agreed = 0;
        for ($i = 0; $agreed < $this->num_iterators; $i = ($i + 1) % $this->num_iterators) {
            if ($this->sync_timer_on && time() > $this->sync_time + self::SYNC_TIMEOUT) {
                return false;
            }
            $iterator = $this->index_bundle_iterators[$i] ?? null;
            if (!$iterator) {
                return false;
            }
            $place = $iterator->currentGenDocOffsetWithWord();
            if (is_array($place) && $meeting !== null && $this->genDocOffsetCmp($place, $meeting) < 0) {
                $iterator->advance($meeting);
                $place = $iterator->currentGenDocOffsetWithWord();
                if (is_array($place) && $this->genDocOffsetCmp($place, $meeting) < 0) {
                    return false; // it does not move
                }
            }
            if (!is_array($place)) {
                return false;
            }
            if ($meeting !== null && $this->genDocOffsetCmp($place, $meeting) == 0) {
                $agreed++;
            } else {
                $meeting = $place;
                $agreed = 1;
            }
        }
        return $this->num_iterators > 0;
    }
    /**
     * The document at which all iterators are, scored
     *
     * @return array key of the document => its fields; empty if a phrase does not occur or the site filters it out
     */
    protected function scoredDocs()
    {
        $docs = $this->index_bundle_iterators[0]->currentDocsWithWord();
        if (!is_array($docs) || count($docs) != 1) {
            return is_array($docs) ? $docs : [];
        }
        $key = key($docs);
        $doc = $docs[$key];
        $position_lists = [$doc[self::POSITION_LIST]];
        for ($word = 1; $word < $this->num_words; $word++) {
            $i = $this->word_iterator_map[$word];
            if ($i < $word) {
                // A repeated word counts as much as all words before it together.
                $position_lists[] = $position_lists[$i] ?? [];
                $doc[self::RELEVANCE] += $doc[self::RELEVANCE];
                continue;
            }
            $other = $this->index_bundle_iterators[$i]->currentDocsWithWord()[$key] ?? [];
            if (!empty($other[self::POSITION_LIST])) {
                $position_lists[] = $other[self::POSITION_LIST];
            }
            $doc[self::RELEVANCE] += $other[self::RELEVANCE] ?? 0;
        }
        $doc[self::PROXIMITY] = 1;
        if (count($position_lists) > 1) {
            if (!\Postings\Yioop\phrases_occur($position_lists, $this->quote_positions ?? [])) {
                return [];
            }
            $doc[self::PROXIMITY] = \Postings\Yioop\proximity($position_lists, $doc[self::IS_DOC], [
                'title' => C\TITLE_WEIGHT, 'description' => C\DESCRIPTION_WEIGHT, 'link' => C\LINK_WEIGHT,
                'title_length' => C\AD_HOC_TITLE_LENGTH]);
        }
        $this->addScore($doc);
        return [$key => $doc];
    }
    /**
     * Adds the score to a document, and multiplies all four numbers by the iterator's weight
     *
     * @param array& $doc a document with rank, relevance and proximity
     */
    protected function addScore(&$doc)
    {
        $doc[self::SCORE] = $doc[self::DOC_RANK] * $doc[self::RELEVANCE] * $doc[self::PROXIMITY];
        if ($this->weight != 1) {
            foreach ([self::DOC_RANK, self::RELEVANCE, self::PROXIMITY, self::SCORE] as $field) {
                $doc[$field] *= $this->weight;
            }
        }
    }
}
