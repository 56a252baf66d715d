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

use Postings\Yioop;
use Postings\Yioop\Conjunction;
use Postings\Yioop\Shard;

const USAGE = <<<'TEXT'
Compares how Yioop and this extension work through posting lists.

    php -d extension=postings.so yioop/experiment.php SHARD|YIOOP_DIR [options]

SHARD      a shard file with its dictionary; compared with plain PHP
YIOOP_DIR  a checkout of Yioop 2019; compared with Yioop's own code, on an index that is built first

    --documents=30000        documents to index (YIOOP_DIR)
    --per-generation=30000   documents per generation (YIOOP_DIR)
    --texts=8                package descriptions per document (YIOOP_DIR)
    --work=DIR               where to build the index (YIOOP_DIR); kept for the next run
    --queries=20             queries per row
    --device=NAME            an OpenCL device to compare with, as in postings.device
    --json=FILE              a file for the figures and the plot, which benches/report.rs draws

TEXT;

spl_autoload_register(function (string $class) {
    $file = __DIR__ . '/experiment/' . substr($class, strlen(__NAMESPACE__) + 1) . '.php';
    if (is_file($file)) {
        require $file;
    }
});

/** Seconds of a run: the median of up to nine (fewer if they take long), after a first that is not counted. */
function seconds(callable $run): float
{
    $run();
    $times = [];
    $begun = hrtime(true);
    do {
        $start = hrtime(true);
        $run();
        $times[] = hrtime(true) - $start;
    } while (count($times) < 9 && (count($times) < 3 || hrtime(true) - $begun < 3e8));
    sort($times);
    return $times[intdiv(count($times), 2)] / 1e9;
}

/** The same on the device, which must really run the calls; null if no device is named. */
function onDevice(?string $device, callable $run): ?float
{
    if ($device === null) {
        return null;
    }
    ini_set('postings.device', $device);
    ini_set('postings.offload', 'always');
    $before = \Postings\stats();
    $seconds = seconds($run);
    $after = \Postings\stats();
    ini_set('postings.offload', 'never');
    if ($after['device_calls'] == $before['device_calls'] || $after['device_failures'] > $before['device_failures']) {
        throw new \RuntimeException("the device '$device' did not run the calls: " . json_encode($after));
    }
    return $seconds;
}

function machine(): array
{
    preg_match('/^model name\s*: (.*)$/m', (string) @file_get_contents('/proc/cpuinfo'), $cpu);
    return [
        'cpu' => $cpu[1] ?? php_uname('m'),
        'system' => php_uname('s') . ' ' . php_uname('r'),
        'php' => PHP_VERSION,
        'postings' => phpversion('postings'),
    ];
}

/** Queries of the shard or site: words that occur together in a text, by how common they are. */
function drawQueries(array $texts, array $counts, int $many, int $words, callable $fits): array
{
    $queries = [];
    for ($try = 0; $try < 200000 && count($queries) < $many; $try++) {
        $text = array_values(array_unique($texts[mt_rand(0, count($texts) - 1)]));
        if (count($text) < $words) {
            continue;
        }
        $drawn = array_map(fn($i) => (string) $text[$i], (array) array_rand($text, $words));
        $of = array_map(fn($word) => $counts[$word] ?? 0, $drawn);
        if ($fits(min($of), max($of))) {
            sort($drawn);
            $queries[implode(' ', $drawn)] = [$drawn, min($of)];
        }
    }
    return array_values($queries);
}

/** Encoding, decoding, doc indexes: one list at a time. */
function lists(Report $report, Plain|Site $other, array $lists, ?string $device): void
{
    $report->head([$other->name(), 'CPU', 'device']);
    foreach ($lists as $list) {
        $postings = Yioop\unpack_postings($list);
        $on = count($postings) . ' postings, ' . strlen($list) . ' bytes';
        $positions = 0;
        foreach ($postings as $posting) {
            $positions += count($posting[1]);
        }
        $packed = '';
        $pack = function () use ($postings, &$packed) {
            $packed = '';
            foreach ($postings as [$doc, $positions]) {
                $packed .= Yioop\pack_posting($doc, $positions);
            }
        };
        $pack();
        if ($other->unpack($list) != $postings || Yioop\unpack_postings($other->pack($postings)) != $postings) {
            throw new \RuntimeException('the two results differ');
        }
        $report->row('pack', $on, [$other->name() => seconds(fn() => $other->pack($postings)), 'CPU' => seconds($pack),
            'device' => null], ['positions' => $positions]);
        $report->row('unpack all postings', $on, [
            $other->name() => seconds(fn() => $other->unpack($list)),
            'CPU' => seconds(fn() => Yioop\unpack_postings($list)),
            'device' => null], ['positions' => $positions]);
        $differ = count(array_diff_assoc($other->docIndexes($list), Yioop\doc_indexes($list)));
        $report->row('doc indexes', $on, [
            $other->name() => seconds(fn() => $other->docIndexes($list)),
            'CPU' => seconds(fn() => Yioop\doc_indexes($list)),
            'device' => onDevice($device, fn() => Yioop\doc_indexes($list))],
            $differ ? ['differ' => $differ, 'note' => "$differ differ: see docs/yioop-experiment.md"] : []);
        if ($other instanceof Site) {
            $report->row('doc indexes, a tight loop', $on, [
                $other->name() => seconds(fn() => $other->docIndexesTight($list)),
                'CPU' => seconds(fn() => Yioop\doc_indexes($list)),
                'device' => null]);
        }
    }
}

/** Queries over the lists of one shard or generation after another, without reading and scoring documents. */
function intersections(Report $report, array $kinds, callable $generations, ?string $device, bool $plot): void
{
    $plain = new Plain();
    $report->head(['plain PHP', 'CPU', 'device', 'CPU, batch', 'device, batch']);
    foreach ($kinds as $kind => $queries) {
        $total = [0, 0, 0, 0, 0];
        foreach ($queries as [$words, $shortest]) {
            $shards = $generations($words);
            $lists = array_map(
                fn($generation) => array_map(fn($range) => $generation[0]->postingsAt(...$range), $generation[1]), $shards);
            $one = function () use ($lists) {
                foreach ($lists as $of) {
                    Yioop\intersect(...$of);
                }
            };
            $batch = fn() => Conjunction::of($shards, array_keys($words));
            foreach ($lists as $of) {
                if ($plain->intersect(...$of) !== array_keys(Yioop\intersect(...$of))) {
                    throw new \RuntimeException('the two results differ for ' . implode(' ', $words));
                }
            }
            $times = [seconds(fn() => array_map(fn($of) => $plain->intersect(...$of), $lists)), seconds($one),
                onDevice($device, $one), seconds($batch), onDevice($device, $batch)];
            foreach ($times as $i => $seconds) {
                $total[$i] = $seconds === null ? null : $total[$i] + $seconds;
            }
            foreach ($plot ? ['plain PHP', 'CPU', 'device'] : [] as $i => $way) {
                if ($times[$i] !== null) {
                    $report->point($way, $shortest, $times[$i]);
                }
            }
        }
        if ($queries) {
            $report->row('intersect, ' . count($queries) . ' queries', $kind, array_combine(
                ['plain PHP', 'CPU', 'device', 'CPU, batch', 'device, batch'], $total));
        }
    }
}

/** Queries through Yioop's iterator and through the drop-in, to the last document and to the twentieth. */
function iterators(Report $report, Site $site, array $kinds, ?string $device): void
{
    $report->head(['Yioop', 'drop-in', 'on device']);
    foreach ($kinds as $kind => $queries) {
        foreach (['all documents' => PHP_INT_MAX, 'first 20' => 20] as $how => $most) {
            $total = [0, 0, 0];
            $worst = INF;
            $ratios = [];
            $documents = [0, 0];
            foreach ($queries as [$words, $shortest]) {
                // The word iterators are the same for both and made before.
                $run = function (bool $own) use ($site, $words, $most, &$documents) {
                    $times = [];
                    for ($i = 0; $i < 4; $i++) {
                        $iterator = $site->query($words, $own);
                        $start = hrtime(true);
                        $found = Site::drain($iterator, $most);
                        $times[] = (hrtime(true) - $start) / 1e9;
                    }
                    $documents[$own ? 0 : 1] += $found;
                    array_shift($times);
                    sort($times);
                    return $times[1];
                };
                $times = [$run(true), $run(false), null];
                if ($device !== null) {
                    ini_set('postings.offload', 'always');
                    ini_set('postings.device', $device);
                    $before = \Postings\stats();
                    $found = $documents[1];
                    $times[2] = $run(false);
                    $documents[1] = $found;
                    ini_set('postings.offload', 'never');
                    if (\Postings\stats()['device_calls'] == $before['device_calls']) {
                        throw new \RuntimeException("the device '$device' did not run the calls");
                    }
                }
                foreach ($times as $i => $seconds) {
                    $total[$i] = $seconds === null ? null : $total[$i] + $seconds;
                }
                $ratios[] = $times[0] / $times[1];
                if ($most > 20) {
                    $report->point("Yioop's own", $shortest, $times[0]);
                    $report->point('drop-in, CPU', $shortest, $times[1]);
                    if ($times[2] !== null) {
                        $report->point('drop-in, device', $shortest, $times[2]);
                    }
                }
            }
            if ($queries) {
                sort($ratios);
                $report->row(count($queries) . " queries, $how", $kind,
                    array_combine(['Yioop', 'drop-in', 'drop-in on device'], $total),
                    ['documents' => array_combine(['Yioop', 'drop-in'], $documents), 'least ratio' => $ratios[0],
                        'median ratio' => $ratios[intdiv(count($ratios), 2)],
                        'note' => sprintf('least x%.1f, median x%.1f; %d and %d documents', $ratios[0],
                            $ratios[intdiv(count($ratios), 2)], ...$documents)]);
            }
        }
    }
}

/** The queries of a run: of 2 to 5 words, common and rare. */
function kinds(array $texts, array $counts, int $many): array
{
    $kinds = [];
    foreach ([2, 3, 4, 5] as $words) {
        $kinds["$words common words"] = drawQueries($texts, $counts, $many, $words, fn($least) => $least > 1000);
    }
    foreach ([2, 3] as $words) {
        $kinds["$words words, one rare"] =
            drawQueries($texts, $counts, $many, $words, fn($least, $most) => $least <= 50 && $most > 1000);
    }
    $kinds['2 rare words'] = drawQueries($texts, $counts, $many, 2, fn($least, $most) => $most <= 50);
    return array_filter($kinds);
}

/** Lists for measuring single operations: those with lengths nearest to powers of ten, and the longest. */
function drawLists(array $counts, callable $list): array
{
    $lists = [];
    arsort($counts);
    foreach ([100, 1000, 10000, PHP_INT_MAX] as $length) {
        foreach ($counts as $word => $count) {
            if ($count <= $length) {
                $lists[$word] = $list((string) $word);
                break;
            }
        }
    }
    return array_filter($lists);
}

function main(array $arguments): int
{
    $options = ['documents' => '30000', 'per-generation' => '30000', 'texts' => '8', 'queries' => '20', 'device' => null, 'json' => null,
        'work' => sys_get_temp_dir() . '/postings-experiment'];
    $target = null;
    foreach (array_slice($arguments, 1) as $argument) {
        if (preg_match('/^--([a-z-]+)=(.*)$/', $argument, $option) && array_key_exists($option[1], $options)) {
            $options[$option[1]] = $option[2];
        } else if ($target === null && $argument[0] != '-') {
            $target = $argument;
        } else {
            $target = null;
            break;
        }
    }
    if ($target === null || !file_exists($target)) {
        fwrite(STDERR, USAGE);
        return 2;
    }
    if (!extension_loaded('postings') || extension_loaded('yioop')) {
        fwrite(STDERR, "The extension postings must be loaded, without postings.yioop=1: that would speed up Yioop's own code.\n");
        return 2;
    }
    mt_srand(7);
    ini_set('memory_limit', '-1');
    ini_set('postings.offload', 'never');
    $many = (int) $options['queries'];
    $setting = ['target' => is_dir($target) ? 'Yioop' : 'shard', 'documents' => null, 'machine' => machine(),
        'device' => $options['device']];
    if ($options['device'] !== null) {
        ini_set('postings.device', $options['device']);
        foreach (\Postings\devices() as $device) {
            if ($device['selected']) {
                $setting['device'] = "$device[platform] / $device[name]";
            }
        }
    }

    if (is_dir($target)) {
        $site = new Site($target, $options['work'], (int) $options['documents'], (int) $options['per-generation'],
            (int) $options['texts']);
        $setting['documents'] = (int) $options['documents'];
        $setting['documents per generation'] = (int) $options['per-generation'];
        $report = new Report($setting);
        ['counts' => $counts, 'texts' => $texts] = $site->words;
        $longest = function (string $word) use ($site) {
            $lists = $site->lists($word);
            usort($lists, fn($a, $b) => strlen($b) <=> strlen($a));
            return $lists[0] ?? '';
        };
        $generations = max(1, intdiv($setting['documents'], $setting['documents per generation']));
        $lists = drawLists(array_map(fn($count) => intdiv($count, $generations), $counts), $longest);
        $ranges = $site->ranges(...);
    } else {
        $shard = Shard::open($target);
        $setting['documents'] = $shard->header()['documents'];
        $report = new Report($setting);
        $keys = $records = $counts = [];
        foreach ($shard as $key => $record) {
            $word = bin2hex($key);
            [$keys[$word], $records[$word], $counts[$word]] = [$key, $record, $record[2]];
        }
        if (!$keys) {
            fwrite(STDERR, "The shard was saved without its dictionary.\n");
            return 2;
        }
        // The words of some documents, from the lists.
        $texts = [];
        foreach ($keys as $word => $key) {
            foreach (Yioop\doc_indexes($shard->postings($key)) as $doc) {
                if ($doc * 2654435761 % 16 == 0) {
                    $texts[$doc][] = $word;
                }
            }
        }
        $texts = array_values($texts);
        $site = null;
        $lists = drawLists($counts, fn($word) => $shard->postings($keys[$word]));
        $ranges = fn(array $words) => [[$shard, array_map(fn($word) => array_slice($records[$word], 0, 2), $words)]];
    }
    echo json_encode($setting, JSON_UNESCAPED_SLASHES), "\n\n";
    lists($report, $site ?? new Plain(), $lists, $options['device']);
    echo "\n";
    $kinds = kinds($texts, $counts, $many);
    intersections($report, $kinds, $ranges, $options['device'], !$site);
    if ($site) {
        echo "\n";
        iterators($report, $site, $kinds, $options['device']);
    }
    if ($options['json'] !== null) {
        $report->json($options['json']);
    }
    return 0;
}

exit(main($argv));
