--TEST--
One writer at a time: a second one is told the process; readers go on; the end of a process ends its writer; forks
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';
require __DIR__ . '/../child.inc';
use Postings\{Index, IndexException, IndexWriter};

$folder = new_folder();
$quoted = var_export($folder, true);
$writer = IndexWriter::open($folder, ['text' => []]);
$writer->add(1, 'one');
$writer->commit();
$clean = fn (string $text) => str_replace([$folder, (string) getmypid()], ['FOLDER', 'PID'], trim($text));
$try = "try { Postings\\IndexWriter::open($quoted); echo 'opened'; } catch (Postings\\IndexException \$e) { echo \$e->getMessage(); }";
try {
    IndexWriter::open($folder);
} catch (Postings\Exception $e) {
    echo 'this process: ', get_class($e), $e instanceof RuntimeException ? ' (RuntimeException): ' : ': ', $clean($e->getMessage()), "\n";
}
echo 'another process: ', $clean(child($try)[1]), "\n";
echo 'a reader: ', child("echo json_encode(Postings\\Index::open($quoted)->search('one')->ids());")[1], "\n";
unset($writer, $e);
echo 'after unset: ', $clean(child($try)[1]), "\n";
// A process that ends, however, leaves what was committed.
[$status] = child("\$w = Postings\\IndexWriter::open($quoted); \$w->add(2, 'two'); \$w->commit(); \$w->add(3, 'three'); exit(3);");
echo "exit: $status ", ids(Index::open($folder), ''), "\n";
child("\$w = Postings\\IndexWriter::open($quoted); \$w->add(4, 'four'); \$w->addAll((function () { yield 5 => 'five'; no_such_function(); })());");
echo 'error: ', ids(Index::open($folder), ''), "\n";
child("\$w = Postings\\IndexWriter::open($quoted); \$w->add(4, 'four'); ini_set('memory_limit', '16M'); \$w->addAll((function () { yield 5 => 'five'; str_repeat('x', 1 << 30); })());");
echo 'fatal error: ', ids(Index::open($folder), ''), "\n";
$writer = IndexWriter::open($folder);
$writer->add(6, 'six');
$writer->commit();
echo 'the next: ', ids(Index::open($folder), ''), "\n";
?>
--EXPECT--
this process: Postings\LockedException (RuntimeException): FOLDER: is being written by this process, through another writer: use that one, or end it first
another process: FOLDER: is locked, by process PID as its file lock says
a reader: [1]
after unset: opened
exit: 3 [1,2]
error: [1,2]
fatal error: [1,2]
the next: [1,2,6]
