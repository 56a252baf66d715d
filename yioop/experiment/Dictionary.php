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

use Postings\Yioop\Shard;

/**
 * Looks words up in the dictionary of each shard, in place of Yioop's IndexDictionary, for Yioop's own iterator and for
 * the drop-in alike. Yioop merges the dictionaries of all generations into one, and Yioop of 2019 loses words and
 * generations in the merge when it runs under PHP 8.
 */
final class Dictionary
{
    /** @var array<int, Shard> */
    private array $shards = [];

    public function __construct(string $folder, int $documents, int $perGeneration)
    {
        for ($generation = 0; $generation * $perGeneration < $documents; $generation++) {
            $this->shards[$generation] = Shard::open("$folder/index$generation");
        }
    }

    /** As Yioop's dictionary returns it: [documents with the word, list of [generation, first, last, documents, key]]. */
    public function getWordInfo($word_id, $raw = false, $shift = 0, $threshold = -1, $start_generation = -1,
        $num_distinct_generations = -1, $with_remaining_total = false)
    {
        $total = 0;
        $info = [];
        foreach ($this->shards as $generation => $shard) {
            $record = $generation >= $start_generation ? $shard->lookup($word_id) : null;
            if ($record && ($num_distinct_generations < 0 || count($info) < $num_distinct_generations)) {
                $info[] = [$generation, ...$record, $word_id];
                $total += $record[2];
            }
        }
        return $with_remaining_total ? [$total, $info] : $info;
    }
}
