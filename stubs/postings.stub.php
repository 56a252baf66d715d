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
 * A result that does not fit memory_limit ends the script with PHP's usual fatal error.
 */

namespace Postings {

    /** How a posting list is compressed. Lists of different codecs intersect with each other. */
    enum Codec: string
    {
        /** Gaps in 32-bit words of up to 28 values. Cannot code gaps of more than 2^28. */
        case Simple9 = 'simple9';

        /** Elias-Fano: some 2 + log2(universe / n) bits a docID, random access. */
        case QuasiSuccinct = 'qs';
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
     * `==` compares docIDs as equals() does. Lists serialize, so that sessions and caches can keep them.
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
     * The OpenCL devices of this machine; none where there is no OpenCL. `global_memory` is in bytes, `selected` says
     * whether the setting postings.device means it.
     *
     * @return list<array{platform: string, name: string, type: string, version: string, compute_units: int, global_memory: int, selected: bool}>
     */
    function devices(): array
    {
    }

    /**
     * Counters of this process: operations on the CPU (retries of failed device calls included) and on the device,
     * device failures, bytes sent to and read from the device.
     *
     * @return array{cpu_calls: int, device_calls: int, device_failures: int, bytes_to_device: int, bytes_from_device: int}
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
     * The doc indexes that all lists have, ascending, each with the byte offset of its posting in each of the lists.
     *
     * @return array<int, list<int>>
     * @throws \Postings\CorruptDataException
     */
    function intersect(string $first, string ...$rest): array
    {
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
