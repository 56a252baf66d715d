--TEST--
snapshot() changes no folder of something else, and leaves files of others alone
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
$index = catalogue($folder);
$copy = new_folder();
$link = new_folder();
$clean = fn (string $text) => str_replace([$folder, $copy, $link], ['INDEX', 'COPY', 'LINK'], $text);
$try = function (string $what, callable $do) use ($clean) {
    try {
        $result = json_encode($do());
        echo "$what: $result\n";
    } catch (Throwable $e) {
        echo $what, ': ', get_class($e), ' ', $e->getCode(), ': ', $clean($e->getMessage()), "\n";
    }
};

$try('itself', fn () => $index->snapshot($folder));
symlink($folder, $link);
$try('itself, through a link', fn () => $index->snapshot($link));
unlink($link);
$writer = IndexWriter::open($folder);
$try('itself, by its writer', fn () => $writer->snapshot($folder));
$writer->close();
$try('a closed writer', fn () => $writer->snapshot($copy));
$try('a NUL byte', fn () => $index->snapshot("a\0b"));

$writer = IndexWriter::open($copy, ['text' => []]);
$writer->add(1, 'mine');
$writer->commit();
$try('a folder with a writer', fn () => $index->snapshot($copy));
$writer->close();
$try('another index', fn () => $index->snapshot($copy));
echo 'it stays: ', ids(Index::open($copy), 'mine'), "\n";
Index::drop($copy);

mkdir($copy);
file_put_contents("$copy/notes.txt", 'mine');
file_put_contents("$copy/5.segment", 'of something else');
$try('what looks like an index', fn () => $index->snapshot($copy));
unlink("$copy/5.segment");
$try('with a file of others', fn () => $index->snapshot($copy));
echo json_encode(array_map('basename', glob("$copy/*"))), "\n";
$try('again', fn () => $index->snapshot($copy));
file_put_contents("$copy/manifest", 'damaged', FILE_APPEND);
$try('a damaged manifest', fn () => $index->snapshot($copy));
Index::drop($copy);
$try('dropped', fn () => $index->snapshot($copy));
var_dump(file_get_contents("$copy/notes.txt"));

// A snapshot that got a writer of its own.
$writer = IndexWriter::open($copy);
$writer->add('theirs', ['title' => 'A codec']);
$writer->commit();
$writer->close();
$try('a later commit', fn () => $index->snapshot($copy));
echo ids(Index::open($copy), 'codec'), ids($index, 'codec'), "\n";

$try('a file', fn () => $index->snapshot("$copy/notes.txt"));
$outside = new_folder();
[$status, $said] = child(
    'try { Postings\Index::open(' . var_export($folder, true) . ')->snapshot(' . var_export($outside, true) . '); }
    catch (Postings\IndexException $e) { echo $e->getMessage(); }',
    ['open_basedir' => $folder],
);
echo str_replace($outside, 'OUTSIDE', $said), "\n";
var_dump(file_exists($outside));
?>
--EXPECT--
itself: ValueError 0: Postings\Index::snapshot(): Argument #1 ($folder) cannot be used: INDEX is the folder of the index itself
itself, through a link: ValueError 0: Postings\Index::snapshot(): Argument #1 ($folder) cannot be used: LINK is the folder of the index itself
itself, by its writer: ValueError 0: Postings\IndexWriter::snapshot(): Argument #1 ($folder) cannot be used: INDEX is the folder of the index itself
a closed writer: Error 0: the Postings\IndexWriter is closed
a NUL byte: ValueError 0: Postings\Index::snapshot(): Argument #1 ($folder) must not contain any null bytes
a folder with a writer: Postings\LockedException 2: COPY: is being written by this process, through another writer: use that one, or end it first
another index: Postings\IndexException 3: COPY: has another index than INDEX. Nothing was changed: remove that index first, or take another folder
it stays: [1]
what looks like an index: Postings\IndexException 3: COPY: 5.segment is there, but no manifest: the index is damaged, or not one of this library
with a file of others: 2
["1.segment","lock","manifest","notes.txt"]
again: 2
a damaged manifest: Postings\CorruptDataException 4: manifest: CRC-32 of COPY/manifest at byte 157: it is 64656761, but that of the bytes is 9d57fb81: the file is damaged
dropped: 2
string(4) "mine"
a later commit: Postings\IndexException 3: COPY: has commit 3, which is later than commit 2 of INDEX. Nothing was changed: remove that index first, or take another folder
["toy","theirs","codec"]["toy","codec"]
a file: Postings\IndexException 3: COPY/notes.txt: Not a directory (os error 20)
OUTSIDE: open_basedir does not allow it
bool(false)
