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

        /**
         * What has a point at most $metres from this one in a geo field, in degrees, by the shortest way on a sphere. Points
         * have been rounded by less than a centimetre. Hit::$distance has the distances.
         *
         * Cost: a few hundred cells of the map, and a look at the documents in cells at the border of the circle; never all
         * documents.
         *
         * @param float $lat from -90 to 90
         * @param float $lng from -180 to 180
         * @param float $metres finite, not negative
         *
         * @throws \ValueError for other numbers
         */
        public static function near(string $field, float $lat, float $lng, float $metres): self
        {
        }

        /**
         * What has a point in this box, its sides included: from a corner in the south-west eastwards to one in the north-east,
         * each [latitude, longitude] or ['lat' => …, 'lng' => …], in degrees. If the west is the greater longitude, the box
         * lies across the antimeridian. Cost: as near().
         *
         * @param array{float, float}|array{lat: float, lng: float}|array{lat: float, lon: float} $southWest
         * @param array{float, float}|array{lat: float, lng: float}|array{lat: float, lon: float} $northEast
         *
         * @throws \TypeError for what are no coordinates
         * @throws \ValueError for coordinates out of range, and a north side south of the south side
         */
        public static function box(string $field, array $southWest, array $northEast): self
        {
        }

        /** What has a value in a keyword, numeric, geo or vector field, a weight above 0 in a weights field, or a word in a text field. */
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
