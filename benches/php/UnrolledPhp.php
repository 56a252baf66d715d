<?php

declare(strict_types=1);

namespace Postings\Bench;

/**
 * The loops of PlainPhp with the common word layouts unrolled, which is what remains to be done in PHP if the plain
 * loops are too slow. They are shown for comparison, without a target.
 */
final class UnrolledPhp
{
    /** Simple-9 by selector: the shift of the first value, its width and its mask. */
    private const SIMPLE9 = [
        [0, 28, 0xFFFFFFF], [14, 14, 0x3FFF], [19, 9, 0x1FF], [21, 7, 0x7F], [23, 5, 0x1F],
        [24, 4, 0xF], [25, 3, 0x7], [26, 2, 0x3], [27, 1, 0x1], [27, 1, 0x1],
    ];

    /** @return list<int> docIDs of raw Simple-9 words, by a table of layouts and a loop */
    public static function simple9Decode(string $bytes): array
    {
        $out = [];
        $d = -1;
        foreach (unpack('N*', $bytes) as $w) {
            [$shift, $width, $mask] = self::SIMPLE9[$w >> 28];
            for (; $shift >= 0; $shift -= $width) {
                $out[] = $d += ($w >> $shift & $mask) + 1;
            }
        }
        return $out;
    }

    /** @return list<int> the same with the nine layouts unrolled, as fast as PHP gets */
    public static function simple9DecodeWrittenOut(string $bytes): array
    {
        $out = [];
        $d = -1;
        foreach (unpack('N*', $bytes) as $w) {
            switch ($w >> 28) {
                case 0:
                    $out[] = $d += ($w & 0xFFFFFFF) + 1;
                    break;
                case 1:
                    $out[] = $d += ($w >> 14 & 0x3FFF) + 1;
                    $out[] = $d += ($w & 0x3FFF) + 1;
                    break;
                case 2:
                    $out[] = $d += ($w >> 19 & 0x1FF) + 1;
                    $out[] = $d += ($w >> 10 & 0x1FF) + 1;
                    $out[] = $d += ($w >> 1 & 0x1FF) + 1;
                    break;
                case 3:
                    $out[] = $d += ($w >> 21 & 0x7F) + 1;
                    $out[] = $d += ($w >> 14 & 0x7F) + 1;
                    $out[] = $d += ($w >> 7 & 0x7F) + 1;
                    $out[] = $d += ($w & 0x7F) + 1;
                    break;
                case 4:
                    $out[] = $d += ($w >> 23 & 0x1F) + 1;
                    $out[] = $d += ($w >> 18 & 0x1F) + 1;
                    $out[] = $d += ($w >> 13 & 0x1F) + 1;
                    $out[] = $d += ($w >> 8 & 0x1F) + 1;
                    $out[] = $d += ($w >> 3 & 0x1F) + 1;
                    break;
                case 5:
                    $out[] = $d += ($w >> 24 & 0xF) + 1;
                    $out[] = $d += ($w >> 20 & 0xF) + 1;
                    $out[] = $d += ($w >> 16 & 0xF) + 1;
                    $out[] = $d += ($w >> 12 & 0xF) + 1;
                    $out[] = $d += ($w >> 8 & 0xF) + 1;
                    $out[] = $d += ($w >> 4 & 0xF) + 1;
                    $out[] = $d += ($w & 0xF) + 1;
                    break;
                case 6:
                    $out[] = $d += ($w >> 25 & 0x7) + 1;
                    $out[] = $d += ($w >> 22 & 0x7) + 1;
                    $out[] = $d += ($w >> 19 & 0x7) + 1;
                    $out[] = $d += ($w >> 16 & 0x7) + 1;
                    $out[] = $d += ($w >> 13 & 0x7) + 1;
                    $out[] = $d += ($w >> 10 & 0x7) + 1;
                    $out[] = $d += ($w >> 7 & 0x7) + 1;
                    $out[] = $d += ($w >> 4 & 0x7) + 1;
                    $out[] = $d += ($w >> 1 & 0x7) + 1;
                    break;
                case 7:
                    for ($shift = 26; $shift >= 0; $shift -= 2) {
                        $out[] = $d += ($w >> $shift & 0x3) + 1;
                    }
                    break;
                default:
                    for ($shift = 27; $shift >= 0; --$shift) {
                        $out[] = $d += ($w >> $shift & 0x1) + 1;
                    }
            }
        }
        return $out;
    }

    /** @return list<int> doc indexes of a Yioop list */
    public static function docIndexes(string $postings): array
    {
        $out = [];
        foreach (unpack('N*', $postings) as $w) {
            // A posting begins at a word that is first (11) or alone (00).
            if ($w >= 0xC0000000 || $w < 0x40000000) {
                $v = match ($w >> 28 & 3) {
                    0 => $w & 0xFFFFFFF,
                    1 => $w >> 14 & 0x3FFF,
                    default => 0,
                } ?: self::firstValue($w);
                $out[] = $v & 0x8000000 ? $v >> 9 & 0x3FFFF : $v - 1;
            }
        }
        return $out;
    }

    /** @return array<int, array{int, int}> doc index => byte offset of its posting in each list */
    public static function intersect(string $first, string $second): array
    {
        $offsets = [];
        $offset = -4;
        foreach (unpack('N*', $first) as $w) {
            $offset += 4;
            if ($w >= 0xC0000000 || $w < 0x40000000) {
                $v = match ($w >> 28 & 3) {
                    0 => $w & 0xFFFFFFF,
                    1 => $w >> 14 & 0x3FFF,
                    default => 0,
                } ?: self::firstValue($w);
                $offsets[$v & 0x8000000 ? $v >> 9 & 0x3FFFF : $v - 1] = $offset;
            }
        }
        $out = [];
        $offset = -4;
        foreach (unpack('N*', $second) as $w) {
            $offset += 4;
            if ($w >= 0xC0000000 || $w < 0x40000000) {
                $v = match ($w >> 28 & 3) {
                    0 => $w & 0xFFFFFFF,
                    1 => $w >> 14 & 0x3FFF,
                    default => 0,
                } ?: self::firstValue($w);
                $doc = $v & 0x8000000 ? $v >> 9 & 0x3FFFF : $v - 1;
                if (isset($offsets[$doc])) {
                    $out[$doc] = [$offsets[$doc], $offset];
                }
            }
        }
        return $out;
    }

    /** @return list<array{int, list<int>}> doc index and positions of each posting of a Yioop list */
    public static function unpackPostings(string $postings): array
    {
        $out = [];
        $doc = $position = 0;
        $positions = [];
        foreach (unpack('N*', $postings) as $w) {
            // The values of the word; only leading ones may be missing.
            switch ($w >> 28 & 3) {
                case 0:
                    $values = [$w & 0xFFFFFFF];
                    break;
                case 1:
                    $values = ($w & 0xFFFC000) !== 0 ? [$w >> 14 & 0x3FFF, $w & 0x3FFF] : [$w & 0x3FFF];
                    break;
                case 2:
                    $values = ($w & 0x7FC0000) !== 0
                        ? [$w >> 18 & 0x1FF, $w >> 9 & 0x1FF, $w & 0x1FF]
                        : (($w & 0x3FE00) !== 0 ? [$w >> 9 & 0x1FF, $w & 0x1FF] : [$w & 0x1FF]);
                    break;
                default:
                    $values = self::values($w);
            }
            if ($w >= 0xC0000000 || $w < 0x40000000) {
                $v = $values[0];
                if ($v & 0x8000000) {
                    $doc = $v >> 9 & 0x3FFFF;
                    $position = $v & 0x1FF;
                    $positions = [$position];
                } else {
                    $doc = $v - 1;
                    $position = 0;
                    $positions = [];
                }
                for ($i = 1, $n = count($values); $i < $n; ++$i) {
                    $positions[] = $position += $values[$i];
                }
            } else {
                foreach ($values as $v) {
                    $positions[] = $position += $v;
                }
            }
            // It ends at a word that is last (01) or alone (00).
            if ($w < 0x80000000) {
                $out[] = [$doc, $positions];
            }
        }
        return $out;
    }

    /** The first value of a word of at least three values. */
    private static function firstValue(int $w): int
    {
        return self::values($w)[0];
    }

    /** @return non-empty-list<int> */
    private static function values(int $w): array
    {
        [$shift, $width] = match (true) {
            ($w >> 28 & 3) === 0 => [0, 28],
            ($w >> 28 & 3) === 1 => [14, 14],
            ($w >> 28 & 3) === 2 => [18, 9],
            ($w >> 26 & 15) === 12 => [18, 6],
            ($w >> 26 & 15) === 13 => [20, 5],
            ($w >> 26 & 15) === 14 => [20, 4],
            ($w >> 25 & 31) === 30 => [18, 3],
            ($w >> 24 & 63) === 62 => [22, 2],
            default => [23, 1],
        };
        $mask = (1 << $width) - 1;
        $values = [];
        for (; $shift >= 0; $shift -= $width) {
            $v = $w >> $shift & $mask;
            if ($v !== 0 || $values !== []) {
                $values[] = $v;
            }
        }
        return $values;
    }
}
