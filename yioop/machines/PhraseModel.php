<?php
/**
 * Part of Postings: Yioop on several machines.
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
namespace seekquarry\yioop\models;

/**
 * Yioop's model of queries, with the times that its searches take. Yioop's autoloader finds it in the work directory, as it
 * finds the drop-in. UntimedPhraseModel, beside it there, is a copy of Yioop's own.
 */
class PhraseModel extends UntimedPhraseModel
{
    /** @var int nanoseconds that it took to look words up, and to go through their postings */
    public static $look_ups = 0;
    public static $postings = 0;

    public function getQueryIterator($word_structs, $filter, $raw, &$to_retrieve, $queue_servers = [], $original_query = "",
        $save_timestamp_name = "", $limit_feeds = true)
    {
        $begun = hrtime(true);
        $iterator = parent::getQueryIterator($word_structs, $filter, $raw, $to_retrieve, $queue_servers, $original_query,
            $save_timestamp_name, $limit_feeds);
        self::$look_ups += hrtime(true) - $begun;
        return $iterator === null ? null : new class ($iterator) {
            public function __construct(private $iterator)
            {
            }

            public function nextDocsWithWord()
            {
                $begun = hrtime(true);
                $docs = $this->iterator->nextDocsWithWord();
                PhraseModel::$postings += hrtime(true) - $begun;
                return $docs;
            }

            public function __get($name)
            {
                return $this->iterator->$name;
            }

            public function __call($name, $arguments)
            {
                return $this->iterator->$name(...$arguments);
            }
        };
    }
}
