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

require __DIR__ . '/machines/Documents.php';
require __DIR__ . '/machines/Machine.php';

const USAGE = <<<'TEXT'
Compares what a Yioop of several machines finds, and how long its leaves take, without the drop-in and with it.

    php yioop/machines.php YIOOP_DIR path/to/postings.so [options]

YIOOP_DIR  a checkout of Yioop 2019; what runs is a copy of it

    --leaves=2,4          numbers of leaves, one run after the other; the addresses are 127.0.0.2 and following
    --documents=4000      documents of all leaves together
    --per-generation=1500 documents and links per generation
    --passes=7            how often the queries are timed

TEXT;

/** From where, and how many: the first page, the second, and results for which leaves are asked more than once. */
const PAGES = [[0, 10], [10, 10], [150, 100], [350, 50]];
/** Estimates of a total may differ by this share of the larger one (docs/with-yioop.md). */
const ESTIMATE = 0.25;

/** A copy of Yioop that runs under PHP 8, with the edits that docs/with-yioop.md names. */
function copyYioop(string $from, string $to): void
{
    mkdir($to);
    exec('cp -r ' . escapeshellarg("$from/src") . ' ' . escapeshellarg("$to/src"), result_code: $status);
    if ($status != 0) {
        throw new \RuntimeException("$from/src could not be copied");
    }
    $edits = [
        'library/IndexShard.php' => [
            '/(return \(!\$is_doc\) \? floatval\(C\\\\LINK_WEIGHT\):)\s*(\(isset[^;]+);/' => '$1 ($2);',
        ],
        'configs/Config.php' => [
            '/(function yioop_error_handler\([^)]*\$errcontext)\)\s*\{/' => "$1 = null)\n{",
            '/(function yioop_error_handler\([^)]*\)\s*\{)/' =>
                "$1\n    if (!(error_reporting() & \$errno)) {\n        return true;\n    }",
        ],
    ];
    foreach ($edits as $file => $replacements) {
        $text = file_get_contents("$to/src/$file");
        foreach ($replacements as $pattern => $replacement) {
            $text = preg_replace($pattern, $replacement, $text);
        }
        file_put_contents("$to/src/$file", $text);
        exec(escapeshellarg(PHP_BINARY) . ' -n -l ' . escapeshellarg("$to/src/$file") . ' 2>&1', $lines, $status);
        if ($status != 0) {
            throw new \RuntimeException("the edit of $file failed: " . implode("\n", $lines));
        }
    }
}

/** What all queries find: "query, from where" => pages and total. Also checks which leaves the drop-in ran on. */
function answers(Machine $coordinator, array $leaves, array $with, array $queries): array
{
    $answers = [];
    foreach ($queries as $kind => $of) {
        foreach ($of as $query) {
            foreach (PAGES as [$from, $many]) {
                $data = $coordinator->search($query, $from, $many);
                $answers["$query, from $from"] = ['pages' => $data['PAGES'], 'total' => $data['TOTAL_ROWS'], 'kind' => $kind];
            }
        }
    }
    foreach ($leaves as $i => $leaf) {
        $searches = array_filter($leaf->requests(), fn($request) => $request['search']);
        $native = array_sum(array_column($searches, 'native'));
        if (count($searches) < count($answers)) {
            throw new \RuntimeException("leaf $i answered " . count($searches) . ' searches of ' . count($answers));
        }
        if (($native > 0) != $with[$i]) {
            throw new \RuntimeException("leaf $i: $native native calls, " . ($with[$i] ? 'with' : 'without') . ' the drop-in');
        }
    }
    return $answers;
}

/** Compares two sets of answers; returns a line about them, or throws at the first difference. */
function compare(array $expected, array $got): string
{
    $pages = 0;
    $exact = 0;
    $estimates = [];
    foreach ($expected as $what => ['pages' => $wanted, 'total' => $total]) {
        if ($got[$what]['pages'] != $wanted) {
            foreach ($wanted as $i => $page) {
                $other = $got[$what]['pages'][$i] ?? [];
                $differs = fn($value, $field) => ($other[$field] ?? null) != $value;
                $fields = array_keys(array_filter($page, $differs, ARRAY_FILTER_USE_BOTH));
                if ($fields) {
                    throw new \RuntimeException("$what: page $i differs in " . implode(', ', $fields) . ":\n" .
                        json_encode(array_intersect_key($page, array_flip($fields)), JSON_PARTIAL_OUTPUT_ON_ERROR) . ', and ' .
                        json_encode(array_intersect_key($other, array_flip($fields)), JSON_PARTIAL_OUTPUT_ON_ERROR));
                }
            }
            throw new \RuntimeException("$what: " . count($wanted) . ' pages, and ' . count($got[$what]['pages']));
        }
        $pages += count($wanted);
        if ($got[$what]['total'] == $total) {
            $exact++;
            continue;
        }
        $apart = 1 - min($total, $got[$what]['total']) / max($total, $got[$what]['total']);
        // A leaf counts what it found, up to 200; a larger total is an estimate.
        if (min($total, $got[$what]['total']) <= 200 || $apart > ESTIMATE) {
            throw new \RuntimeException("$what: the totals are $total and {$got[$what]['total']}");
        }
        $estimates[] = $apart;
    }
    return sprintf('%d answers with %d pages are the same; %d totals are the same, %s', count($expected), $pages, $exact,
        $estimates ? sprintf('%d estimates up to %.1f%% apart', count($estimates), 100 * max($estimates)) : 'all');
}

/** Times of the leaves in milliseconds per query, by what they were spent on: medians of several passes. */
function times(Machine $coordinator, array $leaves, array $queries, int $passes): array
{
    $sums = [];
    array_map(fn($leaf) => $leaf->requests(), $leaves);
    for ($pass = 0; $pass < $passes; $pass++) {
        $sum = ['requests' => 0, 'search' => 0, 'look-ups' => 0, 'postings' => 0, 'summaries' => 0, 'coordinator' => 0];
        foreach ($queries as $query) {
            $begun = hrtime(true);
            $coordinator->search($query, 0, 10);
            $sum['coordinator'] += (hrtime(true) - $begun) / 1e6;
        }
        foreach ($leaves as $leaf) {
            foreach ($leaf->requests() as $request) {
                $sum[$request['search'] ? 'search' : 'summaries'] += 1e3 * $request['seconds'] / count($leaves);
                $sum['requests'] += $request['search'] / count($leaves);
                $sum['look-ups'] += 1e3 * $request['look-ups'] / count($leaves);
                $sum['postings'] += 1e3 * $request['postings'] / count($leaves);
            }
        }
        foreach ($sum as $what => $value) {
            $sums[$what][] = $value / count($queries);
        }
    }
    return array_map(function ($values) {
        sort($values);
        return $values[intdiv(count($values), 2)];
    }, $sums);
}

function run(string $yioop, string $extension, string $folder, int $many, array $options): void
{
    $port = freePort($many);
    $url = "http://127.0.0.1:$port/";
    $coordinator = new Machine($yioop, '127.0.0.1', $port, "$folder/$many-coordinator", $url);
    $documents = new Documents($options['documents']);
    $leaves = [];
    $sizes = [];
    for ($i = 0; $i < $many; $i++) {
        $leaves[$i] = new Machine($yioop, '127.0.0.' . (2 + $i), $port, "$folder/$many-leaf-$i", $url);
        [$entries, $generations] = $leaves[$i]->build($i, $many, $options['documents'], $options['per-generation']);
        $sizes[] = "$entries ($generations)";
    }
    $coordinator->ask(...$leaves);
    printf("%d leaves, %d documents; documents and links (generations) of each: %s\n", $many, count($documents->all),
        implode(', ', $sizes));
    $queries = $documents->queries();
    $timed = array_merge($queries['several words'], $queries['several words, drawn']);
    $expected = null;
    foreach ([
        'without the drop-in' => array_fill(0, $many, false),
        'with it on every leaf' => array_fill(0, $many, true),
        'with it on the first leaf' => [true] + array_fill(0, $many, false),
        'with it on all but the first' => [false] + array_fill(0, $many, true),
    ] as $how => $with) {
        $machines = [$coordinator, ...$leaves];
        try {
            $coordinator->start(null);
            foreach ($leaves as $i => $leaf) {
                $leaf->start($with[$i] ? $extension : null);
                $leaf->requests();
            }
            $answers = answers($coordinator, $leaves, $with, $queries);
            if ($expected === null) {
                $expected = $answers;
                $empty = count(array_filter($answers, fn($answer) => $answer['pages'] == []));
                $own = 0;
                foreach ($sample = array_rand($documents->all, 40) as $document) {
                    $own += count($coordinator->search("own$document", 0, 10)['PAGES']) == 1;
                }
                printf("  %s: %d answers, %d of them empty; of %d words that are in one document, Yioop finds %d\n", $how,
                    count($answers), $empty, count($sample), $own);
            } else {
                printf("  %s: %s\n", $how, compare($expected, $answers));
            }
            if ($with[0] == end($with)) {
                $times = times($coordinator, $leaves, $timed, $options['passes']);
                printf("    a query of several words: %.1f searches on each leaf, %.2f ms (postings %.2f, %.0f%%; look-ups %.2f)," .
                    " and %.2f ms for summaries; the coordinator's answer after %.1f ms\n", $times['requests'], $times['search'],
                    $times['postings'], 100 * $times['postings'] / $times['search'], $times['look-ups'], $times['summaries'],
                    $times['coordinator']);
            }
        } finally {
            array_map(fn($machine) => $machine->stop(), $machines);
        }
    }
}

/** A port that is free on all of the addresses. */
function freePort(int $leaves): int
{
    for ($try = 0; $try < 20; $try++) {
        $held = [@stream_socket_server('tcp://127.0.0.1:0')];
        $port = (int) substr(strrchr((string) stream_socket_get_name($held[0], false), ':'), 1);
        for ($i = 0; $i < $leaves; $i++) {
            $held[] = @stream_socket_server('tcp://127.0.0.' . (2 + $i) . ":$port");
        }
        if (!in_array(false, $held, true)) {
            return $port;
        }
    }
    echo "SKIPPED: Yioop on several machines: this system has no address 127.0.0.2\n";
    exit(0);
}

function main(array $arguments): int
{
    $options = ['leaves' => '2,4', 'documents' => 4000, 'per-generation' => 1500, 'passes' => 7];
    $names = [];
    foreach (array_slice($arguments, 1) as $argument) {
        if (preg_match('/^--([a-z-]+)=([\d,]+)$/', $argument, $option) && isset($options[$option[1]])) {
            $options[$option[1]] = $option[1] == 'leaves' ? $option[2] : (int) $option[2];
        } else {
            $names[] = $argument;
        }
    }
    if (count($names) != 2 || !is_dir("$names[0]/src") || !is_file($names[1])) {
        fwrite(STDERR, USAGE);
        return 2;
    }
    $folder = sys_get_temp_dir() . '/postings-machines-' . getmypid();
    mkdir($folder);
    register_shutdown_function(fn() => exec('rm -rf ' . escapeshellarg($folder)));
    if (function_exists('pcntl_signal')) {
        // An exception, because `exit` would leave the servers running.
        pcntl_async_signals(true);
        foreach ([SIGHUP, SIGINT, SIGTERM] as $signal) {
            pcntl_signal($signal, fn() => throw new \RuntimeException("signal $signal"));
        }
    }
    try {
        copyYioop(realpath($names[0]), "$folder/yioop");
        foreach (explode(',', $options['leaves']) as $many) {
            run("$folder/yioop", realpath($names[1]), $folder, (int) $many, $options);
        }
    } catch (\RuntimeException $problem) {
        echo 'FAILED: ', $problem->getMessage(), "\n";
        return 1;
    }
    return 0;
}

exit(main($argv));
