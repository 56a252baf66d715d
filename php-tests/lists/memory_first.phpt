--TEST--
A result string that memory_limit does not allow is refused before anything is written: no native copy is made first
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
if (!is_readable('/proc/self/status')) die('skip needs /proc/self/status');
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';

$code = <<<'PHP'
    function size(string $what): int
    {
        preg_match("/^$what:\s+(\d+) kB/m", file_get_contents('/proc/self/status'), $match);
        return $match[1] * 1024;
    }
    function shard(int $bytes): string
    {
        // The header: no dictionary and no documents, so many bytes of lists.
        $name = tempnam(sys_get_temp_dir(), 'shard');
        file_put_contents($name, pack('N*', 0, 0, $bytes, 0, 0, 0, 0, 0, 0, 0));
        $file = fopen($name, 'r+');
        ftruncate($file, 40 + $bytes);
        return $name;
    }
    $ids = '';
    for ($i = 0; $i < 1 << 22; $i += 1 << 14) {
        $ids .= pack('V*', ...range(64 * $i, 64 * ($i + (1 << 14) - 1), 64));
    }
    $list = Postings\PostingList::encode($ids);
    $bytes = strlen($list->toBytes());
    $name = shard(8 << 20);
    $shard = Postings\Yioop\Shard::open($name);
    unlink($name);
    // As large as the process ever was, so that anything more shows.
    while (size('VmPeak') > size('VmSize') + (1 << 20)) {
        $padding[] = str_repeat('x', min(1 << 24, size('VmPeak') - size('VmSize')));
    }
    ini_set('memory_limit', (string) (memory_get_usage(true) + (3 << 20)));
    $peak = size('VmPeak');
    register_shutdown_function(function () use ($peak, $bytes) {
        $more = size('VmPeak') - $peak;
        echo $bytes > 4 << 20 && $more < 3 << 20 ? 'refused first' : "the process grew by $more bytes";
    });
    PHP;
foreach (['$list->toBytes()', '$list->__serialize()', '$list->toPacked()', '$shard->postingsAt(0, (8 << 20) - 4)'] as $call) {
    [$status, $output] = child($code . " $call;", ['memory_limit' => -1]);
    $fatal = preg_match('/Fatal error: Allowed memory size of \d+ bytes exhausted/', $output) === 1;
    echo $call, ': ', $status === 255 && $fatal && str_ends_with($output, 'refused first') ? 'refused first' : "$status: $output", "\n";
}
?>
--EXPECT--
$list->toBytes(): refused first
$list->__serialize(): refused first
$list->toPacked(): refused first
$shard->postingsAt(0, (8 << 20) - 4): refused first
