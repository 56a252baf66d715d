--TEST--
After a fork only the parent can use a writer; an index can be searched in both
--SKIPIF--
<?php
if (!function_exists('pcntl_fork')) {
    die('skip no pcntl');
}
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

$folder = new_folder();
$writer = IndexWriter::open($folder, ['text' => []]);
$writer->add(1, 'one');
$writer->commit();
$writer->add(2, 'two');
$index = Index::open($folder);
$child = pcntl_fork();
if ($child === 0) {
    foreach (['add' => [3, 'three'], 'addAll' => [[3 => 'three']], 'delete' => [1], 'commit' => [], 'rollback' => [], 'optimize' => []] as $method => $arguments) {
        try {
            $writer->$method(...$arguments);
            echo "$method worked\n";
        } catch (Throwable $e) {
            echo $method, ': ', get_class($e), ': ', str_replace($folder, 'FOLDER', $e->getMessage()), "\n";
        }
    }
    echo ids($index, 'one'), "\n";
    unset($writer);
    exit(0);
}
pcntl_waitpid($child, $status);
$writer->commit();
$index->reload();
echo ids($index, ''), "\n";
?>
--EXPECT--
add: Postings\IndexException: FOLDER: the writer belongs to the process that this one was forked from: open another
addAll: Postings\IndexException: FOLDER: the writer belongs to the process that this one was forked from: open another
delete: Postings\IndexException: FOLDER: the writer belongs to the process that this one was forked from: open another
commit: Postings\IndexException: FOLDER: the writer belongs to the process that this one was forked from: open another
rollback: Postings\IndexException: FOLDER: the writer belongs to the process that this one was forked from: open another
optimize: Postings\IndexException: FOLDER: the writer belongs to the process that this one was forked from: open another
[1]
[1,2]
