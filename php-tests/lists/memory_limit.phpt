--TEST--
A result that does not fit memory_limit ends in PHP's fatal error, not in a killed process
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';

// In Simple-9, 4 bytes are up to 28 docIDs: results far larger than what they are made of. N is their number.
$list = '$w = str_repeat("\x90\0\0\0", intdiv(N, 28));';
$gaps = '$p = ""; for ($i = 0; $i < N; $i += 10000) $p .= pack("V*", ...range($i, $i + 9999)); '
    . '$l = Postings\PostingList::encode($p); $p = null; ';
$yioop = '$y = ""; $one = Postings\Yioop\pack_posting(5, range(1, 40)); $y = str_repeat($one, intdiv(N, 40));';
$rising = '$y = ""; for ($i = 1; $i <= N; $i++) $y .= "\xD0" . substr(pack("N", $i + 1 << 14 | 1), 1); ';
$cases = [
    'simple9_decode' => [$list, 'Postings\simple9_decode($w);', 16],
    'toArray' => [$gaps, '$l->toArray();', 16],
    'toPacked' => [$gaps, '$l->toPacked();', 4],
    'toBytes' => [$gaps, 'while (true) $all[] = $l->toBytes();', 4],
    'qs_decode' => [$gaps, 'Postings\qs_decode(Postings\qs_encode($l->toPacked()));', 16],
    'intersect' => [$gaps, '$l->intersect($l);', 16],
    'intersect_batch' => [$gaps, 'Postings\intersect_batch(["a" => [$l], "b" => [$l]]);', 32],
    'many small lists' => [$gaps, '$l = Postings\PostingList::encode([1, 2]); Postings\intersect_batch(array_fill(0, intdiv(N, 8), [$l]));', 16],
    'unpack_postings' => [$yioop, 'Postings\Yioop\unpack_postings($y);', 18],
    'doc_indexes' => ['$y = str_repeat(Postings\Yioop\pack_posting(5, [1]), N);', 'Postings\Yioop\doc_indexes($y);', 16],
];
const LIMIT = 16 << 20;
foreach ($cases as $what => [$prepare, $run, $bytes]) {
    foreach ([1.5, 4, 12] as $times) {
        $n = (int) ($times * LIMIT / $bytes);
        $code = 'register_shutdown_function(function () { echo "shutdown ran"; });'
            . str_replace('N', (string) $n, $prepare)
            . 'ini_set("memory_limit", (string) (memory_get_usage() + ' . LIMIT . '));'
            . str_replace('N', (string) $n, $run)
            . 'echo "fits";';
        [$status, $output] = child($code, ['memory_limit' => -1]);
        if ($status !== 255
            || !preg_match('/Fatal error: Allowed memory size of \d+ bytes exhausted/', $output)
            || !str_ends_with($output, 'shutdown ran')
            || str_contains($output, 'fits')
        ) {
            echo "$what, $times times the limit: status $status: $output\n";
        }
    }
    echo "$what\n";
}
?>
--EXPECT--
simple9_decode
toArray
toPacked
toBytes
qs_decode
intersect
intersect_batch
many small lists
unpack_postings
doc_indexes
