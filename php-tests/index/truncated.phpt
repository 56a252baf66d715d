--TEST--
A segment that was truncated is an exception wherever it would be read, not the end of the process
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';
require __DIR__ . '/../child.inc';
use Postings\IndexWriter;

foreach ([
    'search' => '$index->search("word")',
    'exportCiff' => '$index->exportCiff("$folder/out.ciff")',
    'exportPisa' => '$index->exportPisa("$folder/out")',
    'delete' => '$writer->delete("a7")',
    'add, commit' => '[$writer->add("a7", "again"), $writer->commit()]',
    'addAll, commit' => '[$writer->addAll(["a7" => "again", "a8" => "again"]), $writer->commit()]',
    'optimize' => '[$writer->add("x", "more"), $writer->optimize()]',
    'optimize(reorder: true)' => '$writer->optimize(reorder: true)',
] as $what => $call) {
    $folder = new_folder();
    $writer = IndexWriter::open($folder, ['text' => ['stored' => true]]);
    for ($i = 0; $i < 500; $i++) {
        $writer->add('a' . $i * 7919 % 1000, "word $i");
    }
    $writer->commit();
    $writer->close();
    $code = '$folder = ' . var_export($folder, true) . ';
        $index = Postings\Index::open($folder);
        $writer = Postings\IndexWriter::open($folder);
        ftruncate(fopen("$folder/1.segment", "r+"), 0);
        try {
            ' . $call . ';
            echo "nothing noticed";
        } catch (Postings\IndexException $e) {
            echo preg_replace("~^.*/|[0-9]+ when~", "", $e->getMessage());
        }';
    [$status, $output] = child($code);
    echo "$what: $status $output\n";
}
?>
--EXPECT--
search: 0 1.segment: 0 bytes; there were  it was opened
exportCiff: 0 1.segment: 0 bytes; there were  it was opened
exportPisa: 0 1.segment: 0 bytes; there were  it was opened
delete: 0 1.segment: 0 bytes; there were  it was opened
add, commit: 0 1.segment: 0 bytes; there were  it was opened
addAll, commit: 0 1.segment: 0 bytes; there were  it was opened
optimize: 0 1.segment: 0 bytes; there were  it was opened
optimize(reorder: true): 0 1.segment: 0 bytes; there were  it was opened
