--TEST--
A child of a process that used a device works on the CPU; a child of one that did not may use it
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
if (!function_exists('pcntl_fork')) {
    die('skip this PHP has no pcntl');
}
skip_without_device();
?>
--INI--
postings.log_level=off
--FILE--
<?php
require __DIR__ . '/../device.inc';
use Postings\PostingList;

$docIds = range(0, 30000, 3);
$list = PostingList::encode($docIds);
$other = PostingList::encode(range(0, 30000, 2));
$common = range(0, 30000, 6);
use_device();

/** Runs $f in a child and prints what it returns. */
function fork(callable $f): void
{
    $pid = pcntl_fork();
    if ($pid === 0) {
        pcntl_alarm(60); // a child that hangs is killed
        echo $f(), "\n";
        exit(0);
    }
    pcntl_waitpid($pid, $status);
    if ($status !== 0) {
        echo "the child ended with status $status\n";
    }
}
$work = function () use ($list, $other, $docIds, $common) {
    $before = Postings\stats();
    $right = $list->toArray() === $docIds && Postings\intersect($list, $other) === $common;
    $after = Postings\stats();
    return ($right ? 'right, ' : 'wrong, ') . ($after['device_calls'] - $before['device_calls']) . ' on the device';
};
fork($work);
echo 'parent: ', $work(), "\n";
fork($work);
fork($work);
echo 'parent: ', $work(), "\n";
?>
--EXPECT--
right, 2 on the device
parent: right, 2 on the device
right, 0 on the device
right, 0 on the device
parent: right, 2 on the device
