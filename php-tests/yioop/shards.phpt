--TEST--
Posting lists and queries of real Yioop shards, through doc_indexes(), unpack_postings() and intersect()
--INI--
memory_limit=512M
--FILE--
<?php
use Postings\Yioop;

/** Doc index => where its posting begins, from the lengths of the postings before it. */
function places(string $list): array
{
    $places = [];
    $at = 0;
    foreach (Yioop\unpack_postings($list) as [$docIndex, $positions]) {
        $places[$docIndex] = $at;
        $at += strlen(Yioop\pack_posting($docIndex, $positions));
    }
    return $at === strlen($list) ? $places : [];
}

// The excerpts, and all of them if they are there.
$committed = dirname(__DIR__, 2) . '/tests/data/yioop';
$full = (getenv('POSTINGS_SHARED') ?: dirname(__DIR__, 3) . '/shared') . '/yioop';
$folders = ["$committed/shard-short", "$committed/shard-long", "$full/shard-30k", "$full/shard-long"];
foreach (array_filter($folders, is_dir(...)) as $folder) {
    $bytes = file_get_contents("$folder/postings.bin");
    $lists = [];
    foreach (file("$folder/terms.tsv") as $line) {
        [$term, , $offset, $length] = explode("\t", $line);
        $lists[$term] = substr($bytes, (int) $offset, (int) $length);
    }
    $wrong = $found = 0;
    $places = [];
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
        $found += count($matches);
        foreach ($query['terms'] as $k => $term) {
            $places[$term] ??= places($lists[$term]);
            $wrong += (int) (array_map(fn ($offsets) => $offsets[$k], $matches) !== array_intersect_key($places[$term], $matches));
        }
    }
    echo count($lists) > 1000 && $found > 10 ? '' : "few lists or matches in $folder\n";
    echo $wrong === 0 ? '' : "$folder: $wrong wrong\n";
}
echo is_dir($committed) ? "compared\n" : "no excerpts\n";
?>
--EXPECT--
compared
