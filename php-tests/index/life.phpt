--TEST--
Index::exists() and drop(); clear(), deleteWhere(); waiting for a writer; codes that tell failures apart
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';
require __DIR__ . '/../child.inc';
use Postings\{CorruptDataException, Index, IndexException, IndexWriter, LockedException};

$folder = new_folder();
$quoted = var_export($folder, true);
$code = function (callable $do) use ($folder): void {
    try {
        echo json_encode($do()), "\n";
    } catch (Postings\Exception $e) {
        $name = array_search($e->getCode(), (new ReflectionClass($e))->getConstants(), true);
        echo get_class($e), " $name ", str_replace([$folder, (string) getmypid()], ['FOLDER', 'PID'], $e->getMessage()), "\n";
    }
};
echo "missing\n";
$code(fn () => [Index::exists($folder), Index::drop($folder)]);
$code(fn () => Index::open($folder));
$code(fn () => IndexWriter::open($folder, wait: 60000));
mkdir($folder);
$code(fn () => Index::open($folder));

echo "locked\n";
$fields = ['title' => [], 'brand' => ['keyword' => true], 'price' => ['numeric' => true]];
$writer = IndexWriter::open($folder, $fields);
$code(fn () => IndexWriter::open($folder));
$code(fn () => IndexWriter::open($folder, wait: 2));
$code(fn () => Index::drop($folder));
$code(fn () => [Index::exists($folder), new LockedException('', 5) instanceof IndexException]);

echo "by filter\n";
$add = function (IndexWriter $writer): void {
    $writer->addAll([
        ['title' => 'shoe', 'brand' => 'Acme', 'price' => 10], ['title' => 'shoe', 'brand' => 'Best', 'price' => 20],
        ['title' => 'boot', 'brand' => 'Acme', 'price' => 30], ['title' => 'hat'],
    ]);
};
$add($writer);
$code(fn () => [$writer->deleteWhere(['brand' => 'Acme', 'price' => [20, null]]), $writer->deleteWhere(['brand' => 'Acme', 'price' => [20, null]])]);
$writer->commit();
echo ids(Index::open($folder), ''), "\n";
$writer->add(4, ['title' => 'pending', 'brand' => 'Best']);
$code(fn () => [$writer->deleteWhere(['brand' => ['Best', 'None']]), $writer->hasChanges()]);
echo ids(Index::open($folder), ''), ' ';
$writer->rollback();
$code(fn () => $writer->deleteWhere(['price' => 20]));
$writer->commit();
echo ids(Index::open($folder), ''), "\n";
outcome('no condition', fn () => $writer->deleteWhere([]));
outcome('no field', fn () => $writer->deleteWhere(['nosuch' => 1]));
outcome('text', fn () => $writer->deleteWhere(['title' => 'shoe']));

echo "clear\n";
$writer->add(9, 'pending');
$writer->clear();
$code(fn () => [$writer->hasChanges(), count(Index::open($folder)), $writer->delete(9)]);
$writer->commit();
$code(fn () => [$writer->hasChanges(), count(Index::open($folder)), array_keys($writer->fields())]);
$add($writer);
$writer->commit();

echo "wait\n";
$process = proc_open(
    [PHP_BINARY, '-n', '-d', 'extension=' . getenv('POSTINGS_LIBRARY'), '-r', "echo 'begins'; \$w = Postings\\IndexWriter::open($quoted, wait: 600000); \$w->add(5, 'by the second'); \$w->commit();"],
    [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes,
);
echo fread($pipes[1], 6), "\n";
$writer->add(4, 'by the first');
$writer->commit();
$writer->close();
echo stream_get_contents($pipes[1]), proc_close($process), ' ', ids(Index::open($folder), 'by'), "\n";
$writer = IndexWriter::open($folder);
if (function_exists('pcntl_alarm')) {
    pcntl_async_signals(true);
    $alarms = 0;
    pcntl_signal(SIGALRM, function () use (&$alarms) {
        if (++$alarms === 2) {
            throw new Exception("$alarms alarms");
        }
        pcntl_alarm(1);
    });
    pcntl_alarm(1);
    outcome('signals', fn () => IndexWriter::open($folder, wait: 600000));
} else {
    echo "signals: Exception: 2 alarms\n";
}
$writer->close();
outcome('negative', fn () => IndexWriter::open($folder, wait: -1));

echo "drop\n";
$index = Index::open($folder);
file_put_contents("$folder/mine", 'mine');
$code(fn () => [Index::drop($folder), Index::exists($folder), array_map('basename', glob("$folder/*"))]);
echo ids($index, 'shoe'), "\n";
$code(fn () => $index->reload());
unlink("$folder/mine");
IndexWriter::open($folder, $fields)->close();
$code(fn () => [Index::drop($folder), Index::drop($folder), is_dir($folder)]);

echo "damaged\n";
$writer = IndexWriter::open($folder, $fields);
$add($writer);
$writer->commit();
$writer->close();
unset($index);
$manifest = file_get_contents("$folder/manifest");
file_put_contents("$folder/manifest", substr($manifest, 0, -1) . ~$manifest[-1]);
try {
    Index::open($folder);
} catch (CorruptDataException $e) {
    echo $e->getCode() === CorruptDataException::DAMAGED ? "DAMAGED\n" : "?\n";
}
$code(fn () => [Index::exists($folder), Index::drop($folder), is_dir($folder)]);
mkdir($folder);
file_put_contents("$folder/manifest", '{}');
$code(fn () => Index::drop($folder));
echo "outside\n", child("foreach (['exists', 'drop'] as \$f) { try { Postings\\Index::\$f('/nosuch'); } catch (Postings\\IndexException \$e) { echo \$e->getCode(), \$e->getMessage(), \"\\n\"; } }", ['open_basedir' => sys_get_temp_dir()])[1];
?>
--EXPECT--
missing
[false,false]
Postings\IndexException MISSING FOLDER: No such file or directory (os error 2)
Postings\IndexException MISSING FOLDER: there is no index: to create one, say which fields it has
Postings\IndexException MISSING FOLDER: is not an index: it has no file named manifest
locked
Postings\LockedException LOCKED FOLDER: is being written by this process, through another writer: use that one, or end it first
Postings\LockedException LOCKED FOLDER: is being written by this process, through another writer: use that one, or end it first
Postings\LockedException LOCKED FOLDER: is being written by this process, through another writer: use that one, or end it first
[true,true]
by filter
[1,0]
[0,1,3]
[2,true]
[0,1,3] 1
[0,3]
no condition: ValueError: Postings\IndexWriter::deleteWhere(): Argument #1 ($filter) must have a condition, to delete all documents there is clear()
no field: ValueError: Postings\IndexWriter::deleteWhere(): Argument #1 ($filter) field 'nosuch': there is none, only 'title', 'brand', 'price'
text: ValueError: Postings\IndexWriter::deleteWhere(): Argument #1 ($filter) field 'title': is text; filters need a keyword or numeric field
clear
[true,2,false]
[false,0,["title","brand","price"]]
wait
begins
0 [4,5]
signals: Exception: 2 alarms
negative: ValueError: Postings\IndexWriter::open(): Argument #9 ($wait) must not be negative, -1 given
drop
[true,false,["mine"]]
[0,1]
Postings\IndexException MISSING FOLDER: is not an index: it has no file named manifest
[true,false,false]
damaged
DAMAGED
[true,true,false]
Postings\IndexException IO FOLDER/manifest: is not the manifest of an index, so nothing is removed
outside
3/nosuch: open_basedir does not allow it
3/nosuch: open_basedir does not allow it
