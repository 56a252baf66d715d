--TEST--
yioop/experiment.php on a shard: table, JSON, plot
--EXTENSIONS--
postings
--SKIPIF--
<?php
$shared = getenv('POSTINGS_SHARED') ?: __DIR__ . '/../../shared';
if (!is_file("$shared/yioop/shard-30k/shard")) {
    die('skip no shard-30k in ../shared (POSTINGS_SHARED names the folder)');
}
require __DIR__ . '/child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/child.inc';
$shared = getenv('POSTINGS_SHARED') ?: __DIR__ . '/../../shared';
$base = sys_get_temp_dir() . '/postings-experiment-' . getmypid();
$run = fn(string ...$options) => child('', [], [dirname(__DIR__) . '/yioop/experiment.php', ...$options]);

[$status, $table] = $run("$shared/yioop/shard-30k/shard", '--queries=2', "--json=$base.json", "--svg=$base.svg");
echo $status, ' ', preg_match_all('/^(pack|unpack|doc indexes|intersect)/m', $table), "\n";
$report = json_decode(file_get_contents("$base.json"), true);
$plot = file_get_contents("$base.svg");
unlink("$base.json");
unlink("$base.svg");
$slower = 0;
foreach ($report['rows'] as $row) {
    ['plain PHP' => $plain, 'CPU' => $cpu] = $row['seconds'];
    $slower += $cpu > $plain;
}
echo "$report[target] of $report[documents] documents, ", count($report['rows']), " rows, $slower slower\n";
echo preg_match("~^<svg .*<circle .*</svg>\s*$~s", $plot) ? "plot\n" : "no plot\n";
[$status, $usage] = $run();
echo $status, ' ', strpos($usage, 'SHARD|YIOOP_DIR') ? 'usage' : $usage, "\n";
[$status, $message] = $run(__FILE__);
echo $status, ' ', strpos($message, 'CorruptDataException: shard: header') ? 'no shard' : $message, "\n";
?>
--EXPECT--
0 19
shard of 30000 documents, 19 rows, 0 slower
plot
2 usage
255 no shard
