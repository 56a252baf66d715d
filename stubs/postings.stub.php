<?php

/**
 * Postings: compressed posting lists, decoded and intersected on the CPU and on OpenCL devices.
 *
 * For editors and static analysers; the extension itself defines all of this. php-tests/stub.phpt checks that both
 * agree.
 *
 * docIDs are integers from 0 to 2^32 - 1. Where a function takes `array|string $docIds`, an array holds them as
 * integers and a string as little-endian uint32, four bytes each, which is some five times as fast; they are strictly
 * increasing either way. Every function throws TypeError for arguments of a wrong type and ValueError for docIDs that
 * are out of range, unsorted or repeated; the message names the index, counted from 0 in the array's order.
 *
 * A result that does not fit memory_limit ends the script with PHP's usual fatal error. An array holds at most 2^30
 * elements: Error for a result of more. Posting lists themselves are not counted in memory_limit (stats() shows what they
 * take); Error if the machine does not have the memory for one.
 */

namespace Postings {

    /** How a posting list is compressed. Lists of different codecs intersect with each other. */
    enum Codec: string
    {
        /** Gaps in 32-bit words of up to 28 values. Cannot code gaps of more than 2^28. */
        case Simple9 = 'simple9';

        /** Elias-Fano: some 2 + log2(universe / n) bits a docID, random access. */
        case QuasiSuccinct = 'qs';

        /** Gaps in one to four bytes each, with their lengths apart (Stream VByte). Codes any gap. */
        case VariableByte = 'variablebyte';
    }

    /** What all exceptions of this extension implement. */
    interface Exception extends \Throwable
    {
    }

    /** Bytes that no encoder wrote. The message names the codec, the part, the byte offset and what is wrong. */
    class CorruptDataException extends \RuntimeException implements Exception
    {
    }

    /**
     * A compressed, sorted list of docIDs: checked, immutable; clones share their memory.
     *
     * `==` between lists compares docIDs as equals() does; with anything else a list compares as other objects do. Lists
     * serialize, so that sessions and caches can keep them.
     */
    final class PostingList implements \Countable, \IteratorAggregate
    {
        /** Lists come from encode(), fromBytes() and unserialize(). */
        private function __construct()
        {
        }

        /**
         * Encodes docIDs. O(n).
         *
         * @param array<int>|string $docIds strictly increasing, 0 … 2^32-1; a string holds them as little-endian uint32
         * @throws \ValueError for docIDs that are out of range, not increasing, or too far apart for Simple-9
         * @throws \TypeError for elements that are no integers
         */
        public static function encode(array|string $docIds, Codec $codec = Codec::QuasiSuccinct): self
        {
        }

        /**
         * The list that toBytes() wrote. Checks everything, once: O(n).
         *
         * @throws CorruptDataException
         */
        public static function fromBytes(string $bytes): self
        {
        }

        /** The documented, versioned byte format. O(bytes). */
        public function toBytes(): string
        {
        }

        public function codec(): Codec
        {
        }

        /** How many docIDs. O(1). */
        public function count(): int
        {
        }

        /**
         * All docIDs, ascending. O(n); 16 bytes each.
         *
         * @return list<int>
         */
        public function toArray(): array
        {
        }

        /** All docIDs, ascending, as little-endian uint32. O(n); 4 bytes each. */
        public function toPacked(): string
        {
        }

        /**
         * Iterates over the docIDs, keys from 0 on. Decodes a block of 128 at a time, so that large lists need no memory.
         *
         * @return \Iterator<int, int>
         */
        public function getIterator(): \Iterator
        {
        }

        /** Whether the list has that docID; false for numbers that are none. One block is decoded. */
        public function contains(int $docId): bool
        {
        }

        /** The smallest docID that is $docId or greater, null where there is none. One block is decoded. */
        public function nextGreaterOrEqual(int $docId): ?int
        {
        }

        /**
         * The docIDs that this list and all others have, ascending. Skips blocks that cannot match.
         *
         * @return list<int>
         */
        public function intersect(PostingList ...$others): array
        {
        }

        /** Whether both lists have the same docIDs, whatever their codecs. O(n). */
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

        /** The docID, null past the end. */
        public function current(): ?int
        {
        }

        /** Its position, null past the end. */
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
     * Raw Simple-9: 32-bit big-endian words of the first docID, then each gap minus one. O(n).
     *
     * @param array<int>|string $docIds
     * @throws \ValueError also where the first docID or a gap minus one is 2^28 or more
     */
    function simple9_encode(array|string $docIds): string
    {
    }

    /**
     * The docIDs of raw Simple-9 words. O(n).
     *
     * @return list<int>
     * @throws CorruptDataException
     */
    function simple9_decode(string $words): array
    {
    }

    /**
     * A raw quasi-succinct list: a header, lower bits, upper bits. O(n).
     *
     * @param array<int>|string $docIds
     * @param float $c scales the width of the lower bits, max(0, floor(log2($c * largest / n))); greater than 0
     * @throws \ValueError also for a $c that is not, or so small that the upper bits would dwarf the docIDs
     */
    function qs_encode(array|string $docIds, float $c = 1.0): string
    {
    }

    /**
     * The docIDs of a raw quasi-succinct list. O(n).
     *
     * @return list<int>
     * @throws CorruptDataException
     */
    function qs_decode(string $bytes): array
    {
    }

    /**
     * The docIDs that all lists have, ascending. Skips blocks that cannot match.
     *
     * @return list<int>
     */
    function intersect(PostingList $first, PostingList ...$rest): array
    {
    }

    /** How many docIDs all lists have. */
    function intersect_count(PostingList $first, PostingList ...$rest): int
    {
    }

    /**
     * The docIDs that all lists of a query have, for each query; keys are kept. One submission to the device for all.
     * A query without lists matches nothing.
     *
     * @template K of array-key
     * @param array<K, array<PostingList>> $queries
     * @return array<K, list<int>>
     */
    function intersect_batch(array $queries): array
    {
    }

    /**
     * The OpenCL devices of this machine; none if there is no OpenCL, if postings.opencl is 0, or if looking for them
     * failed (with a warning in the log). `global_memory` is in bytes, `selected` says whether the setting
     * postings.device means it.
     *
     * @return list<array{platform: string, name: string, type: string, version: string, compute_units: int, global_memory: int, selected: bool}>
     */
    function devices(): array
    {
    }

    /**
     * Counters of this process: operations on the CPU (retries of failed device calls included) and on the device,
     * device failures, bytes sent to and read from the device; and the posting lists that it holds now (clones share
     * one) with their bytes of memory, which memory_limit does not count.
     *
     * @return array{cpu_calls: int, device_calls: int, device_failures: int, bytes_to_device: int, bytes_from_device: int, lists: int, list_bytes: int}
     */
    function stats(): array
    {
    }
}

/** Yioop's lists: postings of a doc index and positions, each packed with Modified 9. */

namespace Postings\Yioop {

    /**
     * The doc indexes of a list, in its order. O(bytes).
     *
     * @return list<int>
     * @throws \Postings\CorruptDataException
     */
    function doc_indexes(string $postings): array
    {
    }

    /**
     * All postings of a list. O(bytes).
     *
     * @return list<array{int, list<int>}> doc index and positions
     * @throws \Postings\CorruptDataException
     */
    function unpack_postings(string $postings): array
    {
    }

    /**
     * A posting as Yioop writes it.
     *
     * @param array<int> $positions strictly increasing
     * @throws \ValueError for what the format cannot hold
     */
    function pack_posting(int $docIndex, array $positions): string
    {
    }

    /**
     * The list with $offset added to every doc index.
     *
     * @throws \Postings\CorruptDataException
     * @throws \ValueError where a doc index would leave the range of the format
     */
    function add_doc_index(string $postings, int $offset): string
    {
    }

    /**
     * The doc indexes that all lists have, ascending, each with the byte offset of its posting in each of the lists. In
     * a list whose doc indexes fall, which Yioop writes only by mistake, a posting out of place may not be found.
     *
     * @return array<int, list<int>>
     * @throws \Postings\CorruptDataException
     */
    function intersect(string $first, string ...$rest): array
    {
    }

    /**
     * How near to each other the words stand whose positions in a document these are: Yioop's proximity score. Weights
     * are as for Conjunction::of(). O(positions * lists).
     *
     * @param array<array<int>> $positionLists ascending positions, one list a word
     * @param array<string, int|float> $weights
     * @throws \ValueError where positions fall
     */
    function proximity(array $positionLists, bool $isDocument, array $weights = []): float
    {
    }

    /**
     * Whether all phrases occur in a document. Phrases are as for Conjunction::of().
     *
     * @param array<array<int>> $positionLists ascending positions, one list a word
     * @param array<array<int|string, int|string>> $phrases
     * @throws \ValueError where positions fall
     */
    function phrases_occur(array $positionLists, array $phrases): bool
    {
    }

    /**
     * A shard file of Yioop: the inverted index of one generation of documents. Its header is read when it is opened,
     * everything else when it is asked for: one to three small reads a call, a read of 16 KiB for 512 records of the
     * dictionary. A file that changes while it is open gives CorruptDataException or the new contents.
     *
     * @implements \IteratorAggregate<string, array{int, int, int}> word key (20 bytes) => as lookup(), keys rising;
     *     nothing where the shard was saved without its dictionary
     */
    final class Shard implements \IteratorAggregate
    {
        private function __construct()
        {
        }

        /**
         * @throws \Postings\CorruptDataException where header and length of the file do not agree
         * @throws \Error where the file cannot be read, or open_basedir does not allow it
         */
        public static function open(string $path): self
        {
        }

        /**
         * The header: lengths of the regions in bytes (prefixes_len, words_len, word_docs_len, doc_map_len), generation,
         * docs_per_generation, documents, links, and their lengths in words (documents_len, links_len).
         *
         * @return array<string, int>
         */
        public function header(): array
        {
        }

        /**
         * First offset, last offset and number of documents of a word's list; null where the shard does not have the
         * word. The list ends 4 bytes behind the last offset; for long lists Yioop keeps no number of documents, and
         * it is a quarter of their bytes.
         *
         * @return array{int, int, int}|null
         * @throws \Postings\CorruptDataException
         * @throws \ValueError for a key that is not 20 bytes, or where the shard was saved without its dictionary
         */
        public function lookup(string $wordKey): ?array
        {
        }

        /**
         * The posting list of a word, as bytes; empty where the shard does not have the word.
         *
         * @throws \Postings\CorruptDataException
         * @throws \ValueError as lookup()
         */
        public function postings(string $wordKey): string
        {
        }

        /**
         * The posting list that lookup(), or the site's own dictionary, gave these offsets of.
         *
         * @throws \Postings\CorruptDataException
         * @throws \ValueError where there are no such bytes
         */
        public function postingsAt(int $firstOffset, int $lastOffset): string
        {
        }

        /**
         * What the doc map has on a document: where its summary is, its length in words (archive crawls keep a rank in
         * bits 22 ... 19), whether it is a link, and its keys of 8 bytes.
         *
         * @return array{summary_offset: int, length: int, is_link: bool, keys: list<string>}
         * @throws \Postings\CorruptDataException
         * @throws \ValueError where no document has that index
         */
        public function document(int $docIndex): array
        {
        }

        /** Over the dictionary. Reads 512 records at once. */
        public function getIterator(): \Iterator
        {
        }
    }

    /** What foreach over a Shard uses. */
    final class ShardIterator implements \Iterator
    {
        private function __construct()
        {
        }

        /** First offset, last offset and number of documents; null past the end. */
        public function current(): ?array
        {
        }

        /** The word's key, 20 bytes; null past the end. */
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
     * A conjunctive query over an index of Yioop: its documents in the index's order, with the relevance and proximity
     * that Yioop 2019 computes, bit for bit. The lists of all generations are intersected at once, in one submission
     * where a device does it; documents are read and scored as they are asked for.
     */
    final class Conjunction implements \Countable
    {
        private function __construct()
        {
        }

        /**
         * A query, standing before its first document.
         *
         * @param list<array{Shard, list<array{int, int}>}> $generations for each shard the first and last offset of
         *     each list
         * @param list<int> $words for each word of the query the number of its list, 0 for the first word; a word whose
         *     list has a smaller number than the word is a repetition, which doubles the relevance so far
         * @param array<array<int|string, int|string>> $phrases for each phrase, in its order, number of a word in
         *     $words => how many positions it takes up, or any key => '*' for any number of other words
         * @param array<string, int|float> $weights Yioop's constants: title (4), description (1), link (2),
         *     title_length (50), links_per_page (24), precision (10); finite
         * @throws \Postings\CorruptDataException
         * @throws \ValueError|\TypeError
         */
        public static function of(array $generations, array $words, array $phrases = [], array $weights = []): self
        {
        }

        /** How many documents have all words, whether or not they have the phrases. O(generations). */
        public function count(): int
        {
        }

        /**
         * Moves forward to the first document from a place on: $generation counts the shards as given to of(). Never
         * moves backward.
         */
        public function seek(int $generation, int $docIndex): void
        {
        }

        /**
         * The next documents, at most $count (to 65,536); none after the last. If one is damaged, those before it;
         * then the next call throws, and the one after that goes on. Documents without the three keys that Yioop asks
         * for are left out. Each is an array of: generation, doc_index, id (24 bytes), summary_offset, length, is_link,
         * positions (of the first list's word), description_scores (position => weight), user_ranks (only where
         * the document has room for some), rank (a numeric string, or an integer that an archive gave), relevance,
         * proximity, offsets (of its posting in each list), passed_over (documents before it, since the last, that have
         * the words but not the phrases).
         *
         * @return list<array<string, mixed>>
         * @throws \Postings\CorruptDataException
         */
        public function next(int $count = 64): array
        {
        }
    }
}

/** Only with postings.yioop=1, in the module `yioop`: what Yioop's own library/Utility.php defines otherwise. */

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

    /** A big-endian integer; false for what is no string. */
    function unpackInt(mixed $str): int|false
    {
    }

    /**
     * Weight and depth out of a queue entry. The crawl order 'ad' means page importance; with any other the entry is
     * the depth alone.
     *
     * @return array{int, int}
     */
    function decodeQueueWeightInfo(int $weight_info, mixed $crawl_order): array
    {
    }

    /** The queue entry of a weight and a depth: see decodeQueueWeightInfo(). */
    function encodeQueueWeightInfo(int $weight, int $depth, mixed $crawl_order): int
    {
    }

    /** The entry of two entries' sum of weights and lesser depth, by page importance. */
    function adjustWeightCallback(int $weight_info, int $adjustment): int
    {
    }
}
