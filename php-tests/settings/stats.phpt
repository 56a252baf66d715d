--TEST--
stats() and devices(): keys, types; the CPU is counted where it works
--INI--
postings.offload=never
postings.log_level=error
--FILE--
<?php
use Postings\{PostingList, Yioop};

foreach (Postings\stats() as $name => $value) {
    echo $name, ' ', get_debug_type($value), "\n";
}
foreach (Postings\devices() as $device) {
    foreach (['platform' => 'string', 'name' => 'string', 'type' => 'string', 'version' => 'string',
        'compute_units' => 'int', 'global_memory' => 'int', 'selected' => 'bool'] as $key => $type) {
        assert(get_debug_type($device[$key]) === $type);
    }
    assert(count($device) === 7);
}
$list = PostingList::encode([1, 2, 3]);
$posting = Yioop\pack_posting(1, [1]);
$operations = [
    fn () => $list->toArray(),
    fn () => $list->toPacked(),
    fn () => $list->intersect($list),
    fn () => Postings\intersect($list, $list),
    fn () => Postings\intersect_count($list, $list),
    fn () => Postings\intersect_batch([[$list], [$list, $list]]),
    fn () => Postings\simple9_decode("\0\0\0\1"),
    fn () => Postings\qs_decode(Postings\qs_encode([1])),
    fn () => Yioop\doc_indexes($posting),
    fn () => Yioop\intersect($posting, $posting),
];
foreach ($operations as $k => $operation) {
    $before = Postings\stats();
    $operation();
    $after = Postings\stats();
    $before['cpu_calls']++;
    if ($before !== $after) {
        echo "operation $k: ", json_encode($after), "\n";
    }
}
?>
--EXPECT--
cpu_calls int
device_calls int
device_failures int
bytes_to_device int
bytes_from_device int
cache_hits int
cache_misses int
cache_evictions int
cache_bytes int
lists int
list_bytes int
