--TEST--
Devices: selected by name and by number, at run time; none and never mean the CPU, as does a name that no device has
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
skip_without_device();
?>
--FILE--
<?php
require __DIR__ . '/../device.inc';
use Postings\PostingList;

$list = PostingList::encode(range(0, 30000, 3));
$where = function () use ($list) {
    $before = Postings\stats();
    $list->toArray();
    $after = Postings\stats();
    return $after['device_calls'] > $before['device_calls'] ? 'device' : 'CPU';
};
$selected = fn () => array_map(fn ($device) => $device['name'], array_filter(Postings\devices(), fn ($device) => $device['selected']));

use_device();
var_dump(count($selected()), $where());
ini_set('postings.device', 'none');
var_dump(count($selected()), $where());
// Said once, in the log: here on stderr.
ini_set('postings.device', 'no device has such a name');
var_dump(count($selected()), $where(), $where());
use_device();
ini_set('postings.offload', 'never');
var_dump($where());
use_device();
$name = current($selected());
ini_set('postings.device', $name);
var_dump(current($selected()) === $name, $where());
ini_set('postings.device', '99:99');
var_dump(count($selected()), $where());
?>
--EXPECT--
int(1)
string(6) "device"
int(0)
string(3) "CPU"
postings: no OpenCL device matches "no device has such a name"; the CPU is used instead
int(0)
string(3) "CPU"
string(3) "CPU"
string(3) "CPU"
bool(true)
string(6) "device"
postings: no OpenCL device matches "99:99"; the CPU is used instead
int(0)
string(3) "CPU"
