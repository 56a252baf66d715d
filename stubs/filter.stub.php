<?php

/**
 * Conditions for the argument `filter` of searches. docs/index.md is the guide.
 */

namespace Postings {

    /**
     * A condition that hits must meet, made without an index: fields and values are checked when a search uses it, which
     * throws ValueError or TypeError, naming the field, if they do not fit. Immutable, and `==` to itself only.
     *
     * It is given as an element without a name: `filter: ['brand' => 'Acme', Filter::not(['tag' => 'used'])]`. Wherever
     * conditions are expected, an array of them does as well, all of which must hold, and which may contain: field => value as
     * in `filter:`, Filters, arrays, and PostingLists of docIDs (as Index::docId() gives them, of the snapshot that is searched).
     *
     * All methods throw ValueError if conditions are nested deeper than 64, or are more than 10,000. Values and ids of one
     * condition are not counted.
     */
    final class Filter
    {
        /** Filters are made by the methods. */
        private function __construct()
        {
        }

        /**
         * What does not meet all of the conditions; also documents without a value.
         *
         * @param Filter|array<int|string, mixed> $conditions
         */
        public static function not(Filter|array $conditions): self
        {
        }

        /**
         * What meets at least one of them; of none, nothing.
         *
         * @param Filter|array<int|string, mixed> ...$conditions
         */
        public static function any(Filter|array ...$conditions): self
        {
        }

        /**
         * What meets all of them; of none, everything.
         *
         * @param Filter|array<int|string, mixed> ...$conditions
         */
        public static function all(Filter|array ...$conditions): self
        {
        }

        /** What has a number from $low to $high in a numeric field, both included; null for no bound. */
        public static function in(string $field, int|float|null $low, int|float|null $high): self
        {
        }

        /**
         * What has this value, or one of these: of a keyword field, or of a numeric one, where two are no range. Of an empty
         * list, nothing has one. true is the keyword 'true' and the number 1.
         *
         * @param int|float|string|bool|list<int|float|string|bool> $value
         */
        public static function is(string $field, int|float|string|bool|array $value): self
        {
        }

        /** What has a greater number. */
        public static function above(string $field, int|float $bound): self
        {
        }

        /** What has a smaller number. */
        public static function below(string $field, int|float $bound): self
        {
        }

        /** What has this number or a greater one. */
        public static function atLeast(string $field, int|float $bound): self
        {
        }

        /** What has this number or a smaller one. */
        public static function atMost(string $field, int|float $bound): self
        {
        }

        /** What has a value in a keyword or numeric field, or a word in a text field. */
        public static function exists(string $field): self
        {
        }

        /** What has none. */
        public static function missing(string $field): self
        {
        }

        /**
         * The documents with these ids: 7 and '7' are two. A list may be long: a million ids take about a second.
         *
         * @param int|string|list<int|string> ...$ids
         */
        public static function ids(int|string|array ...$ids): self
        {
        }
    }
}
