<?php

/**
 * Postings: several indexes that each have a part of the documents, searched as one.
 */

namespace Postings {

    /**
     * What scores depend on besides the documents that are scored: how many documents there are, how many tokens their text
     * fields have, how many documents contain each word of some queries, and what prefixes and fuzzy words stand for. Immutable.
     *
     *     $parts = array_map(fn (Index $shard) => $shard->statistics($query), $shards);
     *     $all = Statistics::sum(...$parts);
     *     $hits = array_map(fn (Index $shard) => $shard->search($query, statistics: $all), $shards);
     *     $best = Hits::merge($hits);
     *
     * finds what one index of all documents would find: the same documents, scores to the last bit, order and totals. Deleted
     * documents count until a merge removes them, as they do in one index, which may have merged others.
     *
     * If the analyzer of a field stems, what a prefix or a typo stands for follows from the words of all indexes. Searching then
     * needs a second round, without which it may throw StatisticsException:
     *
     *     $parts = array_map(fn (Index $shard) => $shard->statistics($query, statistics: $all), $shards);
     *     $all = Statistics::sum(...$parts);
     *
     * Of a prefix or a fuzzy word an index tells the 16,000 closest words, the most frequent first, and in how many documents others
     * are at most. If that does not tell which 1,000 count in all, searching throws StatisticsException.
     */
    final class Statistics implements \Countable
    {
        /** Statistics are made by Index::statistics(), sum() and fromBytes(). */
        private function __construct()
        {
        }

        /**
         * Those of all documents of several indexes, which must have told of the same queries. In any order.
         *
         * @throws StatisticsException if there are none, or they are of different fields, weights, positions or analyzers
         */
        public static function sum(Statistics ...$parts): self
        {
        }

        /**
         * The statistics of which toBytes() returned all of $bytes, at most 64 MiB. From wherever they come: every byte is checked.
         *
         * @throws CorruptDataException if it did not
         */
        public static function fromBytes(string $bytes): self
        {
        }

        /** As bytes: a word takes its bytes and about five more. */
        public function toBytes(): string
        {
        }

        /** The number of documents, those included that are deleted and no merge has removed. */
        public function documents(): int
        {
        }

        /**
         * How many tokens each text field has, in all documents.
         *
         * @return array<string, int>
         */
        public function tokens(): array
        {
        }

        /** Of how many indexes they are. */
        public function indexes(): int
        {
        }

        /** The number of words and terms. */
        public function count(): int
        {
        }
    }
}
