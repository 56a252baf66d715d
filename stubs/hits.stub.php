<?php

/**
 * Postings: what searches of Index, in index.stub.php, find.
 */

namespace Postings {

    /**
     * A document that a search found.
     *
     * Hits are made when they are asked for, from Hits, and are ordinary objects: two are `==` if all their properties are.
     */
    final class Hit implements \JsonSerializable
    {
        /** The caller's name of the document, as it was added: 7 and '7' are two documents. */
        public readonly int|string $id;

        /** BM25, summed over words and fields; 0 if the query has no words. */
        public readonly float $score;

        /** The document's number in the snapshot that was searched, from 0. Another commit may give it another. */
        public readonly int $docId;

        /**
         * The document's values of fields with 'stored' => true, by name: a string (text; a list of terms if the document
         * came by addTokens()), a list of strings (keyword), a float (numeric), or [latitude, longitude] (geo). Empty if
         * there are none.
         *
         * @var array<string, string|float|list<string>|array{float, float}>
         */
        public readonly array $fields;

        /**
         * How far the document is, in metres: from the point of the first distance in `sort:`, otherwise of the first
         * Filter::near() in `filter:`; null without either, or if it has no point in that field.
         */
        public readonly ?float $distance;

        /** Hits are made by Hits. */
        private function __construct()
        {
        }

        /**
         * What json_encode() encodes, alone and in Hits.
         *
         * @return array{id: int|string, score: float, fields?: array<string, mixed>, distance?: float}
         */
        public function jsonSerialize(): array
        {
        }
    }

    /**
     * What a search found, best first, `$hits[0]` to `$hits[count($hits) - 1]`. Immutable. It keeps the snapshot that was
     * searched, whatever is committed meanwhile. As every object it is true, also if it is empty: ask count($hits).
     *
     * json_encode() gives {"total": …, "hits": [{"id": …, "score": …, "fields": {…}, "distance": …}, …]}, without "fields" if
     * a document has no stored ones, and without "distance" if it has none.
     *
     * @implements \IteratorAggregate<int, Hit>
     * @implements \ArrayAccess<int, Hit>
     */
    final class Hits implements \Countable, \IteratorAggregate, \ArrayAccess, \JsonSerializable
    {
        /**
         * How many documents match in all (with 'all-then-any': have any of the words); null unless the search was told
         * `total: true`.
         */
        public readonly ?int $total;

        /** Whether searchBatch() or a stream had not begun this query when the deadline came, so that nothing is known of its hits. */
        public readonly bool $expired;

        /**
         * What the documents that match have in the fields that the search was told by `facets:`; null without. A keyword field
         * has value => number of documents, the most frequent first; a numeric one min and max (null if no document has a
         * number) of all their numbers, and count, the number of documents that have one.
         *
         * @var ?array<string, array<int|string, int|float|null>>
         */
        public readonly ?array $facets;

        /** Hits are made by Index::search(), searchBatch() and SearchStream::take(), and by merge(). */
        private function __construct()
        {
        }

        /**
         * The hits of one search in several indexes, as those of one index that has all documents, those of the first before those
         * of the second and so on. By score, or by what they were sorted by; equal ones in the order of the array. Totals are
         * added up (null if one is), facets too. If the searches were told the same Statistics, the sum of those of all indexes,
         * the scores are that index's. Documents that are in two indexes are found twice.
         *
         * Hits of `nearest:` that were fused by ranks are fused anew, by their ranks in the merged lists: so a document may be among
         * them that no index had on its page. Fused by scores, they are merged by these, as are those of Index::nearest().
         *
         * Each search must begin at the first hit and have a limit of $offset + $limit at least. If hits were fused by ranks, up to
         * 100 can be merged whatever the limits were. Hits keep the docIDs that they have in their indexes, so merged ones are no
         * place for `after:`. Hits that were unserialized can be merged if they are in the order of scores, not fused by ranks, and
         * have no facets.
         *
         * @param non-empty-array<Hits> $hits
         * @param int|array<string, int>|null $facets the most values of each facet of a keyword field, for all or by their names;
         *     those without: as many as the searches were told. Which are the most frequent of all may depend on values that an index left out: then ask each for more values, or merge fewer
         * @throws \ValueError if limits are too small, the searches order, group or count otherwise, the values of facets do not
         *     tell which are the most frequent, or distinct hits are those of 'all-then-any'
         */
        public static function merge(array $hits, int $limit = 10, int $offset = 0, int|array|null $facets = null): self
        {
        }

        /** The number of hits, at most the limit. O(1). */
        public function count(): int
        {
        }

        /**
         * The ids alone; reads no stored fields. O(hits).
         *
         * @return list<int|string>
         */
        public function ids(): array
        {
        }

        /**
         * The docIDs alone. O(hits).
         *
         * @return list<int>
         */
        public function docIds(): array
        {
        }

        /**
         * Iterates over the hits; keys count from 0. Stored fields are read as it goes.
         *
         * @return \Iterator<int, Hit>
         */
        public function getIterator(): \Iterator
        {
        }

        /** Whether there is a hit of that number. */
        public function offsetExists(mixed $offset): bool
        {
        }

        /**
         * The hit of that number, an int from 0; null if there is none, or $offset is no int. Reads its stored fields.
         *
         * @throws CorruptDataException
         */
        public function offsetGet(mixed $offset): ?Hit
        {
        }

        /** @throws \Error always: hits cannot be changed */
        public function offsetSet(mixed $offset, mixed $value): void
        {
        }

        /** @throws \Error always: hits cannot be changed */
        public function offsetUnset(mixed $offset): void
        {
        }

        /**
         * What json_encode() encodes.
         *
         * @return array{total: ?int, hits: list<array{id: int|string, score: float, fields?: array<string, mixed>, distance?: float}>}
         */
        public function jsonSerialize(): array
        {
        }

        /**
         * What serialize() keeps: the hits as values, with their stored fields, and no index.
         *
         * @return array{total: ?int, expired: bool, facets: ?array<string, mixed>, limit: ?int, hits: list<mixed>}
         */
        public function __serialize(): array
        {
        }

        /**
         * @param array<string, mixed> $data
         * @throws CorruptDataException if it is not what __serialize() returned
         */
        public function __unserialize(array $data): void
        {
        }

        /**
         * What var_dump() shows.
         *
         * @return array{total: ?int, expired: bool, facets: ?array<string, mixed>, hits: list<Hit>}
         */
        public function __debugInfo(): array
        {
        }
    }

    /**
     * What Hits::getIterator() returns.
     *
     * @implements \Iterator<int, Hit>
     */
    final class HitsIterator implements \Iterator
    {
        private function __construct()
        {
        }

        /** The hit; null after the last. */
        public function current(): ?Hit
        {
        }

        /** Its number, from 0; null after the last. */
        public function key(): ?int
        {
        }

        public function next(): void
        {
        }

        public function rewind(): void
        {
        }

        public function valid(): bool
        {
        }
    }
}
