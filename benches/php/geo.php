<?php

/**
 * Points on the map: what do areas and distances cost among ten million, from PHP?
 *
 *     php -n -d memory_limit=-1 -d extension=$PWD/modules/postings.so benches/php/geo.php [documents] [folder]
 *
 * The index is generated once in the folder, with a fixed seed: half of the points in towns (a thousand, of ten kilometres),
 * half of them anywhere on land and sea; the coordinates also as two numeric fields, and a word that one in ten has. Prints the
 * number of hits, and the median of 15 calls in milliseconds of the processor, without the first (which reads and checks parts
 * of files) and that alone. Two plain scans stand beside: the numeric fields, each of which is compared for all documents, and
 * a loop in PHP over all points, which is called three times.
 */

declare(strict_types=1);

use Postings\{Filter, Index, IndexWriter};

require __DIR__ . '/cpu.php';

/** Points as `lat, lng, lat, lng …`, in parts. */
function points(int $documents): Generator
{
    mt_srand(1);
    $random = static fn (): float => mt_rand() / mt_getrandmax();
    $towns = [];
    for ($i = 0; $i < 1000; $i++) {
        $towns[] = [rad2deg(asin(2 * $random() - 1)) * 0.8, 360 * $random() - 180];
    }
    $towns[0] = [48.1, 11.6];
    for ($done = 0; $done < $documents; $done += 100_000) {
        $part = [];
        for ($i = 0; $i < min(100_000, $documents - $done); $i++) {
            if ($i % 2) {
                [$lat, $lng] = $towns[mt_rand(0, 999)];
                $metres = 10_000 * sqrt(-2 * log(1 - 0.999999 * $random()));
                $angle = 2 * M_PI * $random();
                $part[] = $lat + $metres * sin($angle) / 111_195;
                $lng += $metres * cos($angle) / (111_195 * cos(deg2rad($lat)));
                $part[] = $lng > 180 ? $lng - 360 : ($lng < -180 ? $lng + 360 : $lng);
            } else {
                $part[] = rad2deg(asin(2 * $random() - 1));
                $part[] = 360 * $random() - 180;
            }
        }
        yield $part;
    }
}

$documents = (int) ($argv[1] ?? 10_000_000);
$folder = $argv[2] ?? sys_get_temp_dir() . "/postings-bench-geo-$documents";
if (!is_file("$folder/manifest")) {
    $began = cpu();
    $writer = IndexWriter::open($folder, ['text' => [], 'place' => ['geo' => true], 'lat' => ['numeric' => true], 'lng' => ['numeric' => true]], memory: 256 << 20);
    $id = 0;
    foreach (points($documents) as $part) {
        for ($i = 0; $i < count($part); $i += 2) {
            $writer->add($id++, ['text' => $id % 10 ? '' : 'word', 'place' => [$part[$i], $part[$i + 1]], 'lat' => $part[$i], 'lng' => $part[$i + 1]]);
        }
    }
    $writer->commit();
    $writer->optimize();
    $writer->close();
    printf("indexed in %.0f s\n", (cpu() - $began) / 1e3);
}
$index = Index::open($folder);
printf("%d documents, %.1f bytes each\n%-58s %9s %9s %9s\n", count($index), filesize(glob("$folder/*.segment")[0]) / count($index), '', 'hits', 'first', 'median');

$measure = function (string $what, callable $search, int $runs = 16): void {
    $times = [];
    for ($run = 0; $run < $runs; $run++) {
        $began = cpu();
        $hits = $search();
        $times[] = cpu() - $began;
    }
    $first = array_shift($times);
    sort($times);
    printf("%-58s %9d %9.3f %9.3f\n", $what, $hits, $first, $times[intdiv(count($times), 2)]);
};
$count = fn (mixed ...$options) => fn () => $index->count(...$options);
$search = fn (mixed ...$options) => fn () => count($index->search(...$options));
$here = [48.1, 11.6];
foreach ([1, 50, 1000] as $kilometres) {
    $measure("within $kilometres km of a town, counted", fn () => $index->count('', filter: [Filter::near('place', ...$here, metres: 1000 * $kilometres)]));
}
$measure('within 50 km, ten hits', fn () => count($index->search('', filter: [Filter::near('place', ...$here, metres: 50_000)])));
$measure('within 50 km, with a word, ten best', fn () => count($index->search('word', filter: [Filter::near('place', ...$here, metres: 50_000)])));
$measure('a box of 1° by 1°, counted', fn () => $index->count('', filter: [Filter::box('place', [47.6, 11.1], [48.6, 12.1])]));
$measure('a box of 30° by 40°, counted', fn () => $index->count('', filter: [Filter::box('place', [35, -10], [65, 30])]));
$measure('a box of 1° by 1° across the antimeridian, counted', fn () => $index->count('', filter: [Filter::box('place', [0, 179.5], [1, -179.5])]));
$measure('the nearest ten of all', $search('', sort: ['place' => $here]));
$measure('the nearest ten of all, in the middle of an ocean', $search('', sort: ['place' => [-40, -120]]));
$measure('the nearest ten within 50 km', fn () => count($index->search('', filter: [Filter::near('place', ...$here, metres: 50_000)], sort: ['place' => $here])));
$measure('the nearest ten with a word', $search('word', sort: ['place' => $here]));
$measure('plain scan of two numeric fields: a box of 1° by 1°', $count('', filter: ['lat' => [47.6, 48.6], 'lng' => [11.1, 12.1]]));
$points = implode('', array_map(fn (array $part) => pack('d*', ...$part), iterator_to_array(points($documents), false)));
$measure('plain scan in PHP: within 50 km, counted', function () use ($points, $here) {
    [$lat, $lng] = array_map(deg2rad(...), $here);
    for ($found = $at = 0; $at < strlen($points); $at += 1_600_000) {
        $part = unpack('d*', substr($points, $at, 1_600_000));
        for ($i = 1; $i < count($part); $i += 2) {
            $h = sin((deg2rad($part[$i]) - $lat) / 2) ** 2 + cos($lat) * cos(deg2rad($part[$i])) * sin((deg2rad($part[$i + 1]) - $lng) / 2) ** 2;
            $found += (int) (2 * 6_371_008.7714 * asin(sqrt(min(1, $h))) <= 50_000);
        }
    }
    return $found;
}, 3);
