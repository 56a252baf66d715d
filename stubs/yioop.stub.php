<?php

/**
 * The lists of Yioop, a search engine in PHP. A list is a string of postings in ascending order of doc index; a posting is
 * a doc index and the positions of the word in that document, packed with Modified 9 (docs/format.md).
 *
 * These functions use a device only if postings.offload is "always".
 */

namespace Postings\Yioop {

    /**
     * The doc indexes of a list, in its order. O(bytes).
     *
     * @return list<int>
     * @throws \Postings\CorruptDataException if the list breaks the format
     */
    function doc_indexes(string $postings): array
    {
    }

    /**
     * All postings of a list, in its order. O(bytes).
     *
     * @return list<array{int, list<int>}> doc index and positions
     * @throws \Postings\CorruptDataException
     */
    function unpack_postings(string $postings): array
    {
    }

    /**
     * A posting as Yioop writes it. O(positions).
     *
     * @param array<int> $positions strictly increasing
     * @throws \ValueError if the format cannot hold a value
     */
    function pack_posting(int $docIndex, array $positions): string
    {
    }

    /**
     * The list with $offset added to every doc index. O(bytes).
     *
     * @throws \Postings\CorruptDataException
     * @throws \ValueError if a doc index would leave the range of the format
     */
    function add_doc_index(string $postings, int $offset): string
    {
    }

    /**
     * The doc indexes that are in all lists, ascending, each with the byte offset of its posting in every list. If the doc
     * indexes of a list decrease somewhere (Yioop writes such lists only by mistake), a posting out of place may not be
     * found; docs/with-yioop.md says which.
     *
     * @return array<int, list<int>>
     * @throws \Postings\CorruptDataException
     */
    function intersect(string $first, string ...$rest): array
    {
    }

    /**
     * Yioop's proximity score: how near to each other the words of a query are in a document. O(positions * lists).
     *
     * @param array<array<int>> $positionLists for each word its positions in the document, ascending
     * @param array<string, int|float> $weights as for Conjunction::of()
     * @throws \ValueError if positions decrease
     */
    function proximity(array $positionLists, bool $isDocument, array $weights = []): float
    {
    }

    /**
     * Whether all phrases occur in a document. O(parts * positions * log(positions)), with the parts of all phrases.
     *
     * @param array<array<int>> $positionLists as for proximity()
     * @param array<array<int|string, int|string>> $phrases as for Conjunction::of()
     * @throws \ValueError if positions decrease
     */
    function phrases_occur(array $positionLists, array $phrases): bool
    {
    }

    /**
     * A shard file of Yioop: the inverted index of one generation of documents. The header is read when the file is
     * opened, everything else on request: one to three small reads per call; iteration reads 16 KiB for 512 records of the
     * dictionary. If the file changes while it is open, calls throw CorruptDataException or return the new contents.
     *
     * @implements \IteratorAggregate<string, array{int, int, int}> word key (20 bytes) => as lookup(), keys ascending;
     *     empty if the shard was saved without its dictionary
     */
    final class Shard implements \IteratorAggregate
    {
        private function __construct()
        {
        }

        /**
         * Opens a shard file.
         *
         * @throws \Postings\CorruptDataException if the header and the length of the file disagree
         * @throws \Error if the file cannot be read, or open_basedir does not allow it
         */
        public static function open(string $path): self
        {
        }

        /**
         * The header: the sizes of the file's regions in bytes (prefixes_len, words_len, word_docs_len, doc_map_len), the
         * generation, docs_per_generation, the numbers of documents and links (documents, links), and their total lengths
         * in words (documents_len, links_len).
         *
         * @return array<string, int>
         */
        public function header(): array
        {
        }

        /**
         * First offset, last offset (both in bytes) and number of documents of a word's list; null if the shard does not
         * have the word. The list ends 4 bytes after the last offset. For long lists Yioop stores no number of documents,
         * and a quarter of their size in bytes is returned instead.
         *
         * @return array{int, int, int}|null
         * @throws \Postings\CorruptDataException
         * @throws \ValueError if the key is not 20 bytes long, or the shard was saved without its dictionary
         */
        public function lookup(string $wordKey): ?array
        {
        }

        /**
         * The posting list of a word, as bytes; empty if the shard does not have the word.
         *
         * @throws \Postings\CorruptDataException
         * @throws \ValueError as lookup()
         */
        public function postings(string $wordKey): string
        {
        }

        /**
         * The posting list at these offsets, which come from lookup() or from the site's own dictionary.
         *
         * @throws \Postings\CorruptDataException
         * @throws \ValueError if the offsets are outside the shard's lists
         */
        public function postingsAt(int $firstOffset, int $lastOffset): string
        {
        }

        /**
         * The doc map's entry of a document: the offset of its summary, its length in words (archive crawls store a rank
         * in bits 22 … 19), whether it is a link, and its keys of 8 bytes each.
         *
         * @return array{summary_offset: int, length: int, is_link: bool, keys: list<string>}
         * @throws \Postings\CorruptDataException
         * @throws \ValueError if no document has that doc index
         */
        public function document(int $docIndex): array
        {
        }

        /** Iterates over the dictionary: word key => as lookup(). Reads 512 records at a time. */
        public function getIterator(): \Iterator
        {
        }
    }

    /** What Shard::getIterator() returns. */
    final class ShardIterator implements \Iterator
    {
        private function __construct()
        {
        }

        /** First offset, last offset and number of documents, as lookup(); null after the last. */
        public function current(): ?array
        {
        }

        /** The word key, 20 bytes; null after the last. */
        public function key(): ?string
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

    /**
     * A conjunctive query over an index of Yioop: the documents that contain all words, in the index's order, with the
     * relevance and proximity that Yioop 2019 computes, bit for bit. of() intersects the lists of all generations (on a
     * device in one submission); next() reads and scores documents.
     */
    final class Conjunction implements \Countable
    {
        private function __construct()
        {
        }

        /**
         * A query, positioned before its first document.
         *
         * @param list<array{Shard, list<array{int, int}>}> $generations for each shard the first and last offset of
         *     each list
         * @param list<int> $words for each word of the query the number of its list, 0 for the first word. A word whose
         *     list has a smaller number than the word itself repeats an earlier word, and doubles the relevance so far
         * @param array<array<int|string, int|string>> $phrases for each phrase its parts in order: number of a word in
         *     $words => how many positions it takes, or any key => '*' for any number of other words
         * @param array<string, int|float> $weights Yioop's constants, finite numbers. Names and defaults: title (4),
         *     description (1), link (2), title_length (50), links_per_page (24), precision (10)
         * @throws \Postings\CorruptDataException if a list is damaged
         * @throws \ValueError|\TypeError
         */
        public static function of(array $generations, array $words, array $phrases = [], array $weights = []): self
        {
        }

        /** The number of documents that contain all words, with or without the phrases. O(generations). */
        public function count(): int
        {
        }

        /**
         * Moves forward to the first document at or after $docIndex in $generation, which is the 0-based index of a shard
         * in of(). Never moves backward.
         */
        public function seek(int $generation, int $docIndex): void
        {
        }

        /**
         * The next documents, at most $count (1 to 65,536); empty after the last. If a document is damaged, the documents
         * before it are returned, the next call throws, and the call after that continues after it. Documents without the
         * three keys that Yioop requires are left out.
         *
         * Each document is an array with the keys generation, doc_index, id (24 bytes), summary_offset, length, is_link,
         * positions (of the first list's word), description_scores (position => weight), user_ranks (only if the document
         * has room for them), rank (a numeric string, or an integer from an archive), relevance, proximity, offsets (of
         * its posting in each list, in bytes), passed_over (the documents since the previous one that contain the words but
         * not the phrases).
         *
         * @return list<array<string, mixed>>
         * @throws \Postings\CorruptDataException
         */
        public function next(int $count = 64): array
        {
        }
    }
}

/** Only with postings.yioop=1, in the module `yioop`: functions that Yioop's library/Utility.php otherwise defines. */

namespace seekquarry\yioop\library {

    /**
     * The values of a Modified 9 word whose top two bits are 0.
     *
     * @return list<int>
     */
    function unpackListModified9(int $encoded_list): array
    {
    }

    /** The doc index in the first word of a posting, its top two bits 0. */
    function docIndexModified9(int $encoded_list): int
    {
    }

    /** The bytes of a string as a big-endian integer, as Yioop computes it; false if $str is not a string. */
    function unpackInt(mixed $str): int|false
    {
    }

    /**
     * The weight and depth in a queue entry. Crawl order 'ad' means page importance; in any other order the entry is the
     * depth alone.
     *
     * @return array{int, int}
     */
    function decodeQueueWeightInfo(int $weight_info, mixed $crawl_order): array
    {
    }

    /** The queue entry for a weight and a depth; see decodeQueueWeightInfo(). */
    function encodeQueueWeightInfo(int $weight, int $depth, mixed $crawl_order): int
    {
    }

    /** The queue entry with the sum of two entries' weights and the smaller of their depths, in order 'ad'. */
    function adjustWeightCallback(int $weight_info, int $adjustment): int
    {
    }
}
