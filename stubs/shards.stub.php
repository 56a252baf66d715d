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

    /**
     * An index that is asked from elsewhere: of another machine, by whatever carries a string there and another one back. It does
     * not listen by itself; a PHP page that a web server runs is enough:
     *
     *     echo Leaf::open('/var/lib/shop/shard-0')->handle(file_get_contents('php://input'));
     *
     * Anyone who may send requests may read all stored fields: who that is, the web server decides.
     */
    final class Leaf
    {
        /** Leaves are opened by open(). */
        private function __construct()
        {
        }

        /**
         * The index in that folder.
         *
         * @throws IndexException        if there is none (code MISSING), or a file cannot be read (IO)
         * @throws CorruptDataException  if a file is damaged
         */
        public static function open(string $path): self
        {
        }

        /**
         * The response to a request of LeafRequest::bytes() or LeafClient::schemaRequest(), of the last commit. What is wrong
         * with the request, and what fails in answering it, is a response, too, which read() throws where it arrives.
         *
         * Requests may be any bytes. They are at most 128 MiB, and ask for at most 1,048,576 hits and values of facets, and no field
         * twice. The values that hits are sorted by and their stored fields take at most 128 MiB. Where words and vectors are fused,
         * the hits of each list count, 100 at least.
         *
         * @param ?int $deadline milliseconds after which searches end, if the request does not want them to end before; suggestions and
         *     stored fields take as long as they take
         * @throws IndexException        if files of a new commit cannot be read
         * @throws CorruptDataException  if they are damaged
         */
        public function handle(string $request, ?int $deadline = null): string
        {
        }

        /** The commit that answered last, as LeafClient::commit() says it; before, that of the opening. */
        public function commit(): string
        {
        }
    }

    /**
     * Asks leaves of one schema what an Index can be asked. It has no connection: requests are strings to send, and responses
     * strings that came back.
     *
     *     $client = LeafClient::fromResponse($send(LeafClient::schemaRequest()));
     *     $request = $client->search('red shoes', limit: 10);
     *     $hits = $request->read($send($request->bytes()));
     *
     * docs/machines.md shows the rest: several leaves, and what to do if one is silent.
     */
    final class LeafClient
    {
        /** Clients are made by fromResponse(). */
        private function __construct()
        {
        }

        /** A request for the schema of a leaf, which fromResponse() makes a client of. */
        public static function schemaRequest(): string
        {
        }

        /**
         * A client of leaves with the schema of the leaf that responded.
         *
         * @param bool $stored whether hits come with their stored fields
         *
         * @throws LeafException         as LeafRequest::read()
         * @throws CorruptDataException  if no leaf responded this
         */
        public static function fromResponse(string $response, bool $stored = true): self
        {
        }

        /**
         * The commit that a response, refusals included, is of: the index and the number of the commit. Copies of an index, made
         * by snapshot() or otherwise, have the commits of their original.
         *
         * @throws LeafException         if it is of another version (code VERSION)
         * @throws CorruptDataException  if no leaf responded this
         */
        public static function commit(string $response): string
        {
        }

        /**
         * Asks for the hits of a query: read() returns Hits, which Hits::merge() takes. As Index::search(), but that $after must
         * be null, and filters have no docIDs.
         *
         * With $nearest and $fusion 'rrf', and without $offset, the response has all documents of all lists, 100 of each at least, with
         * their stored fields: which are the hits depends on what the other leaves found.
         *
         * @param array<array-key, mixed> $filter
         * @param array<array-key, mixed> $sort
         * @param array<string, int|float> $weights
         * @param array<int|string, string|int> $facets
         * @param Hit|array<mixed>|null $after
         * @param list<string>|null $fields
         * @param array<string, string|list<string>> $synonyms
         * @param array<string, string|list<int|float>> $nearest
         * @param 'rrf'|array<string, int|float> $fusion
         * @param array<string, array<int|float>> $weighted
         */
        public function search(
            string $query,
            int $limit = 10,
            int $offset = 0,
            Matching|string $matching = 'all',
            array $filter = [],
            array $sort = [],
            array $weights = [],
            bool $total = false,
            float $k1 = 1.2,
            float $b = 0.75,
            array $facets = [],
            ?string $distinct = null,
            Hit|array|null $after = null,
            string|int|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
            array $nearest = [],
            array|string $fusion = 'rrf',
            array $weighted = [],
        ): LeafRequest {
        }

        /**
         * Asks for the hits of each of at most 65,536 queries: read() returns Hits under the keys of the queries. As
         * Index::searchBatch(), with what search() says.
         *
         * @param array<array-key, string|array{query?: string, weighted?: array<string, array<int|float>>, nearest?: array<string, string|list<int|float>>}> $queries
         * @param array<array-key, mixed> $filter
         * @param array<array-key, mixed> $sort
         * @param array<string, int|float> $weights
         * @param array<int|string, string|int> $facets
         * @param Hit|array<mixed>|null $after
         * @param list<string>|null $fields
         * @param array<string, string|list<string>> $synonyms
         * @param 'rrf'|array<string, int|float> $fusion
         */
        public function searchBatch(
            array $queries,
            int $limit = 10,
            int $offset = 0,
            Matching|string $matching = 'all',
            array $filter = [],
            array $sort = [],
            array $weights = [],
            bool $total = false,
            float $k1 = 1.2,
            float $b = 0.75,
            ?int $deadline = null,
            array $facets = [],
            ?string $distinct = null,
            Hit|array|null $after = null,
            string|int|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
            array|string $fusion = 'rrf',
        ): LeafRequest {
        }

        /**
         * Asks for the documents whose vectors are the nearest: read() returns Hits, which Hits::merge() takes. As Index::nearest(),
         * but that filters have no docIDs.
         *
         * @param string|list<int|float> $vector
         * @param array<int|string, mixed> $filter
         */
        public function nearest(
            string $field,
            array|string $vector,
            int $limit = 10,
            int $offset = 0,
            array $filter = [],
            ?int $deadline = null,
            ?int $probes = null,
        ): LeafRequest {
        }

        /**
         * The same for each of at most 65,536 vectors: read() returns Hits under their keys. As Index::nearestBatch().
         *
         * @param array<array-key, string|list<int|float>> $vectors
         * @param array<int|string, mixed> $filter
         */
        public function nearestBatch(
            string $field,
            array $vectors,
            int $limit = 10,
            int $offset = 0,
            array $filter = [],
            ?int $deadline = null,
            ?int $probes = null,
        ): LeafRequest {
        }

        /**
         * Asks for what searches by these queries need to know: read() returns Statistics. As Index::statistics().
         *
         * @param array<array-key, string>|string $queries
         * @param array<string, int|float> $weights
         * @param list<string>|null $fields
         * @param array<string, string|list<string>> $synonyms
         */
        public function statistics(
            array|string $queries,
            array $weights = [],
            string|int|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
        ): LeafRequest {
        }

        /** Asks for words: read() returns word => number of documents. As Index::suggest(). */
        public function suggest(string $text, int $limit = 8, ?string $field = null): LeafRequest
        {
        }

        /**
         * Asks for stored fields: read() returns an array for each id, as Index::stored(); null where the leaf has no such document.
         *
         * @param array<array-key, int|string> $ids
         */
        public function stored(array $ids): LeafRequest
        {
        }

        /**
         * The fields, as Index::fields().
         *
         * @return array<string, array<string, mixed>>
         */
        public function fields(): array
        {
        }
    }

    /**
     * What leaves are asked, and what their responses mean. Immutable; for any number of leaves.
     */
    final class LeafRequest
    {
        /** Requests are made by a LeafClient. */
        private function __construct()
        {
        }

        /**
         * The bytes to send.
         *
         * @param string|null $commit the one commit that may answer, as LeafClient::commit() returns it: others refuse
         * @param int|null $deadline milliseconds after which the leaf stops: hits are then those found so far, and statistics a refusal
         *     (DEADLINE). Suggestions and stored fields take as long as they take
         */
        public function bytes(?string $commit = null, ?int $deadline = null): string
        {
        }

        /**
         * What a response to it says: Hits, an array of them, Statistics, words or stored fields, as the method says that made
         * the request.
         *
         * @return mixed
         *
         * @throws LeafException         if the leaf refused: its code says why
         * @throws StatisticsException   if the leaf needs to know more than the statistics of the request say
         * @throws CorruptDataException  if no leaf responded this: every byte is checked, and that there is what was asked for, and no
         *     more
         */
        public function read(string $response): mixed
        {
        }
    }
}
