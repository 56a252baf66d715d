--TEST--
searchBatch() begins no query after its deadline, and says which have expired
--FILE--
<?php
require __DIR__ . '/../index.inc';

use Postings\{Index, IndexWriter};

$folder = new_folder();
$writer = IndexWriter::open($folder, ['body' => []]);
for ($i = 0; $i < 50; $i++) {
    $writer->add($i, 'word ' . str_repeat('other ', $i % 7));
}
$writer->commit();
$index = Index::open($folder);
$queries = ['a' => 'word', 'b' => 'other word', 'c' => 'missing'];
$show = fn (array $results) => print(json_encode(array_map(fn ($hits) => [count($hits), $hits->expired, $hits->total], $results)) . "\n");
foreach ([null, 0, 60_000, PHP_INT_MAX] as $deadline) {
    $show($index->searchBatch($queries, total: true, deadline: $deadline));
}
$show($index->searchBatch([], deadline: 0));
var_dump($index->search('word')->expired);
foreach ([-1, 'soon'] as $wrong) {
    try {
        $index->searchBatch($queries, deadline: $wrong);
        echo "taken\n";
    } catch (Error $error) {
        echo get_class($error), ': ', $error->getMessage(), "\n";
    }
}
try {
    $index->search('word')->expired = true;
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}
?>
--EXPECT--
{"a":[10,false,50],"b":[10,false,42],"c":[0,false,0]}
{"a":[0,true,null],"b":[0,true,null],"c":[0,true,null]}
{"a":[10,false,50],"b":[10,false,42],"c":[0,false,0]}
{"a":[10,false,50],"b":[10,false,42],"c":[0,false,0]}
[]
bool(false)
ValueError: Postings\Index::searchBatch(): Argument #11 ($deadline) must not be negative, -1 given
TypeError: Postings\Index::searchBatch(): Argument #11 ($deadline) must be of type ?int, string given
Cannot modify readonly property Postings\Hits::$expired
