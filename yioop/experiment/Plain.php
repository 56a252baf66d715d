<?php
/**
 * Part of Postings: the experiment with Yioop.
 *
 * Copyright (C) 2026 the authors of Postings
 *
 * This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public
 * License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later
 * version. It is distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY; without even the implied
 * warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the GNU General Public License for more
 * details: <https://www.gnu.org/licenses/>.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
namespace Postings\Experiment;

/**
 * The same work in plain PHP, in place of Yioop's own functions if no checkout of Yioop is given. Written for speed, with
 * as few function calls per posting as possible.
 */
final class Plain
{
    public function name(): string
    {
        return 'plain PHP';
    }

    /** Layouts of a Modified 9 word, by the six bits after its top two: [bits per number, numbers]. */
    private static function form(int $word): array
    {
        return match (true) {
            ($word & 0x30000000) == 0 => [28, 1],
            ($word & 0x30000000) == 0x10000000 => [14, 2],
            ($word & 0x30000000) == 0x20000000 => [9, 3],
            ($word & 0x3C000000) == 0x30000000 => [6, 4],
            ($word & 0x3C000000) == 0x34000000 => [5, 5],
            ($word & 0x3C000000) == 0x38000000 => [4, 6],
            ($word & 0x3E000000) == 0x3C000000 => [3, 7],
            ($word & 0x3F000000) == 0x3E000000 => [2, 12],
            default => [1, 24],
        };
    }

    /** @return list<int> the numbers of a word */
    private static function numbers(int $word): array
    {
        [$bits, $many] = self::form($word);
        $mask = (1 << $bits) - 1;
        $numbers = [];
        for ($shift = $bits * ($many - 1); $shift >= 0; $shift -= $bits) {
            if ($number = $word >> $shift & $mask) {
                $numbers[] = $number;
            }
        }
        return $numbers;
    }

    /** @return list<int> */
    public function docIndexes(string $list): array
    {
        $docs = [];
        foreach (unpack('N*', $list) as $word) {
            $place = $word >> 30;
            if ($place != 0 && $place != 3) {
                continue;
            }
            $first = $word & 0x0FFFFFFF;
            if ($word & 0x30000000) {
                $first = self::numbers($word)[0];
            }
            $docs[] = $first & 0x8000000 ? ($first & 0x7FFFFFF) >> 9 : $first - 1;
        }
        return $docs;
    }

    /** @return list<array{int, list<int>}> */
    public function unpack(string $list): array
    {
        $postings = [];
        $values = [];
        foreach (unpack('N*', $list) as $word) {
            foreach (self::numbers($word) as $number) {
                $values[] = $number;
            }
            if ($word >> 31) {
                continue;
            }
            $doc = array_shift($values) ?? 1;
            $position = 0;
            $positions = [];
            if ($doc & 0x8000000) {
                $positions[] = $position = $doc & 0x1FF;
                $doc = (($doc & 0x7FFFFFF) >> 9) + 1;
            }
            foreach ($values as $gap) {
                $positions[] = $position += $gap;
            }
            $postings[] = [$doc - 1, $positions];
            $values = [];
        }
        return $postings;
    }

    /**
     * Packs as many numbers into each word as fit. Yioop's own encoder sometimes writes other words, which read the same.
     *
     * @param list<array{int, list<int>}> $postings
     */
    public function pack(array $postings): string
    {
        $most = [0, 24, 12, 7, 6, 5, 4, 3, 3, 3, 2, 2, 2, 2, 2];
        $codes = [24 => [0x3F, 1], 12 => [0x3E, 2], 7 => [0x3C, 3], 6 => [0x38, 4], 5 => [0x34, 5], 4 => [0x30, 6],
            3 => [0x20, 9], 2 => [0x10, 14], 1 => [0, 28]];
        $list = '';
        foreach ($postings as [$doc, $positions]) {
            $values = [];
            $last = 0;
            foreach ($positions as $position) {
                $values[] = $position - $last;
                $last = $position;
            }
            if ($doc >= 1 << 15 && $doc < 1 << 18 && $values && $values[0] < 512) {
                $values[0] += 1 << 27 | $doc << 9;
            } else {
                array_unshift($values, $doc + 1);
            }
            $words = [];
            for ($at = 0, $n = count($values); $at < $n; $at += $take) {
                $bits = 1;
                for ($take = 0; $at + $take < $n; $take++) {
                    while ($values[$at + $take] >> $bits) {
                        $bits++;
                    }
                    if ($take >= ($most[$bits] ?? 1)) {
                        break;
                    }
                }
                // The smallest sufficient count of numbers per word leaves each the most bits.
                foreach ($codes as $many => $_) {
                    if ($many < $take) {
                        break;
                    }
                    $room = $many;
                }
                [$code, $width] = $codes[$room];
                $word = 0;
                for ($i = 0; $i < $take; $i++) {
                    $word = $word << $width | $values[$at + $i];
                }
                $words[] = $word | $code << 24;
            }
            $end = count($words) - 1;
            foreach ($words as $i => &$word) {
                $word |= ($end == 0 ? 0 : ($i == 0 ? 3 : ($i == $end ? 1 : 2))) << 30;
            }
            unset($word);
            $list .= pack('N*', ...$words);
        }
        return $list;
    }

    /** @return list<int> doc indexes that are in all lists */
    public function intersect(string ...$lists): array
    {
        $docs = null;
        foreach ($lists as $list) {
            $of = array_flip($this->docIndexes($list));
            $docs = $docs === null ? $of : array_intersect_key($docs, $of);
        }
        return array_keys($docs);
    }
}
