<?php

/**
 * Postings: compressed posting lists, decoded and intersected on the CPU and on OpenCL devices.
 *
 * For editors and static analysers; the extension itself defines everything here. php-tests/stub.phpt checks that the
 * two agree.
 *
 * docIDs are integers from 0 to 2^32 - 1. `array|string $docIds` is either an array of integers or a string of
 * little-endian uint32 (four bytes per docID, about five times as fast); docIDs must be strictly increasing in both.
 * Every function throws TypeError for arguments of a wrong type and ValueError for docIDs that are out of range, unsorted
 * or repeated; the message names the 0-based index in the array's order.
 *
 * n is the number of docIDs in a list. A result that does not fit memory_limit ends the script with PHP's usual fatal
 * error. A result of more than 2^30 elements, the most that an array can hold, throws Error. memory_limit does not count
 * posting lists, because they are in native memory (stats() shows their size); if the machine does not have the memory
 * for one, Error is thrown.
 */

namespace Postings {

    /** How a posting list is compressed. Lists of different codecs intersect with each other. */
    enum Codec: string
    {
        /** Gaps in 32-bit words of up to 28 values each (Anh and Moffat 2005). Cannot code gaps of more than 2^28. */
        case Simple9 = 'simple9';

        /** Elias-Fano: about 2 + log2(largest docID / n) bits per docID. The best random access; decodes fastest. */
        case QuasiSuccinct = 'qs';

        /** Gaps in one to four bytes each, with their lengths apart (Stream VByte). Codes any gap. */
        case VariableByte = 'variablebyte';
    }

    /** Implemented by the exception classes of this extension. */
    interface Exception extends \Throwable
    {
    }

    /** Bytes that no encoder wrote. The message names the codec, the part, the byte offset and the fault. */
    class CorruptDataException extends \RuntimeException implements Exception
    {
    }

    /**
     * A compressed, sorted list of docIDs. Lists are immutable, and clones share their memory.
     *
     * Two lists are `==` if equals() says so; compared with anything else, a list behaves like any object. Lists can be
     * serialized, so sessions and caches can store them.
     */
    final class PostingList implements \Countable, \IteratorAggregate
    {
        /** Lists are made by encode(), fromBytes() and unserialize(). */
        private function __construct()
        {
        }

        /**
         * Encodes docIDs. O(n).
         *
         * @param array<int>|string $docIds strictly increasing, 0 … 2^32-1; a string holds little-endian uint32
         * @throws \ValueError if docIDs are out of range, not increasing, or too far apart for the codec
         * @throws \TypeError if an element is not an integer
         */
        public static function encode(array|string $docIds, Codec $codec = Codec::QuasiSuccinct): self
        {
        }

        /**
         * Reads what toBytes() wrote, in any released version of the format. Checks everything, once. O(n).
         *
         * @throws CorruptDataException if no encoder wrote these bytes
         */
        public static function fromBytes(string $bytes): self
        {
        }

        /** The list in its versioned byte format, which docs/format.md defines. O(bytes). */
        public function toBytes(): string
        {
        }

        public function codec(): Codec
        {
        }

        /** The number of docIDs. O(1). */
        public function count(): int
        {
        }

        /**
         * All docIDs, ascending. O(n); 16 bytes per docID.
         *
         * @return list<int>
         */
        public function toArray(): array
        {
        }

        /** All docIDs, ascending, as little-endian uint32. O(n); 4 bytes per docID. */
        public function toPacked(): string
        {
        }

        /**
         * Iterates over the docIDs in ascending order; keys count from 0. One block of 128 docIDs is decoded at a time, so
         * memory does not grow with the list.
         *
         * @return \Iterator<int, int>
         */
        public function getIterator(): \Iterator
        {
        }

        /** Whether the list contains $docId; false if $docId is out of range. O(log n); decodes one block. */
        public function contains(int $docId): bool
        {
        }

        /** The smallest docID that is at least $docId, null if there is none. O(log n); decodes one block. */
        public function nextGreaterOrEqual(int $docId): ?int
        {
        }

        /**
         * The docIDs that are in this list and in all others, ascending. Skips blocks that cannot match.
         *
         * @return list<int>
         */
        public function intersect(PostingList ...$others): array
        {
        }

        /** Whether both lists contain the same docIDs, whatever their codecs. O(n). */
        public function equals(PostingList $other): bool
        {
        }

        /** @return array{bytes: string} */
        public function __serialize(): array
        {
        }

        /**
         * @param array{bytes: string} $data
         * @throws CorruptDataException
         */
        public function __unserialize(array $data): void
        {
        }
    }

    /**
     * What PostingList::getIterator() returns.
     *
     * @implements \Iterator<int, int>
     */
    final class PostingListIterator implements \Iterator
    {
        private function __construct()
        {
        }

        /** The docID; null after the last. */
        public function current(): ?int
        {
        }

        /** Its 0-based index; null after the last. */
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

    /**
     * Raw Simple-9: the first docID, then each gap minus one, in big-endian 32-bit words. No header, no blocks. O(n).
     *
     * @param array<int>|string $docIds
     * @throws \ValueError also if the first docID or a gap minus one is 2^28 or more
     */
    function simple9_encode(array|string $docIds): string
    {
    }

    /**
     * The docIDs of raw Simple-9 words. O(n). Always runs on the CPU, whatever postings.offload is: the words must be
     * checked before a device could be given them, and checking them is decoding them.
     *
     * @return list<int>
     * @throws CorruptDataException
     */
    function simple9_decode(string $words): array
    {
    }

    /**
     * A raw quasi-succinct list: a header, lower bits, upper bits, as docs/codecs/quasi_succinct.md defines them. O(n).
     *
     * @param array<int>|string $docIds
     * @param float $c finite and greater than 0; the lower bits are max(0, floor(log2($c * largest docID / n))) wide
     * @throws \ValueError also if $c is out of range, or so small that the upper bits would be far larger than the docIDs
     */
    function qs_encode(array|string $docIds, float $c = 1.0): string
    {
    }

    /**
     * The docIDs of a raw quasi-succinct list. O(n). Always runs on the CPU, for the reason given at simple9_decode().
     *
     * @return list<int>
     * @throws CorruptDataException
     */
    function qs_decode(string $bytes): array
    {
    }

    /**
     * The docIDs that are in all lists, ascending. Skips blocks that cannot match.
     *
     * With n docIDs in the shortest list and m in a longer one: O(n + m) if their lengths are similar, otherwise
     * O(n log(m / n)).
     *
     * @return list<int>
     */
    function intersect(PostingList $first, PostingList ...$rest): array
    {
    }

    /** The number of docIDs that are in all lists. Costs what intersect() costs, without the array. */
    function intersect_count(PostingList $first, PostingList ...$rest): int
    {
    }

    /**
     * For each query, the docIDs that are in all of its lists, ascending; keys are kept. A query without lists matches
     * nothing. On a device all queries are one submission; on the CPU they are spread over up to postings.threads threads.
     *
     * @template K of array-key
     * @param array<K, array<PostingList>> $queries
     * @return array<K, list<int>>
     */
    function intersect_batch(array $queries): array
    {
    }

    /**
     * The OpenCL devices of this machine. Empty if there is no OpenCL, if postings.opencl is 0, or if looking for devices
     * failed (which is logged as a warning). `global_memory` is in bytes; `selected` says whether postings.device selects
     * this device.
     *
     * @return list<array{platform: string, name: string, type: string, version: string, compute_units: int, global_memory: int, selected: bool}>
     */
    function devices(): array
    {
    }

    /**
     * Counters of this process: operations that ran on the CPU (including repeats of failed device calls) and on the
     * device, device failures, bytes sent to and read from the device. `lists` is the number of posting lists in memory now
     * (clones count once), `list_bytes` their size, which memory_limit does not count.
     *
     * @return array{cpu_calls: int, device_calls: int, device_failures: int, bytes_to_device: int, bytes_from_device: int, lists: int, list_bytes: int}
     */
    function stats(): array
    {
    }
}

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
     * @param array<array<int>> $positionLists for each word its positions in the document, ascending
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
