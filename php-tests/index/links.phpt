--TEST--
Symbolic links in the folder of an index lead nowhere, so that open_basedir holds for what is in it
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';
require __DIR__ . '/../child.inc';
use Postings\{Index, IndexWriter};

$outside = new_folder();
$writer = IndexWriter::open($outside, ['text' => ['stored' => true]]);
$writer->add(1, 'secret');
$writer->commit();
$writer->close();
file_put_contents("$outside/private", "12");
$before = array_map('md5_file', glob("$outside/*"));

// As somebody does who can make links, but is confined by open_basedir in PHP.
$linked = function (array $links) use ($outside): string {
    $folder = new_folder();
    mkdir($folder);
    foreach ($links as $name => $target) {
        symlink("$outside/$target", "$folder/$name");
    }
    return $folder;
};
$reader = $linked(['manifest' => 'manifest', '1.segment' => '1.segment']);
$copied = $linked(['1.segment' => '1.segment']);
copy("$outside/manifest", "$copied/manifest");
$lock = $linked(['lock' => 'private']);
$temporary = $linked(['manifest.tmp' => 'private']);
$export = $linked(['out.ciff.part' => 'private', 'out.docs.part' => 'private']);
$own = new_folder();
$writer = IndexWriter::open($own, ['text' => []]);
$writer->add(2, 'mine');
$writer->commit();
$writer->close();

$code = <<<'PHP'
    use Postings\{Index, IndexWriter};
    foreach ([
        'manifest' => fn () => Index::open($reader),
        'segment' => fn () => Index::open($copied),
        'lock' => fn () => IndexWriter::open($lock, ['text' => []]),
        'manifest.tmp' => fn () => IndexWriter::open($temporary, ['text' => []]),
        'exportCiff' => fn () => Index::open($own)->exportCiff("$export/out.ciff"),
        'exportPisa' => fn () => Index::open($own)->exportPisa("$export/out"),
    ] as $what => $do) {
        try {
            $do();
            echo "$what: opened\n";
        } catch (Postings\IndexException $e) {
            echo $what, ': ', preg_replace('~^.*/~', '', $e->getMessage()), "\n";
        }
    }
    PHP;
$inside = [$reader, $copied, $lock, $temporary, $export, $own];
$folders = '[$reader, $copied, $lock, $temporary, $export, $own] = ' . var_export($inside, true) . ';';
echo child($folders . $code, ['open_basedir' => implode(':', $inside)])[1];
var_dump(array_map('md5_file', glob("$outside/*")) === $before);

// The folder may be a link: open_basedir checks where it leads.
$link = new_folder();
symlink($own, $link);
echo child('echo json_encode(Postings\Index::open(' . var_export($link, true) . ')->search("mine")->ids());', ['open_basedir' => "$own:$link"])[1], "\n";
unlink($link);
?>
--EXPECT--
manifest: manifest: it is a symbolic link, which is not followed here
segment: 1.segment: it is a symbolic link, which is not followed here
lock: lock: it is a symbolic link, which is not followed here
manifest.tmp: manifest.tmp: it is a symbolic link, which is not followed here
exportCiff: out.ciff.part: open_basedir does not allow it
exportPisa: out.docs.part: open_basedir does not allow it
bool(true)
[2]
