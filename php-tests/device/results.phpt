--TEST--
Every operation with a kernel gives on a device what it gives on the CPU, and stats() proves where it ran
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
skip_without_device();
?>
--FILE--
<?php
require __DIR__ . '/../device.inc';
require __DIR__ . '/../helpers.inc';
use Postings\{Codec, PostingList, Yioop};

$lists = [];
foreach (both_paths() as $k => $docIds) {
    if (count($docIds) < 100) {
        continue; // tiny lists are below
    }
    foreach (codecs() as $codec) {
        $lists[$codec->name][] = $list = PostingList::encode($docIds, $codec);
        compare("$codec->name toArray $k", fn () => $list->toArray());
        compare("$codec->name toPacked $k", fn () => $list->toPacked());
    }
}
// Each codec with itself and with the default; in one batch, all codecs. Every set of codecs is a program to build.
$queries = [];
foreach ($lists as $name => $ofCodec) {
    foreach ($ofCodec as $i => $first) {
        $second = $ofCodec[($i + 3) % count($ofCodec)];
        $third = $lists['QuasiSuccinct'][($i + 1) % count($ofCodec)];
        $queries["$name $i"] = [$first, $second];
        $queries[] = [$first, $second, $third];
        $queries[] = [$third];
        compare("intersect $name $i", fn () => Postings\intersect($first, $second));
        compare("method $name $i", fn () => $first->intersect($second, $third));
        compare("count $name $i", fn () => Postings\intersect_count($first, $third));
    }
}
compare('batch', fn () => Postings\intersect_batch($queries));

$postings = [];
foreach ([3000, 700] as $n) {
    $list = '';
    foreach (doc_ids($n, 12, $n) as $docIndex) {
        $list .= Yioop\pack_posting($docIndex + 32000, [$docIndex % 600 + 1, 5000, 5001 + $docIndex]);
    }
    $postings[] = $list;
    compare("doc_indexes $n", fn () => Yioop\doc_indexes($list));
}
compare('Yioop intersect', fn () => array_keys(Yioop\intersect(...$postings)));

// Tiny and empty lists: the same results wherever they are made.
foreach ([[], [0], [4294967295], [1, 2, 3]] as $docIds) {
    use_device();
    $list = PostingList::encode($docIds);
    var_dump($list->toArray() === $docIds, Postings\intersect($list, $list) === $docIds,
        Postings\qs_decode(Postings\qs_encode($docIds)) === $docIds, Postings\intersect_batch([[$list], []]) === [$docIds, []]);
}
outcome('damaged', fn () => Postings\simple9_decode("\xB0\0\0\0"));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
damaged: Postings\CorruptDataException: simple9: word 0 at byte 0: selector 11 is not defined
