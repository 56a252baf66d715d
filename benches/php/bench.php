<?php

/**
 * Compares the extension with plain PHP, as PHP code sees them: whole calls, with results as PHP arrays.
 *
 *     php -n -d extension=…/postings.so benches/php/bench.php [--output FILE.json] [--index DEMO_INDEX] [--quick]
 *
 * Lists are generated with a fixed seed: geometric gaps with mean 10, and Yioop postings with 1 to 4 positions each.
 * Each pair is checked for equal results. Then the extension and its peers run in turns, in short samples, so that
 * disturbances of the machine affect all alike. Each figure is the least of its samples, which is the time on an
 * undisturbed machine. `--index` names the folder of an index that examples/demo/index.php made, for the queries over real
 * text.
 *
 * There are two PHP peers. The targets are relative to plain loops (PlainPhp), which use a table of layouts and a loop
 * over the values of a word. With the word layouts unrolled (UnrolledPhp) PHP is faster and its code much longer; that
 * is shown without a target.
 */

declare(strict_types=1);

namespace Postings\Bench;

use Postings\{Codec, Index, PostingList};

require __DIR__ . '/PlainPhp.php';
require __DIR__ . '/UnrolledPhp.php';

const SEED = 20160229;
const USAGE = "php -n -d extension=…/postings.so bench.php [--output FILE.json] [--index DEMO_INDEX] [--quick]\n";

/** Collects, prints and writes the rows of the report. */
final class Report
{
    /** @var list<array<string, mixed>> */
    private array $rows = [];

    /** Adds a row of two times for the same work; `ratio` is how many times faster the extension is. */
    public function faster(string $name, float $ours, string $peer, float $theirs, ?float $atLeast): void
    {
        $ratio = $theirs / $ours;
        $this->add($name, $ours * 1e6, 'µs', $peer, $theirs * 1e6, $ratio, $atLeast === null ? null : ">= $atLeast", $atLeast === null ? null : $ratio >= $atLeast);
    }

    /** Adds a row of two times for the same work; `ratio` is the extension's time divided by the peer's. */
    public function share(string $name, float $ours, string $peer, float $theirs, float $atMost): void
    {
        $ratio = $ours / $theirs;
        $this->add($name, $ours * 1e6, 'µs', $peer, $theirs * 1e6, $ratio, "<= $atMost", $ratio <= $atMost);
    }

    public function add(string $name, float $value, string $unit, ?string $peer, ?float $peerValue, ?float $ratio, ?string $target, ?bool $met): void
    {
        $this->rows[] = ['name' => $name, 'value' => $value, 'unit' => $unit, 'peer' => $peer, 'peer_value' => $peerValue,
            'ratio' => $ratio, 'target' => $target, 'met' => $met];
        printf(
            "%-46s %11s %-9s %-34s %11s %9s %8s %s\n",
            $name,
            self::number($value),
            $unit,
            $peer ?? '',
            self::number($peerValue),
            self::number($ratio),
            $target ?? '',
            match ($met) {
                true => 'met',
                false => 'MISSED',
                null => '',
            },
        );
    }

    public static function head(): void
    {
        printf("%-46s %11s %-9s %-34s %11s %9s %8s\n%s\n", 'what', 'ours', 'unit', 'peer', 'peer', 'ratio', 'target', str_repeat('-', 138));
    }

    public function write(string $path): void
    {
        $json = json_encode($this->rows, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
        if (file_put_contents($path, "$json\n") === false) {
            throw new \RuntimeException("$path cannot be written");
        }
    }

    private static function number(?float $x): string
    {
        return match (true) {
            $x === null => '',
            abs($x) >= 1000 => number_format($x, 0, '.', ','),
            abs($x) >= 10 => sprintf('%.1f', $x),
            default => sprintf('%.3f', $x),
        };
    }
}

/**
 * The least seconds per call of each function, measured in turns.
 *
 * @param array<string, callable(): mixed> $calls
 *
 * @return array<string, float>
 */
function measure(array $calls, float $sampleSeconds, int $samples): array
{
    $repeats = $times = [];
    foreach ($calls as $name => $call) {
        $call();
        $began = hrtime(true);
        $call();
        $repeats[$name] = max(1, (int) ($sampleSeconds * 1e9 / max(1, hrtime(true) - $began)));
        $times[$name] = INF;
    }
    for ($sample = 0; $sample < $samples; ++$sample) {
        foreach ($calls as $name => $call) {
            $began = hrtime(true);
            for ($i = $repeats[$name]; $i > 0; --$i) {
                $call();
            }
            $times[$name] = min($times[$name], (hrtime(true) - $began) / 1e9 / $repeats[$name]);
        }
    }
    return $times;
}

function same(mixed $ours, mixed $theirs, string $what): void
{
    if ($ours !== $theirs) {
        throw new \RuntimeException("$what: the extension and plain PHP differ");
    }
}

/** @return list<int> n docIDs, gaps geometric with the mean given */
function doc_ids(int $n, float $mean): array
{
    $scale = 1 / log(1 - 1 / $mean);
    $ids = [];
    for ($i = 0, $d = -1; $i < $n; ++$i) {
        $ids[] = $d += 1 + (int) (log((mt_rand() + 1) / (mt_getrandmax() + 2)) * $scale);
    }
    return $ids;
}

/** @param list<int> $docIndexes */
function yioop_list(array $docIndexes): string
{
    $list = '';
    foreach ($docIndexes as $doc) {
        $positions = [];
        for ($i = mt_rand(1, 4), $p = 0; $i > 0; --$i) {
            $positions[] = $p += mt_rand(1, 60);
        }
        $list .= \Postings\Yioop\pack_posting($doc, $positions);
    }
    return $list;
}

ini_set('memory_limit', '4G');
$options = getopt('h', ['output:', 'index:', 'quick', 'help'], $rest);
if (isset($options['h']) || isset($options['help']) || $rest < $argc) {
    fwrite(STDERR, USAGE);
    exit(isset($options['h']) || isset($options['help']) ? 0 : 2);
}
if (!extension_loaded('postings')) {
    fwrite(STDERR, "The extension is not loaded.\n" . USAGE);
    exit(1);
}
[$sampleSeconds, $samples] = isset($options['quick']) ? [0.002, 5] : [0.004, 31];
$time = static fn (array $calls): array => measure($calls, $sampleSeconds, $samples);
mt_srand(SEED);
$report = new Report();

preg_match('/^model name\s*:\s*(.*)$/m', (string) @file_get_contents('/proc/cpuinfo'), $cpu);
$jit = function_exists('opcache_get_status') ? (opcache_get_status(false)['jit']['on'] ?? false) : false;
printf("PHP %s (%s, JIT %s), postings %s, %s, %s\n", PHP_VERSION, PHP_ZTS ? 'ZTS' : 'NTS', $jit ? 'on' : 'off', phpversion('postings'), $cpu[1] ?? php_uname('m'), php_uname('s') . ' ' . php_uname('r'));
printf("seed %d; postings.device=%s postings.offload=%s\n\n", SEED, ini_get('postings.device'), ini_get('postings.offload'));
Report::head();

foreach ([10_000, 100_000] as $n) {
    $label = number_format($n);
    $ids = doc_ids($n, 10);
    $list = yioop_list($ids);
    $other = yioop_list(doc_ids($n, 10));
    $words = \Postings\simple9_encode($ids);
    $rows = [
        ["Yioop doc_indexes, $label postings", \Postings\Yioop\doc_indexes(...), 'docIndexes', [$list], 50],
        ["Yioop intersect, 2 × $label postings", \Postings\Yioop\intersect(...), 'intersect', [$list, $other], 50],
        ["simple9_decode, $label docIDs", \Postings\simple9_decode(...), 'simple9Decode', [$words], 50],
        ["Yioop unpack_postings, $label postings", \Postings\Yioop\unpack_postings(...), 'unpackPostings', [$list], 8],
    ];
    foreach ($rows as [$name, $function, $peer, $arguments, $target]) {
        $calls = ['ours' => $function, 'plain' => [PlainPhp::class, $peer], 'unrolled' => [UnrolledPhp::class, $peer]];
        same($function(...$arguments), PlainPhp::$peer(...$arguments), $name);
        same($function(...$arguments), UnrolledPhp::$peer(...$arguments), $name);
        $t = $time(array_map(static fn (callable $f): callable => static fn () => $f(...$arguments), $calls));
        $report->faster($name, $t['ours'], 'plain PHP loop', $t['plain'], $target);
        $report->faster($name, $t['ours'], 'PHP loop, written out', $t['unrolled'], null);
    }
}

foreach ([10_000, 100_000, 1_000_000] as $n) {
    $label = number_format($n);
    $ids = doc_ids($n, 10);
    foreach (Codec::cases() as $codec) {
        $list = PostingList::encode($ids, $codec);
        same($list->toArray(), $ids, 'toArray');
        same($list->toPacked(), pack('V*', ...$ids), 'toPacked');
        $t = $time([
            'array' => static fn () => $list->toArray(),
            'range' => static fn () => range(0, $n - 1),
            'fill' => static fn () => array_fill(0, $n, 7),
            'packed' => static fn () => $list->toPacked(),
        ]);
        $peer = $t['range'] < $t['fill'] ? 'range' : 'fill';
        $report->share("$codec->value toArray, $label docIDs", $t['array'], ['range' => 'range()', 'fill' => 'array_fill()'][$peer], $t[$peer], 1.3);
        $report->add("$codec->value toPacked, $label docIDs", $n / $t['packed'] / 1e9, 'G/s', 'toArray', $n / $t['array'] / 1e9, $t['array'] / $t['packed'], null, null);
    }
}

// Lists of one docID each, all different: there is almost nothing to intersect or return, so this measures the overhead
// of calls.
$queries = [];
for ($i = 0; $i < 1000; ++$i) {
    $queries[] = [PostingList::encode([3 * $i + 1]), PostingList::encode([3 * $i + 2])];
}
same(\Postings\intersect_batch($queries), array_fill(0, 1000, []), 'intersect_batch');
$t = $time(['ours' => static fn () => \Postings\intersect_batch($queries)]);
$report->add('intersect_batch, 1,000 queries of nothing', $t['ours'] * 1e6 / 1000, 'µs/query', null, null, null, '< 1', $t['ours'] * 1e6 / 1000 < 1);

if (isset($options['index'])) {
    real_text($options['index'], $report, $time);
} else {
    echo "No --index: the queries over real text are left out.\n";
}
if (isset($options['output'])) {
    $report->write($options['output']);
    echo "\nWritten: $options[output]\n";
}

/**
 * 1,000 conjunctive queries of 2 to 4 words that occur together in some document, over the index of the demo.
 *
 * The peer is the fastest method in plain PHP: each list is an array with docIDs as keys, made beforehand, and the
 * shortest comes first. The extension starts from compressed lists, checked beforehand. Both return a list of docIDs.
 */
function real_text(string $path, Report $report, callable $time): void
{
    $index = Index::open($path);
    $lists = $flipped = $queries = $plain = [];
    while (count($queries) < 1000) {
        $document = $index->stored($index->id(mt_rand(0, count($index) - 1)));
        $words = array_unique($index->analyzer()->tokens($document['summary'] ?? $document['text']));
        shuffle($words);
        foreach ($words as $word) {
            $lists[$word] ??= $index->postings($word, isset($document['summary']) ? 'summary' : 'text');
        }
        $words = array_slice(array_filter($words, static fn (string $word): bool => count($lists[$word]) > 1), 0, mt_rand(2, 4));
        if (count($words) < 2) {
            continue;
        }
        $queries[] = array_map(static fn (string $w): PostingList => $lists[$w], $words);
        usort($words, static fn (string $a, string $b): int => count($lists[$a]) <=> count($lists[$b]));
        $plain[] = $words;
    }
    $before = memory_get_usage();
    $postings = 0;
    foreach ($lists as $word => $list) {
        $flipped[$word] = array_flip($list->toArray());
        $postings += count($list);
    }
    $bytesFlipped = (memory_get_usage() - $before) / $postings;
    $bytesOurs = array_sum(array_map(static fn (PostingList $l): int => strlen($l->toBytes()), $lists)) / $postings;
    $plain = array_map(static fn (array $words): array => array_map(static fn (string $w): array => $flipped[$w], $words), $plain);

    $byPhp = static fn (): array => array_map(static fn (array $arrays): array => array_keys(array_intersect_key(...$arrays)), $plain);
    $batch = static fn (): array => \Postings\intersect_batch($queries);
    $single = static fn (): array => array_map(static fn (array $q): array => \Postings\intersect(...$q), $queries);
    same($batch(), $byPhp(), 'queries as a batch');
    same($single(), $byPhp(), 'queries one by one');
    $t = $time(['batch' => $batch, 'single' => $single, 'php' => $byPhp]);
    $report->share('1,000 queries over the demo, one batch', $t['batch'], 'array_intersect_key', $t['php'], 0.67);
    $report->share('1,000 queries over the demo, one by one', $t['single'], 'array_intersect_key', $t['php'], 0.67);
    $report->add('memory of these lists', $bytesOurs, 'B/posting', 'flipped arrays', $bytesFlipped, $bytesFlipped / $bytesOurs, null, null);
}
