<?php

declare(strict_types=1);

namespace Postings\Demo;

use Postings\Codec;
use Postings\PostingList;

/**
 * Collects postings in memory, 4 bytes each, and writes them as compressed lists into one file.
 *
 * The file (all numbers are little-endian):
 *
 * | part | content |
 * |---|---|
 * | header | `PDMO`; then as uint32: version 1, number of documents, number of terms; then as uint64: the offsets of the parts terms, records, offsets and documents, and the length of the file |
 * | lists | PostingList::toBytes() of each term that is in two documents or more, in the order of the terms |
 * | terms | the terms in ascending byte order, one after the other |
 * | records | for each term 20 bytes: uint32 its offset in terms, uint64 the offset of its list in the file, uint32 the length of the list in bytes, uint32 the number of documents. A term in a single document has no list: its docID takes the place of the offset, and the length is 0 |
 * | offsets | for each document, and once more for the end: uint32 the offset of its line in documents |
 * | documents | a line for each document: name, tab, the beginning of its text |
 *
 * The last record belongs to no term and says where the last term ends.
 */
final class IndexWriter
{
    public const MAGIC = 'PDMO';
    public const VERSION = 1;
    public const HEADER = 'a4V3P5';
    public const HEADER_BYTES = 56;
    public const RECORD = 'VPVV';
    public const RECORD_BYTES = 20;

    /** Bytes of a document's text that the file stores, to be shown with a match. */
    private const SUMMARY = 90;

    /** @var array<string|int, string> word => docIDs, packed as little-endian uint32 */
    private array $lists = [];
    private string $documents = '';
    private string $offsets = '';
    private int $count = 0;
    private int $postings = 0;

    public function add(string $name, string $text): void
    {
        $this->offsets .= pack('V', strlen($this->documents));
        $summary = strlen($text) > self::SUMMARY ? preg_replace('/\s*\S*$/D', ' …', substr($text, 0, self::SUMMARY)) : $text;
        $this->documents .= strtr($name, "\t\n", '  ') . "\t" . strtr((string) $summary, "\t\n", '  ') . "\n";
        $docId = pack('V', $this->count++);
        foreach (Corpus::words("$name $text") as $word) {
            if (isset($this->lists[$word])) {
                $this->lists[$word] .= $docId;
            } else {
                $this->lists[$word] = $docId;
            }
            ++$this->postings;
        }
    }

    public function documents(): int
    {
        return $this->count;
    }

    public function postings(): int
    {
        return $this->postings;
    }

    /**
     * Writes the file under a temporary name and renames it, so a reader never sees an incomplete one.
     *
     * @param callable(int $done, int $all): void $progress called from time to time
     *
     * @return array{terms: int, lists: int, listed: int, list_bytes: int, long_listed: int, long_bytes: int, file_bytes: int}
     *         `listed` postings are in `lists` lists of `list_bytes`; the `long_` figures are those of lists of 128 docIDs
     *         or more
     */
    public function write(string $path, Codec $codec, callable $progress): array
    {
        $temporary = "$path.new";
        $file = @fopen($temporary, 'w') ?: throw new \RuntimeException("$temporary cannot be written");
        $write = static function (string $bytes) use ($file, $temporary): void {
            if (fwrite($file, $bytes) !== strlen($bytes)) {
                throw new \RuntimeException("$temporary: the disk is full?");
            }
        };
        ksort($this->lists, SORT_STRING);
        $write(str_repeat("\0", self::HEADER_BYTES));
        $position = self::HEADER_BYTES;
        $terms = $records = '';
        $sums = ['terms' => count($this->lists), 'lists' => 0, 'listed' => 0, 'list_bytes' => 0, 'long_listed' => 0, 'long_bytes' => 0];
        $done = 0;
        foreach ($this->lists as $term => $packed) {
            $documents = strlen($packed) >> 2;
            if ($documents === 1) {
                $records .= pack(self::RECORD, strlen($terms), unpack('V', $packed)[1], 0, 1);
            } else {
                $bytes = PostingList::encode($packed, $codec)->toBytes();
                $write($bytes);
                $length = strlen($bytes);
                $records .= pack(self::RECORD, strlen($terms), $position, $length, $documents);
                $position += $length;
                ++$sums['lists'];
                $sums['listed'] += $documents;
                $sums['list_bytes'] += $length;
                if ($documents >= 128) {
                    $sums['long_listed'] += $documents;
                    $sums['long_bytes'] += $length;
                }
            }
            $terms .= $term;
            if ((++$done & 0x3FF) === 0) {
                $progress($done, $sums['terms']);
            }
        }
        $progress($done, $sums['terms']);
        $records .= pack(self::RECORD, strlen($terms), $position, 0, 0);
        $starts = [];
        foreach ([$terms, $records, $this->offsets . pack('V', strlen($this->documents)), $this->documents] as $part) {
            $starts[] = $position;
            $write($part);
            $position += strlen($part);
        }
        rewind($file);
        $write(pack(self::HEADER, self::MAGIC, self::VERSION, $this->count, $sums['terms'], ...$starts, ...[$position]));
        if (!fclose($file) || !rename($temporary, $path)) {
            throw new \RuntimeException("$path cannot be written");
        }
        return $sums + ['file_bytes' => $position];
    }
}
