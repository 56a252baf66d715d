--TEST--
With postings.log_level=debug, each intersection on the CPU says how it is done
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';

$code = <<<'PHP'
    $list = fn(array $ids, Postings\Codec $codec) => Postings\PostingList::encode($ids, $codec);
    $raw = $list([1, 5, 9], Postings\Codec::Raw);
    $other = $list([5, 9, 12, 14], Postings\Codec::Raw);
    Postings\intersect($other, $raw);
    Postings\intersect($raw, $list(range(0, 999), Postings\Codec::QuasiSuccinct));
    Postings\intersect_count($raw, $other, $list(range(0, 999), Postings\Codec::Simple9));
    PHP;
$file = tempnam(sys_get_temp_dir(), 'postings');
foreach (['debug', 'info'] as $level) {
    file_put_contents($file, '');
    $ini = ['postings.log_level' => $level, 'postings.offload' => 'never', 'error_log' => $file, 'log_errors' => 1];
    [$status, $output] = child($code, $ini);
    preg_match_all('/postings: (intersection: .*)/', file_get_contents($file), $found);
    echo "$level: $status \"$output\"\n", implode("\n", $found[1]), "\n";
}
unlink($file);
?>
--EXPECT--
debug: 0 ""
intersection: merge uncompressed docIDs: raw 3, raw 4
intersection: decode: raw 3; then look up in qs 1000 (the codec's look-up)
intersection: merge uncompressed docIDs: raw 3, raw 4; then look up in simple9 1000 (block skipping)
info: 0 ""

