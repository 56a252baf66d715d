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
namespace Postings\Machines;

/** The documents of all leaves, and what is searched for: the same in every run. */
final class Documents
{
    private const HOSTS = 24;
    /** @var list<string> the most common first */
    private array $words = [];
    /** @var list<array{url: string, title: string, text: string, links: array<string, string>}> */
    public array $all = [];

    public function __construct(int $many)
    {
        mt_srand(11);
        $syllables = ['ba', 'do', 'fi', 'gu', 'ka', 'lo', 'mi', 'nu', 'pa', 'ro', 'ti', 'vu', 'za'];
        while (count($this->words) < 1500) {
            $word = '';
            for ($i = mt_rand(2, 4); $i > 0; $i--) {
                $word .= $syllables[array_rand($syllables)];
            }
            $this->words[$word] = $word;
        }
        $this->words = array_values($this->words);
        for ($d = 0; $d < $many; $d++) {
            $text = $this->text(mt_rand(30, 120));
            // A word of its own; a phrase that one document in nine has, with its words in another order elsewhere.
            $text .= sprintf(' own%d. ', $d) . ['sefe tefe nefe', 'nefe tefe sefe', ''][min(2, $d % 9)];
            $links = [];
            for ($i = mt_rand(0, 2); $i > 0; $i--) {
                // One target in ten was never fetched: all that is known of it is the link.
                $links[self::url(mt_rand(0, intdiv(11 * $many, 10)))] = $this->text(mt_rand(3, 6));
            }
            $title = ucfirst($this->text(mt_rand(2, 6)));
            $this->all[] = ['url' => self::url($d), 'title' => $title, 'text' => $text, 'links' => $links];
        }
    }

    private static function url(int $document): string
    {
        return sprintf('http://h%d.example/p%d.html', $document * 7 % self::HOSTS, $document);
    }

    private function text(int $length): string
    {
        $words = [];
        for (; $length > 0; $length--) {
            $words[] = $this->words[intdiv(mt_rand(0, 199) * mt_rand(0, 199), mt_rand(27, 400))];
        }
        return implode(' ', $words);
    }

    /** @return array<string, list<string>> kind => queries */
    public function queries(): array
    {
        $word = fn(int $common) => $this->words[$common];
        $queries = [
            'one word' => [$word(0), $word(9), $word(60), $word(700)],
            'several words' => [$word(0) . ' ' . $word(1), $word(2) . ' ' . $word(7), $word(0) . ' ' . $word(150),
                $word(1) . ' ' . $word(2) . ' ' . $word(3), $word(0) . ' ' . $word(4) . ' ' . $word(8) . ' ' . $word(12)],
            'a phrase' => ['"sefe tefe nefe"', '"nefe tefe"', '"sefe * nefe"', '"' . $word(0) . ' ' . $word(1) . '"',
                $word(0) . ' "sefe tefe"'],
            'rare' => ['own17', 'own18 sefe', $word(700) . ' ' . $word(0), $word(400) . ' ' . $word(300)],
            'nothing' => ['nowhere', 'nowhere ' . $word(0), '"tefe tefe"', 'own17 own18'],
            'a modifier' => ['site:h3.example ' . $word(0), 'site:http://h3.example/ ' . $word(1) . ' ' . $word(2),
                $word(0) . ' site:any', $word(5) . ' site:doc', 'lang:en-us ' . $word(3), 'media:text ' . $word(6) . ' ' . $word(2),
                $word(0) . ' -' . $word(1), $word(0) . ' ' . $word(3) . ' weight:2', 'site:h3.example',
                'info:' . self::url(5)],
            'one of several' => [$word(0) . ' ' . $word(11) . ' | ' . $word(30), $word(900) . ' | ' . $word(1000) . ' ' . $word(2)],
        ];
        mt_srand(12);
        for ($i = 0; $i < 24; $i++) {
            $drawn = [];
            for ($n = 2 + $i % 3; $n > 0; $n--) {
                $drawn[] = $this->words[intdiv(mt_rand(0, 30) * mt_rand(0, 30), mt_rand(10, 40))];
            }
            $queries['several words, drawn'][] = implode(' ', $drawn);
        }
        return $queries;
    }
}
