<?php

/**
 * Postings: a stream of queries of an Index, in index.stub.php.
 */

namespace Postings {

    /**
     * Queries that threads and devices answer while PHP goes on. Made by Index::stream().
     *
     * The threads start with the first query, at most postings.threads of them (but at least one, and one for each
     * device), and end with the object, which waits for queries in progress; the others are not answered. In
     * Postings\stats() each query that the CPU answers is a call, and so is each call of a device.
     *
     * After a fork only the parent can use the stream: all methods but count() and descriptor() throw IndexException in the
     * child. A fork waits for queries in progress.
     */
    final class SearchStream implements \Countable
    {
        /** Streams are made by Index::stream(). */
        private function __construct()
        {
        }

        /**
         * Adds a query, as Index::searchBatch() takes one, and returns its ticket: a number, from 0 on, by which take() names its
         * answer. Some microseconds.
         *
         * @param string|array{query?: string, weighted?: array<string, array<int|float>>, nearest?: array<string, string|list<int|float>>} $query
         * @throws StreamFullException if the stream has as many queries as it may have, or their texts have 256 MiB
         */
        public function push(array|string $query): int
        {
        }

        /**
         * As push() for many queries, all or none; keys are kept.
         *
         * @template K of array-key
         * @param array<K, string|array{query?: string, weighted?: array<string, array<int|float>>, nearest?: array<string, string|list<int|float>>}> $queries
         * @return array<K, int>
         * @throws StreamFullException
         */
        public function pushAll(array $queries): array
        {
        }

        /**
         * Takes the answers that are ready, by ticket, in the order in which they were found. If there are none, but
         * queries are under way, waits for one, at most $wait milliseconds or until a signal comes; then the array may
         * be empty.
         *
         * A query that failed throws what search() would have thrown, with its ticket as the exception's code, once what was
         * found before it has been taken. The others can be taken as before.
         *
         * @param int $wait milliseconds; 0: does not wait
         * @return array<int, Hits>
         */
        public function take(int $wait = 0): array
        {
        }

        /** The number of queries that have not been taken, done or not. O(1). */
        public function count(): int
        {
        }

        /**
         * A file descriptor that can be read while there is something to take, for event loops:
         * `fopen('php://fd/' . $stream->descriptor(), 'r')`. Wait for it, but do not read it.
         */
        public function descriptor(): int
        {
        }
    }
}
