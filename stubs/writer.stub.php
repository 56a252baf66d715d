<?php

/**
 * Postings: how an index is filled, and how text becomes terms. docs/index.md is the guide.
 *
 * Index, which searches it, is in index.stub.php; exceptions are in postings.stub.php.
 */

namespace Postings {

    /**
     * Fills and changes an index, a folder of files. There is one writer per index at a time; any number of readers (Index)
     * go on meanwhile.
     *
     * Nothing is visible or durable before commit(). A writer that ends without it (also by a crash) leaves the index as
     * it was. The lock is released by close(), or when the object or the process ends. After a fork only the parent can use
     * the writer.
     *
     * ids are int or string, and keep their type: 7 and '7' are two documents. PHP's own array keys do not: `['7' => …]`
     * has the key 7, also in what addAll() is given as an array. A generator (`yield '7' => …`) keeps the string.
     *
     * All methods throw IndexException if files cannot be read or written (then changes stay pending and commit() can be
     * called again, unless the message says that they are lost: rollback(), and make them again), CorruptDataException if
     * the index is damaged, and Error once the writer is closed. memory_limit does not count a writer's memory.
     */
    final class IndexWriter
    {
        /** Writers are made by open(). */
        private function __construct()
        {
        }

        /**
         * Opens the index in a folder, or creates it and the folder.
         *
         * @param ?array<string, array{weight?: int|float, analyzer?: ?Analyzer, text?: bool, keyword?: bool, numeric?: bool, geo?: bool, vector?: int, metric?: string, clusters?: bool, weights?: bool, bits?: int, stored?: bool, indexed?: bool}> $fields
         *     the fields of documents, 1 to 255 (each kind counted), by name. Without options a field is text: analysed,
         *     searched, scored, times its 'weight' (default 1, from 0.001 to 1000). 'analyzer': how its texts, and queries in
         *     it, become terms; null: by $analyzer. A word of a query that the analyzer of a searched field leaves out is
         *     optional. 'keyword': one or more whole values per document, for filters and facets. 'numeric': one or more
         *     numbers, for filters and sorting. Several of 'text' (or 'weight'), 'keyword' and 'numeric' are kinds of one
         *     value. 'geo': one point on the earth per document, for filters by area and sorting by distance; it is no other
         *     kind. 'vector': how many numbers (1 to 4,096) a vector has, of which a document has one, for Index::nearest();
         *     it is no other kind, and not stored. 'metric': how vectors are compared: 'cosine' (the default), 'dot' or
         *     'euclidean'. 'bits' of vectors: 32 (the default) or 16, the floats to which their numbers are rounded; those
         *     that are not finite as such are refused, with 16 from 65,520 on. 'clusters': whether vectors are also kept in
         *     clusters of similar ones, for $probes of Index::nearest(), in segments with at least 4,096; they are made when a
         *     segment is written or merged, which then takes more than twice as long. 'weights': terms with weights, of which a
         *     document has an array (term => number), for $weighted of Index::search(); it is no other kind, and not stored.
         *     Terms have 1 to 1,000 bytes and are taken as they are; weights are from 0 to what 'bits' allow, and 0 is none.
         *     'bits' of weights: how many one is kept in: 8 (the default: at most 248, with a relative error of 1/32 at most;
         *     those below 1/256 count as that), 16 (at most 239; 1/8192; 1/256) or 32 (below 65,536; exact; 2^-32). 'stored':
         *     keeps values, to be returned with hits; with 'indexed' => false that is all. Names must be UTF-8 without ':'
         *     and white space, and those of new fields must not begin with '-' or a quotation mark. An index that exists gets
         *     each 'weight', 'clusters' (of segments that are written from then on) and new fields by the next commit;
         *     everything else must be as it was, in any order. null: those of the index, which must exist
         * @param ?Analyzer $analyzer how texts become terms in fields without an analyzer of their own; null: words are only
         *     lower-cased or, without $fields, that of the index. An existing index is opened only with its own positions and
         *     analyzers
         * @param bool $positions whether positions of terms are kept, without which phrases are only words that occur
         *     together. Without $fields it means nothing
         * @param int $memory bytes for documents that are not written yet, at least 16 MiB: if all that a commit adds fits, it is written once
         * @param ?int $threads of adding and committing, 1 to 256; null: as postings.threads
         * @param ?Codec $frequencyCodec how frequencies are stored in terms of more than 128 documents: BP128, VariableByte,
         *     Rice, PForDelta, PForDeltaSegments, NewPFD, OptPFD, ParaPFor or Simple16. null: as the index has them, in a new
         *     one BP128, the fastest. What is found is the same with all. It may change: what is written
         *     from then on has the new codec, and optimize() rewrites the rest
         * @param ?Codec $positionCodec the same for positions
         * @param int $wait milliseconds to wait if another writer has the index; 0: not at all. Looks 20 times per second.
         *     Handlers of signals run meanwhile (with pcntl_async_signals()); what they throw ends the wait
         * @throws LockedException if another writer has the index (the message has the process id that the file `lock`
         *     names)
         * @throws IndexException if one of its files is a symbolic link, or there is none and no $fields
         * @throws \ValueError if fields are not valid, or the index was created otherwise (the message says in what); if
         *     a codec cannot code all values (the message names those that can)
         */
        public static function open(
            string $path,
            ?array $fields = null,
            ?Analyzer $analyzer = null,
            bool $positions = true,
            int $memory = 67108864,
            ?int $threads = null,
            ?Codec $frequencyCodec = null,
            ?Codec $positionCodec = null,
            int $wait = 0,
        ): self {
        }

        /**
         * Adds a document from the next commit on, in place of one with that id.
         *
         * @param array<string, mixed>|string $document values by field; null or a missing field is no value. Text:
         *     string|Stringable|int|float|DateTimeInterface, or a list of string|int|float. Keyword: the same and bool, up to
         *     1,000 bytes each. Numeric: int|float|bool|DateTimeInterface, or a list of these; finite, integers up to ±2^53 (a
         *     float is exact no further). Cases of backed enums are their values. A string is the value of the first field
         * @throws \ValueError|\TypeError naming the field; nothing was added then
         */
        public function add(int|string $id, array|string $document): void
        {
        }

        /**
         * As add(), with the caller's own terms in place of the analyzer's: text fields take a list of string|int. Terms of
         * more than 255 bytes are not indexed, but take a position. Searches compare them with terms of the field's analyzer.
         *
         * @param array<string, mixed> $document
         * @throws \ValueError|\TypeError
         */
        public function addTokens(int|string $id, array $document): void
        {
        }

        /**
         * Adds many documents; returns how many. What a generator or the callback throws passes through, and documents
         * before it stay pending.
         *
         * @param \Traversable|array<int|string, array<string, mixed>|string> $documents id => document, as add() takes it
         * @param ?callable(int): mixed $progress called with the number of documents so far, after every 1,000 and at
         *     the end
         * @throws \ValueError|\TypeError naming document and field
         */
        public function addAll(\Traversable|array $documents, ?callable $progress = null): int
        {
        }

        /**
         * Adds the documents of a CIFF file (Common Index File Format), from the next commit on; returns how many. Their terms
         * go into a text field without being analysed, and their names become ids, always strings: a document with such an id
         * is replaced. The file has no positions, so phrases find nothing sensible in what comes from it: create the index
         * with `positions: false`.
         *
         * The file is read at least twice, and once more for every `memory` bytes of documents: give the writer more
         * for large files. It is checked whole before anything is added.
         *
         * @param ?string $field a text field; null: the first
         * @throws CorruptDataException if the file is damaged; nothing was added
         * @throws \ValueError if a document has more than 4,194,304 tokens; rollback() drops those before it
         * @throws IndexException if the file cannot be read, or open_basedir does not allow it
         */
        public function importCiff(string $path, ?string $field = null): int
        {
        }

        /**
         * Adds the documents of a collection of PISA: "$basename.docs", ".freqs" and ".sizes", with terms from ".terms" and
         * names from ".documents", one per line. Without ".terms", terms are the numbers of lists from 0 on ('17'); without
         * ".documents", the ids are docIDs, as integers. Otherwise, and in what it throws, as importCiff().
         *
         * @param ?string $field a text field; null: the first
         */
        public function importPisa(string $basename, ?string $field = null): int
        {
        }

        /**
         * Adds all documents of another index, as of its last commit, from the next commit on, without analysing them again;
         * returns how many. They come after all documents of this index, in their order, and replace those with the same ids,
         * also those that were added and not committed. Its deleted documents stay away. The index must have the same fields, in
         * the same order, the same analyzers, and `positions` as this one; weights and codecs may differ. It may have a writer.
         *
         * Documents that were added and not committed are written first. Then the other's segments become this one's:
         * hard links if the file system allows them, otherwise copies. Each id is looked up in this index.
         *
         * @throws \ValueError naming both indexes, and in what they differ; if it is this index
         * @throws IndexException if there is no index, or it cannot be read, or open_basedir does not allow it. Nothing was added
         *     then; the message says so if documents that were not committed are lost
         * @throws CorruptDataException if a file is damaged; nothing was added
         */
        public function addIndex(string $folder): int
        {
        }

        /** Deletes a document from the next commit on; returns whether there was one. */
        public function delete(int|string $id): bool
        {
        }

        /**
         * Deletes the documents that a filter of Index::search() finds, from the next commit on; returns how many. Documents
         * that were added and not committed count, too: they are written as segments first. O(index) at worst, as the filter.
         *
         * @param array<string, mixed> $filter as Index::search() takes it, with at least one condition
         * @throws \ValueError|\TypeError
         */
        public function deleteWhere(array $filter): int
        {
        }

        /** Deletes all documents from the next commit on, those that were not committed, too. Fields and analyzer stay. O(1). */
        public function clear(): void
        {
        }

        /**
         * Makes all changes durable and visible; returns the number of the commit. Without changes it does nothing. Segments
         * are merged so that there are few: over time a document is written about 1 + log16(index / what one commit adds)
         * times, and once more if a commit adds more than $memory holds: what did not fit is merged here.
         */
        public function commit(): int
        {
        }

        /**
         * Commits, and rewrites the index as one segment without what was deleted, with the codecs of this writer: O(index).
         *
         * @param bool $reorder gives similar documents neighbouring docIDs, which takes longer, and makes the index smaller
         *     and searches faster if they were added in an order that says little of their contents. Hits with equal
         *     scores stay in the order in which documents were added
         */
        public function optimize(bool $reorder = false): int
        {
        }

        /** Drops all changes since the last commit. */
        public function rollback(): void
        {
        }

        /**
         * Makes a folder an index as of the last commit, as Index::snapshot(); changes that were not committed stay here.
         * Returns the number of that commit.
         *
         * @throws LockedException|IndexException|CorruptDataException|\ValueError as Index::snapshot()
         */
        public function snapshot(string $folder): int
        {
        }

        /** Whether there are changes that were not committed. */
        public function hasChanges(): bool
        {
        }

        /** Ends the writer, as if the object were destroyed. What was not committed is dropped. */
        public function close(): void
        {
        }

        /** The number of the last commit. A new index has 1. */
        public function generation(): int
        {
        }

        /**
         * As Index::fields().
         *
         * @phpstan-return array<string, array<string, int|float|bool|string|Analyzer>>
         */
        public function fields(): array
        {
        }

        /**
         * How frequencies and positions are stored in what is written.
         *
         * @return array{frequencies: Codec, positions: Codec}
         */
        public function codecs(): array
        {
        }

        /** As Index::analyzer(). */
        public function analyzer(?string $field = null): Analyzer
        {
        }
    }

    /**
     * Makes terms of text, in documents and queries alike. Immutable.
     *
     * Words are found by UAX #29 and lower-cased; Chinese, Japanese, Thai and other scripts without spaces become
     * overlapping pairs of characters. Stemming is Snowball's. Bytes that are not UTF-8 become U+FFFD, which is in no word.
     * Terms of more than 255 bytes are left out.
     *
     * Two analyzers are `==` if they make the same terms of every text. Of this extension's classes, `new` can make
     * only this one and the exceptions.
     */
    final class Analyzer
    {
        /**
         * @param ?string $language whose stemmer to use: one of languages(), or its code ('en'); null: no stemming
         * @param bool $fold whether é and e are the same: removes diacritics and compatibility forms
         * @param array<string>|string|bool $stopWords words to leave out: a list, the language of a built-in list
         *     (stopWords()), or true for that of $language. Words keep their positions, so phrases match only words that
         *     stand so in the text
         * @param bool $parts whether a word that a full stop, a colon or an underscore joins is found by its parts:
         *     `final.pdf`, `sentence.Another`, `mary_jones@example.com`. In texts and queries it is the phrase of its parts.
         *     Numbers (2.50) and single letters (U.S.A) stay together
         * @param array<string> $compounds words that compounds are made of, for German, Dutch and the Nordic languages: with
         *     `handy` and `hülle`, a Handyhülle is found by `hülle` too, and the query `handyhülle` also finds what has
         *     both words in one field. A word is cut if it is two to eight words of the list, the last one in any form
         *     with the same stem, with nothing or e, en, ens, er, es, n or s between them; a word of the list is not. Case
         *     does not count, nor do stop words and single letters. Each commit writes the list: at most 100,000 words,
         *     of 1 MiB in all
         * @throws \ValueError if there is no such language or list, or $compounds is too long
         */
        public function __construct(
            ?string $language = null,
            bool $fold = false,
            array|string|bool $stopWords = [],
            bool $parts = false,
            array $compounds = [],
        ) {
        }

        /**
         * The terms of a text, in its order; those of a compound's parts come after its own. O(bytes).
         *
         * @return list<string>
         */
        public function tokens(string $text): array
        {
        }

        /**
         * What the constructor was given: the language by its full name, stop words and compounds normalized and sorted.
         *
         * @return array{language: ?string, fold: bool, stopWords: list<string>, parts: bool, compounds: list<string>}
         */
        public function options(): array
        {
        }

        /**
         * The language of a text, for the constructor; null if it has no stemmer, or the text leaves doubts, as one of a few
         * words does. Looks at the first 4 KiB.
         */
        public static function detect(string $text): ?string
        {
        }

        /**
         * The languages that have a stemmer, in alphabetical order.
         *
         * @return list<string>
         */
        public static function languages(): array
        {
        }

        /**
         * The built-in stop words of a language: dutch, english, french, german, italian, portuguese, spanish.
         *
         * @return list<string>
         * @throws \ValueError if there is no list for it
         */
        public static function stopWords(string $language): array
        {
        }
    }
}
