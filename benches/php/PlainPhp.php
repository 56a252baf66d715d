<?php

declare(strict_types=1);

namespace Postings\Bench;

/**
 * The plain PHP loops with which the benchmark's targets compare the extension: what a competent programmer would write
 * from the description of the format.
 *
 * Each uses one unpack() for all words of a list, a small table of layouts, one loop over the values of a word, and no
 * function call inside a loop. Unlike the extension they trust their input. Modified 9's layout is described in
 * src/yioop/format/modified9.rs.
 */
final class PlainPhp
{
    /** By selector: the number of values in a word, and the bits of each. */
    private const SIMPLE9 = [[1, 28], [2, 14], [3, 9], [4, 7], [5, 5], [7, 4], [9, 3], [14, 2], [28, 1], [28, 1]];

    /** Modified 9: prefix, number of values, bits of each. The last prefix whose bits are all set in a word applies. */
    private const MODIFIED9 = [
        [0b000000, 1, 28], [0b010000, 2, 14], [0b100000, 3, 9], [0b110000, 4, 6], [0b110100, 5, 5],
        [0b111000, 6, 4], [0b111100, 7, 3], [0b111110, 12, 2], [0b111111, 24, 1],
    ];

    /** @return list<int> docIDs of raw Simple-9 words */
    public static function simple9Decode(string $bytes): array
    {
        $out = [];
        $doc = -1;
        foreach (unpack('N*', $bytes) as $word) {
            [$count, $width] = self::SIMPLE9[$word >> 28];
            $mask = (1 << $width) - 1;
            for ($i = 1; $i <= $count; ++$i) {
                $doc += ($word >> (28 - $i * $width) & $mask) + 1;
                $out[] = $doc;
            }
        }
        return $out;
    }

    /** @return list<int> doc indexes of a Yioop list */
    public static function docIndexes(string $postings): array
    {
        $layouts = self::layouts();
        $out = [];
        foreach (unpack('N*', $postings) as $word) {
            $place = $word >> 30;
            if ($place !== 0 && $place !== 3) {
                continue;
            }
            [$shift, $width] = $layouts[$word >> 24 & 63];
            $mask = (1 << $width) - 1;
            while (($value = $word >> $shift & $mask) === 0) {
                $shift -= $width;
            }
            $out[] = $value & 0x8000000 ? $value >> 9 & 0x3FFFF : $value - 1;
        }
        return $out;
    }

    /** @return array<int, array{int, int}> doc index => byte offset of its posting in each list */
    public static function intersect(string $first, string $second): array
    {
        $layouts = self::layouts();
        $lists = [];
        foreach ([$first, $second] as $postings) {
            $offsets = [];
            foreach (unpack('N*', $postings) as $at => $word) {
                $place = $word >> 30;
                if ($place !== 0 && $place !== 3) {
                    continue;
                }
                [$shift, $width] = $layouts[$word >> 24 & 63];
                $mask = (1 << $width) - 1;
                while (($value = $word >> $shift & $mask) === 0) {
                    $shift -= $width;
                }
                $offsets[$value & 0x8000000 ? $value >> 9 & 0x3FFFF : $value - 1] = 4 * $at - 4;
            }
            $lists[] = $offsets;
        }
        [$first, $second] = $lists;
        $out = [];
        foreach ($first as $doc => $offset) {
            if (isset($second[$doc])) {
                $out[$doc] = [$offset, $second[$doc]];
            }
        }
        return $out;
    }

    /** @return list<array{int, list<int>}> doc index and positions of each posting of a Yioop list */
    public static function unpackPostings(string $postings): array
    {
        $layouts = self::layouts();
        $out = [];
        $doc = $position = 0;
        $positions = [];
        foreach (unpack('N*', $postings) as $word) {
            $place = $word >> 30;
            $begins = $place === 0 || $place === 3;
            [$shift, $width] = $layouts[$word >> 24 & 63];
            $mask = (1 << $width) - 1;
            for (; $shift >= 0; $shift -= $width) {
                $value = $word >> $shift & $mask;
                if ($value === 0) {
                    continue;
                }
                if (!$begins) {
                    $positions[] = $position += $value;
                    continue;
                }
                $begins = false;
                if ($value & 0x8000000) {
                    $doc = $value >> 9 & 0x3FFFF;
                    $position = $value & 0x1FF;
                    $positions = [$position];
                } else {
                    $doc = $value - 1;
                    $position = 0;
                    $positions = [];
                }
            }
            if ($place < 2) {
                $out[] = [$doc, $positions];
            }
        }
        return $out;
    }

    /** @return list<array{int, int}> by bits 29 … 24 of a word: where its first value begins, and the bits of each value */
    private static function layouts(): array
    {
        $table = [];
        for ($bits = 0; $bits < 64; ++$bits) {
            foreach (self::MODIFIED9 as [$prefix, $count, $width]) {
                if (($bits & $prefix) === $prefix) {
                    $table[$bits] = [($count - 1) * $width, $width];
                }
            }
        }
        return $table;
    }
}
