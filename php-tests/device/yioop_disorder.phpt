--TEST--
A Yioop list with a posting out of place: a device finds the same documents
--EXTENSIONS--
postings
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
skip_without_device();
?>
--INI--
memory_limit=256M
--FILE--
<?php
require __DIR__ . '/../device.inc';
require __DIR__ . '/../yioop/disorder.inc';

use Postings\Yioop;

$lists = disorder();
$shard = shard($lists, DOCUMENTS);
compare('Conjunction', fn () => found($shard, [0, 1]));
compare('Conjunction, long list first', fn () => found($shard, [1, 0]));
compare('intersect', fn () => Yioop\intersect(...$lists));
compare('intersect with itself', fn () => Yioop\intersect($lists[1], $lists[1]));
foreach (['never', 'auto', 'always'] as $offload) {
    ini_set('postings.offload', $offload);
    echo "$offload: ", found($shard, [0, 1]), "\n";
}
?>
--EXPECT--
never: 2: 4000 15001
auto: 2: 4000 15001
always: 2: 4000 15001
