<?php

/**
 * Postings: a ranked, durable search index, as it is searched. docs/index.md is the guide.
 *
 * What searches find, Hits, is in hits.stub.php; SearchStream, which answers while PHP goes on, in stream.stub.php; IndexWriter,
 * which fills the index, in writer.stub.php; exceptions and PostingList are in postings.stub.php.
 */

namespace Postings {

    /**
     * Which words of a query a document must have. Wherever a Matching is expected, its value or name as a string does as
     * well, in any case: 'all', 'any', 'all-then-any', 'AllThenAny'.
     *
     * Parameters have the default 'all' and not Matching::All: PHP compiles the constant again in each call in which a later
     * argument is given by name, which takes longer than many a search.
     */
    enum Matching: string
    {
        /** All words. */
        case All = 'all';

        /** At least one word. */
        case Any = 'any';

        /** All words; if fewer documents than wanted have all, those with some of them follow, best first. */
        case AllThenAny = 'all-then-any';
    }

    /**
     * An index, open for searching, as of one commit (a snapshot). Opening takes well below a millisecond. Nothing that a
     * writer does changes what an object finds, until reload().
     *
     * Queries are what a visitor types:
     *
     *     fast lists            words
     *     "posting list"        a phrase
     *     "posting list"~2      the words of a phrase, moved by 2 words in all
     *     -word -"a phrase"     not with it
     *     +word +"a phrase"     only with it, also with 'any' and 'all-then-any'
     *     word^2 "a phrase"^0.5 counts for more or less, 0.001 to 1000
     *     title:word            only in that text field
     *     comp*                 words that begin so, the 1,000 most frequent ones; the word itself comes first
     *     serach~ serach~2      words within 1 or 2 edits, the closest 1,000; the word itself comes first
     *
     * A query never throws: unbalanced quotes and lone operators are text, and bytes that are not UTF-8 are in no word. An
     * empty query matches every document; one with signs or stop words only matches none. Prefixes and fuzzy words are
     * compared with words as they were written, but for case and folding; if the field's analyzer stems, each word is then searched
     * by its stem. A single Chinese or Japanese character finds only pairs that begin with it.
     *
     * Scores are BM25 as tantivy and Lucene define it, with k1 and b, per word and field times the field's weight, summed.
     * Field lengths above 40 are rounded down to 8 steps per doubling. Statistics are those of all segments, with deleted
     * documents until a merge removes them. Hits with equal scores are in the order in which documents were added.
     *
     * Parameters that searches share:
     * - $matching: which words a document must have.
     * - $filter: conditions, all of which must hold. Keyword field => a value, or a list of values of which the document has
     *   one (of an empty list, none has). Numeric field => a number, or [lowest, highest], null for none. Elements without a
     *   name: a Filter, a PostingList of docIDs, or an array of conditions.
     * - $sort: field => 'asc' or 'desc', the first one first, in place of the score; ':score' and ':id' as fields. Numeric fields
     *   by number; keyword fields by the bytes of their UTF-8, ascending by a document's least value, descending by its
     *   greatest. Geo field => a point, [latitude, longitude] or ['lat' => …, 'lng' => …]: the nearest documents first.
     *   Documents without a value come last. ':id': integers before strings. Equal ones are in the order in which
     *   documents were added.
     * - $typos: how many edits each plain word forgives (not phrases, excluded words, and words with ~ or *): 'auto' (none up
     *   to 3 letters, one up to 7, two in longer words), or 0 to 2. The first letter must be right.
     * - $prefix: whether the last word, if it is a plain word, also stands for words that begin with it, or with a typo of it.
     * - $fields: names of the only text fields that are searched, and that `field:word` can name; null: all.
     * - $syntax: false: everything typed is plain words.
     * - $maxWords: the words after so many are ignored; null: none.
     * - $synonyms: word or words => what else they stand for, a string or a list of strings; several words are a phrase.
     * - $weights: text field => a number from 0.001 to 1000 in place of the field's weight; 0: not searched, unless the
     *   query names it.
     * - $facets: names of keyword and numeric fields, or name => the most values (10), for Hits::$facets.
     * - $distinct: the first hit of each value of this field; the least of several values counts, and hits without one are all
     *   returned. Pages are full as long as there are such hits. Total and facets are of all documents.
     * - $statistics: those of several indexes, in place of this one's: see Statistics.
     * - $weighted: weights field => term => weight, for learned sparse models: products of this weight and the document's are
     *   added to the score. Terms are taken as they are, at most 16,384 in all, and weights are from 0 to 1e9. Documents need have
     *   none of the terms, unless the query has no words: then they must have one. The sum is exact with respect to the stored
     *   weights and to these, rounded to the 2^24th part of their sum.
     * - $after: a hit; those that follow it are returned, of any page at the price of the first. Or what it is found by: a
     *   value for each key of $sort (or the score; of a geo field the distance), null for none, then the id. Not with
     *   $distinct or 'all-then-any'.
     *
     * Parameters that highlight(), snippet() and matches() share:
     * - $before, $after: HTML before and after each mark; as it is.
     * - $escape: false: the text stays as it is. Then what is no HTML must be escaped by you.
     * - $orNull: null for a text in which nothing matches.
     * - $field: the text field that the text is of: marked is what the query looks for there (words without a field if the
     *   field is searched, `title:word` in the field title), by its analyzer; null: in any field, by the analyzer of each.
     *
     * Methods, in this order: opening (open() to drop()); searching (search() to warm()) and counting (count() to statistics());
     * completing what is typed (suggest()); showing hits (explain() to matches()); what is like a document or a vector (similar() to
     * nearestBatch()); terms (terms() to occurrences()); copies and other formats (snapshot() to exportPisa()); single documents
     * (id() to stored()); and the index itself (reload() to analyzer()).
     *
     * Of terms(), postings() and occurrences(), $field is a text or keyword field; null: the first text field. Terms are not
     * analysed.
     *
     * All methods throw ValueError or TypeError, naming the field, if an option does not fit; CorruptDataException, naming
     * file, part and offset, if a part of the index that is used for the first time is damaged; IndexException if a file was
     * truncated meanwhile; StatisticsException if $statistics are of another schema or analyzer, or do not tell what a query asks
     * for, which it names.
     */
    final class Index implements \Countable
    {
        /** Indexes are opened by open(). */
        private function __construct()
        {
        }

        /**
         * Opens the index in a folder as of its last commit.
         *
         * @throws IndexException if there is none (IndexException::MISSING), or open_basedir does not allow it
         * @throws CorruptDataException
         */
        public static function open(string $path): self
        {
        }

        /**
         * Whether a folder has an index, be it a damaged one: whether open() would find a manifest.
         *
         * @throws IndexException if that cannot be known, or open_basedir does not allow it
         */
        public static function exists(string $path): bool
        {
        }

        /**
         * Removes an index: its files, and the folder if nothing else is in it and it is no symbolic link. Returns whether
         * there was one. Readers that have it open go on; damaged indexes are removed, too. If it is interrupted, there is no
         * index any more, and another call removes what is left.
         *
         * @throws LockedException if a writer has the index; nothing was removed
         * @throws IndexException if `manifest` is not that of an index or one of the files is a symbolic link (nothing was
         *     removed), if a file cannot be removed, or open_basedir does not allow it
         */
        public static function drop(string $path): bool
        {
        }

        /**
         * The best hits of a query, from the CPU or a device, as searchBatch() with one query: with postings.offload=auto
         * from a device where that is expected to be faster.
         *
         * Words and vectors together:
         * - $nearest: vector field => a vector, as nearest() takes it: hits are also the documents with the nearest
         *   vectors. They are in the order of $fusion, so not with $sort, $distinct or $after; total and facets are those of
         *   what the query finds, and a query without words finds nothing. Exclusions and fields (`-word`, `title:word`) are the
         *   query's alone; $filter is of both.
         * - $fusion: how both become one list. 'rrf', by ranks (Cormack, Clarke and Büttcher 2009): the sum of 1 / (60 + rank)
         *   over the lists that a document is in; each has 100 hits, or $offset + $limit if that is more. Or weights, from 0 to
         *   1,000,000, of 'text' and the vector fields: the sum of weight times score, or similarity, over all documents; 0
         *   where a document does not match or has no vector. Equal ones are in the order in which documents were added.
         *
         * @param int $limit the most hits to return
         * @param int $offset hits to leave out at the front
         * @param array<int|string, mixed> $filter
         * @param array<string, string|array<float>> $sort
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @param bool $total whether to count all documents that match, which costs about as much as count()
         * @param float $k1 0 to 1000: how slowly further occurrences of a word stop mattering
         * @param float $b 0 to 1: how much long texts are penalised
         * @param array<int|string, int|string> $facets
         * @param ?string $distinct a keyword or numeric field
         * @param Hit|list<mixed>|null $after
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
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
            array $nearest = [],
            array|string $fusion = 'rrf',
            array $weighted = [],
        ): Hits {
        }

        /**
         * As search() for each of many queries; keys are kept. A query is a string, or an array with one as 'query', terms with
         * weights as 'weighted' and vectors as 'nearest', as search() takes them. Queries without vectors are searched for as if there
         * were no $fusion; of the weights of $fusion, those of fields in which a query has no vector count for nothing.
         *
         * On the CPU they are spread over up to postings.threads threads, one for every eight queries. A device ranks them
         * together, with postings.offload=auto if there is a GPU or an accelerator and the batch is large enough. Results are
         * the same, to the last bit of the scores. Vectors of all queries are compared together, as nearestBatch() does it, unless
         * $fusion has weights.
         *
         * Of a batch that a device ranks, the CPU answers meanwhile the queries with more than 256 terms, a word, phrase,
         * prefix or fuzzy word counting once for each field in which it is searched. Batches with $sort, $facets, $distinct or
         * $after, or with more than 1,024 hits per query ($offset + $limit), stay on the CPU altogether. The lists of a query
         * are sent the first time that it needs them and stay in device memory, within postings.device_memory; see warm().
         * Those of phrases, prefixes and fuzzy words are put together first, which takes about as long as a search on the CPU.
         *
         * @template K of array-key
         * @param array<K, string|array{query?: string, weighted?: array<string, array<int|float>>, nearest?: array<string, string|list<int|float>>}> $queries
         * @param array<int|string, mixed> $filter
         * @param array<string, string|array<float>> $sort
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @param ?int $deadline milliseconds after which queries that are not finished come back as empty Hits with `expired`. A
         *     call of a device that has begun is waited for, within postings.device_timeout. null: none
         * @param array<int|string, int|string> $facets
         * @param ?string $distinct a keyword or numeric field
         * @param Hit|list<mixed>|null $after
         * @param 'rrf'|array<string, int|float> $fusion as search() takes it, for all queries with vectors
         * @return array<K, Hits>
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
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
            array|string $fusion = 'rrf',
        ): array {
        }

        /**
         * A stream of queries that are answered in the background, for workers that live long: see SearchStream. It keeps this
         * snapshot, whatever is committed, reloaded or dropped meanwhile, and the settings of now.
         *
         * Unless postings.offload is 'never', opens the device, which takes 0.1 to 1 s the first time; with 'auto' only a GPU
         * or an accelerator. What searchBatch() says of devices holds here, too.
         *
         * @param array<int|string, mixed> $filter
         * @param array<string, string|array<float>> $sort
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @param ?int $deadline milliseconds after which a query that was not begun comes back as empty Hits with `expired`;
         *     null: none
         * @param int $capacity the most queries that were not taken, 1 to 1,048,576
         * @param array<int|string, int|string> $facets
         * @param ?string $distinct a keyword or numeric field
         * @param Hit|list<mixed>|null $after
         * @param 'rrf'|array<string, int|float> $fusion as searchBatch() takes it
         */
        public function stream(
            int $limit = 10,
            int $offset = 0,
            Matching|string $matching = 'all',
            array $filter = [],
            array $sort = [],
            array $weights = [],
            bool $total = false,
            float $k1 = 1.2,
            float $b = 0.75,
            ?int $deadline = 500,
            int $capacity = 65536,
            array $facets = [],
            ?string $distinct = null,
            Hit|array|null $after = null,
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
            array|string $fusion = 'rrf',
        ): SearchStream {
        }

        /**
         * Sends the lists of these queries to the device, so that no later search waits for them; also opens the device and
         * builds its kernels. For workers that live long: they pass a log of queries, or a list of words, when they start.
         * $matching, $weights, $k1 and $b should be those of the searches to come.
         *
         * If postings.device_memory has no room for all, those that are in the most queries are sent. After reload(), the
         * lists of new segments, and a table per field, are sent when they are needed, or by another warm().
         *
         * @param iterable<string> $queries those that a device does not rank are passed over
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @return int the lists that are in device memory then, one for each term, phrase, prefix or fuzzy word in each
         *     field and segment; 0 if there is no device that postings.device and postings.offload allow. Of several
         *     devices, each gets the lists, and the least number counts, unless each has segments of its own: then all count
         */
        public function warm(
            array|\Traversable $queries,
            Matching|string $matching = 'all',
            array $weights = [],
            float $k1 = 1.2,
            float $b = 0.75,
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
        ): int {
        }

        /**
         * How many documents match; with 'all-then-any', those with any of the words. `count($index)` is the number of all
         * documents.
         *
         * @param array<int|string, mixed> $filter
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @param array<string, array<int|float>> $weighted
         */
        public function count(
            string $query = '',
            Matching|string $matching = 'all',
            array $filter = [],
            array $weights = [],
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
            array $weighted = [],
        ): int {
        }

        /**
         * The values of a keyword field in the documents that match, with the number of these documents: the most frequent
         * first, equal ones in the order of their bytes; with 'all-then-any', in those with any of the words. Several
         * fields at once, with hits: $facets of search(). Values that are integers are so as keys.
         *
         * @param array<int|string, mixed> $filter
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @param array<string, array<int|float>> $weighted
         * @return array<int|string, int>
         */
        public function facets(
            string $field,
            string $query = '',
            Matching|string $matching = 'all',
            array $filter = [],
            int $limit = 10,
            array $weights = [],
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
            array $weighted = [],
        ): array {
        }

        /**
         * What searches for these queries need to know of the documents of this index, to be added to what others say: see
         * Statistics. With $statistics, the sum of a first round, it also tells of all that searches by that sum ask for.
         * Takes looking up each word, and for prefixes and fuzzy words about as long as searching for them.
         *
         * $weights, $typos, $prefix, $fields, $syntax, $maxWords and $synonyms must be those of the searches, because they decide which
         * words are searched where.
         *
         * @param list<string>|string $queries
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         */
        public function statistics(
            array|string $queries,
            array $weights = [],
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
        ): Statistics {
        }

        /**
         * Completions of the last word of what a visitor has typed so far, the most frequent first, with the number of
         * documents containing each, added up over fields, deleted ones included until a merge removes them. They are words as
         * they were written, but for case and folding. If the analyzer stems, numbers are estimates once documents were
         * deleted, and segments of earlier releases have stems instead. Words that are integers are so as keys.
         *
         * @param ?string $field a text field; null: all
         * @return array<int|string, int>
         */
        public function suggest(string $text, int $limit = 8, ?string $field = null): array
        {
        }

        /**
         * Explains the score of a document; null if there is no such document.
         *
         * Each part is what a clause of the query adds in a field: the clause as it was understood, the words that it stands
         * for (term), how often the field has it, the field's length as rounded, how many documents of the index contain
         * it, its idf, by how much it counts for less than what was typed (discount: 1, or less for words that a prefix or fuzzy
         * word stands for), its weight (idf · (k1 + 1) · the field's · how often it was typed · discount) and its score. Of a term of
         * $weighted, weight is the query's, score its product with the document's, length the number of weights that the document
         * has, and frequency, idf and discount are 1.
         *
         * With $nearest, also what the list of both makes of the document (fused) and what each list adds to that: of the query
         * ('text') and of each vector field its score or similarity, null if it does not match or has no vector; by ranks its
         * place, null if it is not among the first 100.
         *
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @param array<string, string|list<int|float>> $nearest as search() takes it
         * @param 'rrf'|array<string, int|float> $fusion
         * @param array<string, array<int|float>> $weighted
         * @return ?array{matches: bool, score: float, parts: list<array{clause: string, field: string, term: string, frequency: int, length: int, documents: int, idf: float, discount: float, weight: float, score: float}>, fused?: float, lists?: list<array{field: string, score: ?float, rank: ?int, adds: float}>}
         */
        public function explain(
            string $query,
            int|string $id,
            Matching|string $matching = 'all',
            array $weights = [],
            float $k1 = 1.2,
            float $b = 0.75,
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
            ?Statistics $statistics = null,
            array $nearest = [],
            array|string $fusion = 'rrf',
            array $weighted = [],
        ): ?array {
        }

        /**
         * Passages of a text as HTML, with what the query matches marked (see highlight()): of all passages the one
         * with the most different words of the query, then with the most, then the first; the beginning of the text if
         * nothing matches. O(bytes), for each fragment O(matches).
         *
         * Of several $fragments, each further one is chosen in the same way among the rest, words that were not shown
         * yet first; there are fewer if the rest has no match. They are shown in the order of the text. $ellipsis
         * stands where text is left out: at the beginning, at the end, and between two fragments, where a space follows
         * it. Those without text between them are joined.
         *
         * @param string $text of any source; the index does not need to store it
         * @param int $length of each fragment, in characters, about
         * @param string $ellipsis as it is
         * @param int $fragments the most fragments, 1 to 100
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @return ($orNull is true ? ?string : string)
         */
        public function snippet(
            string $query,
            string $text,
            int $length = 200,
            string $before = '<mark>',
            string $after = '</mark>',
            string $ellipsis = '…',
            int $fragments = 1,
            bool $escape = true,
            bool $orNull = false,
            ?string $field = null,
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
        ): ?string {
        }

        /**
         * A text as HTML, with what the query matches marked. Give $typos, $prefix, $fields, $syntax, $maxWords and
         * $synonyms as in the search: marked is what it finds.
         *
         * Words of prefixes and typos are compared as they are written and as the index has them (stems), one of which
         * must fit. A phrase is one mark, and its words are not marked elsewhere, unless the query has them as words
         * too. Of a phrase with slop, each word is a mark, where all are close enough (of the first eight such phrases;
         * of others, everywhere). Marks that overlap are joined. Excluded words are not marked. O(bytes), whatever the
         * query.
         *
         * The text is escaped, so the result is safe between tags; bytes that are not UTF-8 become U+FFFD.
         *
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @return ($orNull is true ? ?string : string)
         */
        public function highlight(
            string $query,
            string $text,
            string $before = '<mark>',
            string $after = '</mark>',
            bool $escape = true,
            bool $orNull = false,
            ?string $field = null,
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
        ): ?string {
        }

        /**
         * Where highlight() with the same arguments sets marks: offset and length of each in bytes of $text, as
         * substr() takes them, in order. Empty if nothing matches.
         *
         * @param ?list<string> $fields
         * @param array<string, string|list<string>> $synonyms
         * @return list<array{offset: int, length: int}>
         */
        public function matches(
            string $query,
            string $text,
            ?string $field = null,
            int|string|false|null $typos = null,
            bool $prefix = false,
            ?array $fields = null,
            bool $syntax = true,
            ?int $maxWords = null,
            array $synonyms = [],
        ): array {
        }

        /**
         * Documents that are like another one, or like a text: those with any of its best words, best first.
         *
         * These are the $words terms with the greatest tf · idf: how often the document has a term in $fields, times
         * the idf of the term in that field of them in which it is most frequent (see docs/index.md). They are searched
         * for as `"word"^boost`, with 1 for the best and for others their part of its tf · idf. Terms that no other
         * document has do not count. The document itself is not among the hits.
         *
         * Takes as long as a search with any of so many words, and as analysing the text and looking up each different
         * term.
         *
         * @param int|string|null $id a document, whose stored texts are taken unless $text is given
         * @param ?string $text a text; with an id, the text of that document
         * @param array<int|string, mixed> $filter
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields the text fields that words are taken from and searched in; null: all
         * @param int $words 1 to 1,000
         * @throws \ValueError if there is no such document, its texts are not stored, or neither id nor text is given
         */
        public function similar(
            int|string|null $id = null,
            ?string $text = null,
            int $limit = 10,
            int $offset = 0,
            array $filter = [],
            array $weights = [],
            ?array $fields = null,
            int $words = 25,
            float $k1 = 1.2,
            float $b = 0.75,
        ): Hits {
        }

        /**
         * similar() for many documents or texts, with the same results, by threads and devices as searchBatch().
         *
         * @template K of array-key
         * @param array<K, int|string> $ids
         * @param array<K, string> $texts a key that $ids has too is the text of that document
         * @param array<int|string, mixed> $filter
         * @param array<string, int|float> $weights
         * @param ?list<string> $fields
         * @return array<K, Hits> with the keys of $ids, then the others of $texts
         * @throws \ValueError as similar() does: for the first document that it would
         */
        public function similarBatch(
            array $ids = [],
            array $texts = [],
            int $limit = 10,
            int $offset = 0,
            array $filter = [],
            array $weights = [],
            ?array $fields = null,
            int $words = 25,
            float $k1 = 1.2,
            float $b = 0.75,
        ): array {
        }

        /**
         * The documents whose vectors in a field are the nearest, the most similar first. Scores are similarities: the
         * cosine; the sum of products; of 'euclidean' 1 / (1 + d²), d being the distance. Equal ones are in the order in which
         * documents were added. Documents without a vector are not found.
         *
         * Exact without $probes, whatever the vectors are: codes of 2 and 4 bits a dimension bound how similar each one can be,
         * and those that may be among the nearest are compared themselves. Takes about as long as reading 2 bits a dimension
         * (10 ms for a million of 384 on one thread; up to postings.threads divide them), more where vectors are much alike; with a
         * filter, as long as the filter, and some 50 ns for each document that passes. A device may do the first part
         * (postings.offload); the result is the same.
         *
         * @param string $field a vector field
         * @param string|list<int|float> $vector as many numbers as the field has dimensions; or 32-bit floats in a string, as
         *     pack('g*', …) gives
         * @param array<int|string, mixed> $filter
         * @param ?int $deadline milliseconds after which hits come back empty and `expired`; null: none
         * @param ?int $probes how many clusters are looked at in each segment, at least 1: those whose centroids are the closest to
         *     the vector. The hits are the nearest of these clusters' vectors, so nearer ones of others may be missing.
         *     Fewer take less time; with as many as there are clusters, about twice the root of the number of vectors, nothing
         *     is missing. Segments of fewer than 4,096 vectors are looked at as a whole. For fields with 'clusters' => true.
         *     null: all vectors
         * @throws \ValueError if the field has no vectors, numbers are too many, too few or not finite, or all are 0 and
         *     the metric is 'cosine'; if $probes is less than 1, or the field has no clusters
         */
        public function nearest(
            string $field,
            array|string $vector,
            int $limit = 10,
            int $offset = 0,
            array $filter = [],
            ?int $deadline = null,
            ?int $probes = null,
        ): Hits {
        }

        /**
         * nearest() for many vectors, with the same results, on up to postings.threads threads, or with a device's help
         * (postings.offload).
         *
         * @template K of array-key
         * @param array<K, string|list<int|float>> $vectors
         * @param array<int|string, mixed> $filter
         * @return array<K, Hits>
         * @throws \ValueError as nearest() does, for the first vector that it would
         */
        public function nearestBatch(
            string $field,
            array $vectors,
            int $limit = 10,
            int $offset = 0,
            array $filter = [],
            ?int $deadline = null,
            ?int $probes = null,
        ): array {
        }

        /**
         * The terms of a field (stems, if the analyzer stems) that begin with $prefix, in the order of their bytes, with the
         * number of documents containing each, deleted ones included until a merge removes them. Terms that are integers are
         * so as keys.
         *
         * @return array<int|string, int>
         */
        public function terms(string $prefix = '', ?string $field = null, int $limit = 100): array
        {
        }

        /**
         * The docIDs of the documents containing a term, without deleted ones, to be intersected with other lists. O(list).
         */
        public function postings(string $term, ?string $field = null): PostingList
        {
        }

        /**
         * How often a field has a term in all documents together, deleted ones included until a merge removes them.
         * (How many documents have it: terms().) In a keyword field, each document has a value once. A look-up in each
         * segment.
         */
        public function occurrences(string $term, ?string $field = null): int
        {
        }

        /**
         * Makes a folder an index as of the commit that this object has open, while writers go on; returns the number of that
         * commit. Creates the folder, or brings it up to date if it has an earlier commit of this index: new files first, then
         * the manifest, durably, then what that no longer names is removed. So readers of the folder have one commit or the
         * other, and move on with reload(). Files of others stay.
         *
         * Files are hard links if the file system allows them: O(new segments), and no room on the disk until one of the two
         * folders loses them. Otherwise they are copies of their bytes, whose checksums are compared. The folder's `lock` is
         * held meanwhile. A writer may open the folder later, which makes it an index of its own: do not snapshot() to it then.
         *
         * @throws LockedException if a writer, or another snapshot(), has the folder
         * @throws IndexException if the folder has another index, a later commit, or commits that cannot be earlier ones of this
         *     index (Index::drop() it first); if files cannot be read or written, or open_basedir does not allow it. The folder
         *     has what it had then, unless the message says that the commit is visible
         * @throws CorruptDataException if a file is damaged
         * @throws \ValueError if it is the folder of this index
         */
        public function snapshot(string $folder): int
        {
        }

        /**
         * The files of which this commit consists, in an order in which they can be copied elsewhere: the manifest last. Files
         * never change; a writer removes those that its last commit does not name. Take them from a snapshot(), which keeps
         * them until the next one.
         *
         * 'bytes' is the length. 'crc32' is a CRC-32 in 8 hexadecimal digits, as hash('crc32b', …) gives it, and is what the file
         * ends with, not that of the whole file: of the manifest and `*.deleted`, that of all but the last 4 bytes; of
         * `*.segment`, that of the footer, which has the checksums of everything before. Files of one name with the same length
         * and checksum have the same contents.
         *
         * @return list<array{name: string, bytes: int, crc32: string}>
         */
        public function files(): array
        {
        }

        /**
         * Writes a text field as a CIFF file (Common Index File Format), which PISA, Anserini, Terrier and others read; returns
         * the number of documents. The file has terms, docIDs, frequencies, ids (integers as digits) and lengths, which are
         * exact up to 40 tokens and rounded down above; it has no positions, and no deleted documents. It appears, or
         * replaces another, once it is whole; until then it is "$path.part". Decodes all lists of the field, and takes memory
         * for the longest.
         *
         * @param ?string $field a text field; null: the first
         * @throws \ValueError if a term or an id is not UTF-8
         * @throws IndexException if the file cannot be written, or open_basedir does not allow it
         */
        public function exportCiff(string $path, ?string $field = null): int
        {
        }

        /**
         * Writes a text field as a collection of PISA; returns the number of documents. As exportCiff(), in five files:
         * "$basename.docs", ".freqs", ".sizes", ".terms" and ".documents".
         *
         * @param ?string $field a text field; null: the first
         * @throws \ValueError if a term or an id is not UTF-8, or contains a line break
         * @throws IndexException if a file cannot be written, or open_basedir does not allow it
         */
        public function exportPisa(string $basename, ?string $field = null): int
        {
        }

        /** The id of the document with that docID in this snapshot; null if there is none. */
        public function id(int $docId): int|string|null
        {
        }

        /** The docID, in this snapshot, of the document with that id; null if there is none. */
        public function docId(int|string $id): ?int
        {
        }

        /**
         * The stored values of a document, as Hit::$fields has them; null if there is no such document.
         *
         * @return ?array<string, string|float|list<string>>
         */
        public function stored(int|string $id): ?array
        {
        }

        /** Moves to the last commit; returns whether there was a newer one. Takes some microseconds if not. */
        public function reload(): bool
        {
        }

        /** The number of documents. O(1). */
        public function documents(): int
        {
        }

        /** The number of the commit. */
        public function generation(): int
        {
        }

        /**
         * The fields, as IndexWriter::open() takes them.
         *
         * @return array<string, array<string, int|float|bool|string|Analyzer>>
         */
        public function fields(): array
        {
        }

        /**
         * How texts become terms.
         *
         * @param ?string $field in that text field; null: in fields without an analyzer of their own
         * @throws \ValueError if there is no such text field
         */
        public function analyzer(?string $field = null): Analyzer
        {
        }
    }
}
