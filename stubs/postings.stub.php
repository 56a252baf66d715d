<?php

/**
 * Postings: compressed posting lists, decoded and intersected on the CPU and on OpenCL devices. The ranked, durable search
 * index is in index.stub.php, hits.stub.php, stream.stub.php, filter.stub.php, shards.stub.php and writer.stub.php, what is for Yioop
 * in yioop.stub.php.
 *
 * For editors and static analysers; the extension itself defines everything in the stubs. php-tests/settings/stub.phpt checks that
 * they agree.
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

    /**
     * How a posting list is compressed. Lists of different codecs intersect with each other.
     *
     * Some codecs have options, which PostingList::encode() takes by name: each case says which.
     */
    enum Codec: string
    {
        /** Gaps in 32-bit words of up to 28 values each (Anh and Moffat 2005). Cannot code gaps of more than 2^28. */
        case Simple9 = 'simple9';

        /**
         * Elias-Fano: about 2 + log2(largest docID / n) bits per docID. Fast random access; on a device it decodes fastest,
         * on a CPU among the fastest.
         *
         * Option c (float, 1/1024 to 1024, default 1): b = floor(log2(c * largest docID / n)) lower bits (Li 2014).
         */
        case QuasiSuccinct = 'qs';

        /** Gaps in one to four bytes each, with their lengths apart (Stream VByte). Codes any gap. */
        case VariableByte = 'variablebyte';

        /**
         * Gaps as quotients by a power of two, in unary, and remainders (Rice codes, Ding et al. 2009). Small; decodes
         * slowly. Codes any gap. Option: b, the bits of remainders, 0 to 31 (chosen for each block).
         */
        case Rice = 'rice';

        /**
         * Gaps with their low bits in slots of one width for the whole list, and arrays of exceptions, which are coded in
         * the same way again (Ding et al. 2009). Codes any gap. Options: b, the width, 0 to 32 (the smallest that holds nine
         * in ten gaps); levels, how often arrays are coded again, 0 to 4 (1).
         */
        case PForDelta = 'pfordelta';

        /**
         * Gaps in slots of a width for each segment, with exceptions linked through their slots (Zukowski et al. 2006).
         * Codes any gap. Options: segment, the gaps of a segment, 64, 96 or 128 (64); exceptions, the largest share of
         * exceptions, 0 to 0.6 (0.3).
         */
        case PForDeltaSegments = 'pfordelta-segments';

        /**
         * Gaps with their low bits in slots, and the positions and other bits of exceptions in Simple-16 words (Yan et al.
         * 2009). Codes any gap. Option: exceptions, the share of exceptions, 0 to 0.6 (0.1), which slots are just wide
         * enough not to exceed.
         */
        case NewPFD = 'newpfd';

        /**
         * As NewPFD, with slots of the width that takes the fewest words. Option: exceptions, the largest share of
         * exceptions, 0 to 0.6 (0.3).
         */
        case OptPFD = 'optpfd';

        /**
         * Gaps with their low bits in slots, and the indices and other bits of exceptions in two arrays (ParaPFor: Ao et
         * al. 2011). Codes any gap. Option: exceptions, the largest share of exceptions, 0 to 0.6 (0.3).
         */
        case ParaPFor = 'parapfor';

        /**
         * Deviations from a straight line through all docIDs (Ao et al. 2011). Single docIDs decode on their own. For random
         * docIDs; large on others. Codes any docIDs, as do the next three. Option of all four: exceptions, the largest share
         * of exceptions, 0 to 0.6 (0).
         */
        case LRC = 'lrc';

        /** As LRC, with a width for each segment of 256 docIDs. */
        case LRCSeg = 'lrcseg';

        /** As LRC, with a line and a width for each segment of 256 docIDs: smaller unless docIDs are random. */
        case SegLRC = 'seglrc';

        /**
         * As LRC, with a line and a width for each bucket of docIDs with the same leading bits, which a look-up goes to
         * directly. Option: bucket, the largest mean number of docIDs per bucket, 16 to 4096 (256).
         */
        case HS_LRC = 'hs_lrc';

        /** Gaps in 32-bit words of up to 28 values each, of one or two widths (Zhang et al. 2008). Codes any gap. */
        case Simple16 = 'simple16';

        /**
         * Runs, bit sets and Elias-Fano, each for a part of the list (Ottaviano and Venturini 2014). On dense lists, on those
         * of sorted documents and on long runs usually the smallest and the fastest to intersect. (On clusters of fewer than
         * 128 docIDs OptPFD, NewPFD and ParaPFor are smaller.) Codes any docIDs.
         */
        case PartitionedEliasFano = 'pef';

        /**
         * Uncompressed docIDs, 32 bits each, with pointers into them by leading bits, so that look-ups need only a few
         * docIDs (hash segmentation, Ao et al. 2011). Codes any list. Option: bucket, the largest mean number of docIDs per
         * pointer, 16 to 256 (16).
         */
        case Raw = 'raw';

        /**
         * Gaps in as many bits each as the largest of their 128 needs, four side by side (SIMD-BP128: Lemire and Boytsov
         * 2015): among the fastest to decode, and larger than the codecs with exceptions. The default of an index's
         * frequencies and positions. Codes any list.
         */
        case BP128 = 'bp128';

        /**
         * For encode() only: the codec that takes the fewest bytes for these docIDs, of those that decode at least a quarter
         * as fast as the fastest. codec() tells which it was. Encoding takes as long as with all candidates together.
         */
        case Auto = 'auto';
    }

    /** Implemented by the exception classes of this extension. */
    interface Exception extends \Throwable
    {
    }

    /** Bytes that no encoder wrote. The message names the codec, the part, the byte offset and the fault. */
    class CorruptDataException extends \RuntimeException implements Exception
    {
        /** The code of these exceptions; from SearchStream::take() it is the query's ticket instead. */
        public const DAMAGED = 4;
    }

    /**
     * An index that cannot be opened, read or written: it is not there, another process writes it, open_basedir does not
     * allow it, the disk is full, a file was truncated … The message begins with the path. The code tells why; from
     * SearchStream::take() it is the query's ticket instead.
     */
    class IndexException extends \RuntimeException implements Exception
    {
        /** There is no index. */
        public const MISSING = 1;

        /** Another writer has it: a LockedException. */
        public const LOCKED = 2;

        /** Anything else: a file cannot be read or written, or open_basedir does not allow it. */
        public const IO = 3;
    }

    /** Another writer has the index, or had it for as long as IndexWriter::open() was told to wait. */
    class LockedException extends IndexException
    {
    }

    /**
     * Statistics that are of another schema or analyzer than what they are used with, or do not tell what a query asks for: the
     * message names the term or what was typed, and the field.
     */
    class StatisticsException extends \RuntimeException implements Exception
    {
    }

    /**
     * A leaf did not answer: getCode() says why.
     */
    class LeafException extends \RuntimeException implements Exception
    {
        /** It speaks another version of the exchange; the message names both. */
        public const VERSION = 1;
        /** It has another schema or analyzer; the message names both. */
        public const SCHEMA = 2;
        /** It has another commit; the message names both. */
        public const COMMIT = 3;
        /** The request asks for too much, or is damaged. */
        public const REQUEST = 4;
        /** The deadline has passed. */
        public const DEADLINE = 5;
        /** Its files, its memory or its machine failed. */
        public const FAILED = 6;
    }

    /**
     * SearchStream::push() and pushAll(): the stream holds as many queries as it may. None of the call was added; take answers
     * first.
     */
    class StreamFullException extends \RuntimeException implements Exception
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
         * Options of the codec are given by name: `PostingList::encode($docIds, Codec::QuasiSuccinct, c: 2.0)`. The list
         * remembers them; none is needed to read it.
         *
         * @param array<int>|string $docIds strictly increasing, 0 … 2^32-1; a string holds little-endian uint32
         * @throws \ValueError if docIDs are out of range, not increasing, or too far apart for the codec; for an option
         *   that the codec does not have, or a value out of its range
         * @throws \TypeError if an element is not an integer, or an option not a number
         */
        public static function encode(array|string $docIds, Codec $codec = Codec::QuasiSuccinct, int|float ...$options): self
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

        /**
         * The options that the list was encoded with, by name; null for what the codec chose for each part of the list.
         *
         * @return array<string, int|float|null>
         */
        public function options(): array
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

        /**
         * As intersect(), but the result is a list (Codec::PartitionedEliasFano), always made on the CPU. If all lists are of
         * that codec, stretches of consecutive docIDs and bit sets are never expanded: if the result is dense or has long
         * runs, this takes 1/4 to 1/60 of the time of intersect(), otherwise about twice as long. The list takes a
         * fraction of the memory. For the number of docIDs alone, intersect_count() is faster than both.
         */
        public function intersectList(PostingList ...$others): self
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
     * device, device failures, bytes sent to and read from the device.
     *
     * Ranked search keeps lists and tables in device memory: `cache_hits` counts those that were there when a batch needed
     * them, `cache_misses` those that had to be sent, `cache_evictions` those that made room for others. `cache_bytes` is
     * what they take now, at most postings.device_memory per device.
     *
     * `lists` is the number of posting lists in memory now (clones count once), `list_bytes` their size, which
     * memory_limit does not count.
     *
     * @return array{cpu_calls: int, device_calls: int, device_failures: int, bytes_to_device: int, bytes_from_device: int, cache_hits: int, cache_misses: int, cache_evictions: int, cache_bytes: int, lists: int, list_bytes: int}
     */
    function stats(): array
    {
    }
}
