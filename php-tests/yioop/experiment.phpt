--TEST--
yioop/experiment.php on a shard: table, JSON, plot
--EXTENSIONS--
postings
--SKIPIF--
<?php
if (!function_exists('gzopen')) {
    die('skip this PHP has no zlib');
}
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';
$base = sys_get_temp_dir() . '/postings-experiment-' . getmypid();
$excerpt = file_get_contents('compress.zlib://' . dirname(__DIR__, 2) . '/tests/data/yioop/shard-short/shard.gz');
file_put_contents("$base.shard", $excerpt);
$run = fn(string ...$options) => child('', [], [dirname(__DIR__, 2) . '/yioop/experiment.php', ...$options]);

// Short lists give few rows; the full shard has all, if it is there.
$full = (getenv('POSTINGS_SHARED') ?: dirname(__DIR__, 3) . '/shared') . '/yioop/shard-30k/shard';
foreach (["$base.shard" => [700, 7], $full => [30000, 19]] as $shard => [$documents, $rows]) {
    if (!is_file($shard)) {
        continue;
    }
    [$status, $table] = $run($shard, '--queries=2', "--json=$base.json");
    $shown = preg_match_all('/^(pack|unpack|doc indexes|intersect)/m', $table);
    $report = json_decode(file_get_contents("$base.json"), true);
    $timed = array_filter($report['rows'], fn($row) => min($row['seconds']['plain PHP'], $row['seconds']['CPU']) > 0);
    $as = [$status, $shown, count($report['rows']), count($timed), $report['target'], $report['documents']];
    echo $as === [0, $rows, $rows, $rows, 'shard', $documents] ? '' : "$shard: " . json_encode($as) . "\n$table";
    $points = array_merge(...array_column($report['plots'][0]['curves'], 'points'));
    echo $points !== [] && min(array_column($points, 1)) > 0 ? '' : "$shard: no plot\n";
}
array_map(unlink(...), ["$base.shard", "$base.json"]);
[$status, $usage] = $run();
echo $status, ' ', strpos($usage, 'SHARD|YIOOP_DIR') ? 'usage' : $usage, "\n";
[$status, $message] = $run(__FILE__);
echo $status, ' ', strpos($message, 'CorruptDataException: shard: header') ? 'no shard' : $message, "\n";
?>
--EXPECT--
2 usage
255 no shard
