--TEST--
A Yioop list with a posting out of place: the same documents whether it is searched, read, or intersected as a string
--EXTENSIONS--
postings
--INI--
memory_limit=256M
postings.offload=never
--FILE--
<?php
require __DIR__ . '/disorder.inc';

use Postings\Yioop;

$lists = disorder();
$shard = shard($lists, DOCUMENTS);
echo 'searched ', found($shard, [0, 1]), "\n", 'searched ', found($shard, [1, 0]), "\n";
echo 'strings ', implode(' ', array_map(fn ($doc) => $doc / 3, array_keys(Yioop\intersect(...$lists)))), "\n";
// Read whole, because the other list is as long.
$all = packed(range(0, DOCUMENTS - 1));
echo 'read ', strstr(found(shard([$all, $lists[1]], DOCUMENTS), [0, 1]), ':', true), "\n";
echo 'strings ', count(Yioop\intersect($all, $lists[1])), "\n";
// The posting itself is there.
echo 'doc indexes ', count(Yioop\doc_indexes($lists[1])), "\n";
?>
--EXPECT--
searched 2: 4000 15001
searched 2: 4000 15001
strings 4000 15001
read 19998
strings 19998
doc indexes 19999
