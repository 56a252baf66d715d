--TEST--
open_basedir holds for indexes
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

$inside = new_folder();
$outside = new_folder();
$new = new_folder();
IndexWriter::open($inside, ['text' => []])->close();
IndexWriter::open($outside, ['text' => []])->close();
$code = <<<'PHP'
    use Postings\{Index, IndexWriter};
    foreach (['outside' => $outside, 'by a way round' => "$inside/../" . basename($outside), 'new' => $new] as $what => $folder) {
        foreach ([fn () => Index::open($folder), fn () => IndexWriter::open($folder), fn () => IndexWriter::open($folder, ['text' => []])] as $open) {
            try {
                $open();
                echo "$what: opened\n";
            } catch (Throwable $e) {
                echo $what, ': ', get_class($e), ': ', str_replace($folder, 'FOLDER', $e->getMessage()), "\n";
            }
        }
    }
    $writer = IndexWriter::open($inside, ['text' => []]);
    $writer->add(1, 'text');
    $writer->commit();
    echo json_encode(Index::open($inside)->search('text')->ids()), "\n";
    PHP;
$folders = '[$inside, $outside, $new] = ' . var_export([$inside, $outside, $new], true) . ';';
echo child($folders . $code, ['open_basedir' => $inside])[1];
var_dump(file_exists($new));
?>
--EXPECT--
outside: Postings\IndexException: FOLDER: open_basedir does not allow it
outside: Postings\IndexException: FOLDER: open_basedir does not allow it
outside: Postings\IndexException: FOLDER: open_basedir does not allow it
by a way round: Postings\IndexException: FOLDER: open_basedir does not allow it
by a way round: Postings\IndexException: FOLDER: open_basedir does not allow it
by a way round: Postings\IndexException: FOLDER: open_basedir does not allow it
new: Postings\IndexException: FOLDER: open_basedir does not allow it
new: Postings\IndexException: FOLDER: open_basedir does not allow it
new: Postings\IndexException: FOLDER: open_basedir does not allow it
[1]
bool(false)
