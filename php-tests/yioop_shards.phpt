--TEST--
Posting lists and queries of real Yioop shards, through doc_indexes(), unpack_postings() and intersect()
--SKIPIF--
<?php
$shards = getenv('POSTINGS_SHARED') ?: dirname(__DIR__, 2) . '/shared';
if (!is_dir("$shards/yioop")) {
    die("skip there is no $shards/yioop (POSTINGS_SHARED names the folder)");
}
?>
--INI--
memory_limit=512M
--FILE--
<?php
use Postings\Yioop;

$shared = getenv('POSTINGS_SHARED') ?: dirname(__DIR__, 2) . '/shared';
foreach (['shard-30k', 'shard-long'] as $shard) {
    $folder = "$shared/yioop/$shard";
    $bytes = file_get_contents("$folder/postings.bin");
    $lists = [];
    foreach (file("$folder/terms.tsv") as $line) {
        [$term, , $offset, $length] = explode("\t", $line);
        $lists[$term] = substr($bytes, (int) $offset, (int) $length);
    }
    $wrong = 0;
    foreach (file("$folder/decoded.jsonl") as $line) {
        $expected = json_decode($line, true);
        $list = $lists[$expected['term']];
        $postings = Yioop\unpack_postings($list);
        $docIndexes = Yioop\doc_indexes($list);
        $right = $docIndexes === array_column($postings, 0) && count($docIndexes) === $expected['n'];
        if (isset($expected['postings'])) {
            $right = $right && $postings === $expected['postings'];
        } else {
            $right = $right
                && hash('sha256', pack('V*', ...$docIndexes)) === $expected['sha256_of_doc_indexes_le32']
                && array_slice($postings, 0, 5) === $expected['first']
                && array_slice($postings, -5) === $expected['last'];
        }
        $wrong += (int) !$right;
    }
    foreach (file("$folder/queries.jsonl") as $line) {
        $query = json_decode($line, true);
        $operands = array_map(fn ($term) => $lists[$term], $query['terms']);
        $matches = Yioop\intersect(...$operands);
        $wrong += (int) (array_keys($matches) !== $query['doc_indexes']);
        foreach ($matches as $docIndex => $offsets) {
            foreach ($offsets as $k => $offset) {
                $wrong += (int) (Yioop\doc_indexes(substr($operands[$k], $offset))[0] !== $docIndex);
                break 2; // one match a query is enough
            }
        }
    }
    echo "$shard: $wrong wrong\n";
}
?>
--EXPECT--
shard-30k: 0 wrong
shard-long: 0 wrong
