--TEST--
putenv after a device is open: it is not used until the variable is as it was; results stay right
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
skip_without_device();
?>
--FILE--
<?php
require __DIR__ . '/../device.inc';

$ids = range(0, 90000, 3);
$list = Postings\PostingList::encode($ids);
$where = function () use ($list, $ids): string {
    $before = Postings\stats();
    $right = $list->toArray() === $ids && Postings\intersect_count($list, $list) === count($ids);
    $after = Postings\stats();
    return ($right ? 'right, ' : 'wrong, ') . ($after['device_calls'] - $before['device_calls']) . ' on the device';
};
use_device();
$say = function (string $when) use ($where): void {
    $what = $where();
    echo "$when: $what\n";
};
$say('before');
$path = getenv('PATH');
putenv('PATH=/nowhere');
// A kernel that has not run yet, for which some drivers run a linker that they look for in PATH.
$say('changed');
putenv("PATH=$path");
$say('changed back');
putenv('A_VARIABLE_OF_NO_DRIVER=1');
$say('another variable');
?>
--EXPECTF--
before: right, 2 on the device
%A: the environment variable PATH changed after the process began%A
changed: right, 0 on the device
changed back: right, 2 on the device
another variable: right, 2 on the device
