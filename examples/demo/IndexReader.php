<?php

declare(strict_types=1);

namespace Postings\Demo;

use Postings\PostingList;

/** Reads an index that IndexWriter wrote: the dictionary into memory, posting lists on request. */
final class IndexReader
{
    /** @var resource */
    private $file;
    private string $terms;
    private string $records;
    private string $offsets;
    private int $documentsAt;
    private int $documentCount;
    private int $termCount;

    public function __construct(private readonly string $path)
    {
        $file = @fopen($path, 'r');
        if ($file === false) {
            throw new \RuntimeException("$path cannot be read; create it with index.php");
        }
        $this->file = $file;
        $header = unpack('a4magic/V3number/P5at', $this->read(0, IndexWriter::HEADER_BYTES));
        if ($header['magic'] !== IndexWriter::MAGIC || $header['number1'] !== IndexWriter::VERSION) {
            throw $this->damaged('it is not an index of this version');
        }
        ['number2' => $this->documentCount, 'number3' => $this->termCount] = $header;
        ['at1' => $terms, 'at2' => $records, 'at3' => $offsets, 'at4' => $documents, 'at5' => $end] = $header;
        $inOrder = IndexWriter::HEADER_BYTES <= $terms && $terms <= $records;
        if (
            !$inOrder
            || $offsets - $records !== ($this->termCount + 1) * IndexWriter::RECORD_BYTES
            || $documents - $offsets !== ($this->documentCount + 1) * 4
            || $end < $documents
            || fstat($this->file)['size'] !== $end
        ) {
            throw $this->damaged('its header does not fit its length');
        }
        $this->terms = $this->read($terms, $records - $terms);
        $this->records = $this->read($records, $offsets - $records);
        $this->offsets = $this->read($offsets, $documents - $offsets);
        $this->documentsAt = $documents;
    }

    public function documentCount(): int
    {
        return $this->documentCount;
    }

    public function termCount(): int
    {
        return $this->termCount;
    }

    /** The number of documents containing the term. */
    public function documentFrequency(string $term): int
    {
        $record = $this->find($term);
        return $record === null ? 0 : $record['documents'];
    }

    /** The posting list of a term; null if no document contains it. */
    public function postings(string $term): ?PostingList
    {
        $record = $this->find($term);
        if ($record === null) {
            return null;
        }
        return $record['bytes'] === 0
            ? PostingList::encode([$record['at']])
            : PostingList::fromBytes($this->read($record['at'], $record['bytes']));
    }

    /** @return array{string, string} its name and the beginning of its text */
    public function document(int $docId): array
    {
        if ($docId < 0 || $docId >= $this->documentCount) {
            throw new \OutOfRangeException("there is no document $docId");
        }
        [1 => $from, 2 => $to] = unpack('V2', $this->offsets, $docId * 4);
        $parts = explode("\t", rtrim($this->read($this->documentsAt + $from, $to - $from), "\n"), 2);
        return [$parts[0], $parts[1] ?? ''];
    }

    /** @return \Generator<string, int> term => number of documents, in the order of the terms */
    public function terms(): \Generator
    {
        for ($i = 0; $i < $this->termCount; ++$i) {
            yield $this->term($i) => $this->record($i)['documents'];
        }
    }

    /** Binary search: O(log terms). */
    private function find(string $term): ?array
    {
        $low = 0;
        $high = $this->termCount - 1;
        while ($low <= $high) {
            $middle = ($low + $high) >> 1;
            $order = strcmp($this->term($middle), $term);
            if ($order === 0) {
                return $this->record($middle);
            }
            if ($order < 0) {
                $low = $middle + 1;
            } else {
                $high = $middle - 1;
            }
        }
        return null;
    }

    private function term(int $i): string
    {
        $from = $this->record($i)['term'];
        return substr($this->terms, $from, $this->record($i + 1)['term'] - $from);
    }

    /** @return array{term: int, at: int, bytes: int, documents: int} */
    private function record(int $i): array
    {
        return unpack('Vterm/Pat/Vbytes/Vdocuments', $this->records, $i * IndexWriter::RECORD_BYTES);
    }

    private function read(int $at, int $length): string
    {
        if ($length === 0) {
            return '';
        }
        $size = fstat($this->file)['size'];
        if ($at < 0 || $length < 0 || $length > $size || $at > $size - $length) {
            throw $this->damaged("it has no $length bytes from byte $at on");
        }
        fseek($this->file, $at);
        $bytes = '';
        while (strlen($bytes) < $length) {
            $chunk = fread($this->file, $length - strlen($bytes));
            if ($chunk === false || $chunk === '') {
                throw $this->damaged("it has no $length bytes from byte $at on");
            }
            $bytes .= $chunk;
        }
        return $bytes;
    }

    private function damaged(string $what): \RuntimeException
    {
        return new \RuntimeException("$this->path is damaged: $what");
    }
}
