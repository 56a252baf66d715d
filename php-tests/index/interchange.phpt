--TEST--
Indexes go out as CIFF and PISA, and come back with the same scores
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

/** Scores by ids as strings, whatever their order. */
function scores(Index $index, string $query): array
{
    $scores = [];
    foreach ($index->search($query, limit: 500, matching: 'any', weights: ['body' => 1]) as $hit) {
        $scores["$hit->id"] = $hit->score;
    }
    ksort($scores, SORT_STRING);
    return $scores;
}

$files = new_folder();
mkdir($files);
$folder = new_folder();
$writer = IndexWriter::open($folder, ['tag' => ['keyword' => true], 'body' => []]);
for ($i = 0; $i < 400; $i++) {
    $words = [];
    for ($j = 0; $j < $i % 70; $j++) {
        $words[] = 'w' . ($i * $j + $j) % (1 + $j) . ' ' . 'x' . $i % 7;
    }
    $writer->add($i % 2 ? $i : "id $i", ['tag' => 't', 'body' => implode(' ', $words)]);
}
$writer->commit();
$writer->close();
$index = Index::open($folder);
var_dump($index->exportCiff("$files/a.ciff"), $index->exportPisa("$files/a", 'body'));
echo implode(' ', array_map('basename', glob("$files/*"))), "\n";

$queries = ['w1', 'w2 x3', 'w0 w5 x0 x1', 'none'];
foreach (['importCiff' => 'a.ciff', 'importPisa' => 'a'] as $import => $file) {
    $other = new_folder();
    $writer = IndexWriter::open($other, ['body' => []], positions: false);
    var_dump($writer->$import("$files/$file"));
    $writer->commit();
    $again = Index::open($other);
    var_dump($again->terms(limit: 1000) === $index->terms(field: 'body', limit: 1000));
    foreach ($queries as $query) {
        $wanted = scores($index, $query);
        echo $query, ': ', count($wanted), scores($again, $query) === $wanted ? " as before\n" : " differ\n";
    }
    // Integers came out as digits, and are strings now.
    var_dump($again->docId(399), $again->docId('399'), is_int($again->docId('id 398')));
    foreach ([
        fn () => $writer->$import("$files/none"),
        fn () => $writer->$import("$files/$file", 'title'),
        fn () => $writer->$import("$files/a\0"),
    ] as $wrong) {
        try {
            $wrong();
        } catch (Throwable $e) {
            echo get_class($e), ': ', str_replace($files, 'FILES', $e->getMessage()), "\n";
        }
    }
}
foreach ([
    fn () => $index->exportCiff("$files/none/x"),
    fn () => $index->exportPisa("$files/none/x"),
    fn () => $index->exportCiff("$files/x", 'tag'),
] as $wrong) {
    try {
        $wrong();
    } catch (Throwable $e) {
        echo get_class($e), ': ', str_replace($files, 'FILES', $e->getMessage()), "\n";
    }
}

file_put_contents("$files/a.ciff", 'x', FILE_APPEND);
try {
    $writer->importCiff("$files/a.ciff");
} catch (Postings\CorruptDataException $e) {
    echo preg_replace(['~/\S+/~', '/\d{4,}/'], ['', 'N'], $e->getMessage()), "\n";
}
var_dump($writer->hasChanges());
$writer->close();

$code = '[$folder, $files, $other] = ' . var_export([$folder, $files, $other], true) . ';' . <<<'PHP'
    foreach ([
        fn () => Postings\Index::open($folder)->exportCiff("$files/b.ciff"),
        fn () => Postings\Index::open($folder)->exportPisa("$files/b"),
        fn () => Postings\IndexWriter::open($folder)->importCiff("$files/a.ciff"),
        fn () => Postings\IndexWriter::open($folder)->importPisa("$files/a"),
    ] as $outside) {
        try {
            $outside();
            echo "done\n";
        } catch (Postings\IndexException $e) {
            echo str_replace($files, 'FILES', $e->getMessage()), "\n";
        }
    }
    PHP;
echo child($code, ['open_basedir' => $folder])[1];
var_dump(glob("$files/b*"));
?>
--EXPECT--
int(400)
int(400)
a.ciff a.docs a.documents a.freqs a.sizes a.terms
int(400)
bool(true)
w1: 305 as before
w2 x3: 287 as before
w0 w5 x0 x1: 394 as before
none: 0 as before
NULL
int(399)
bool(true)
Postings\IndexException: FILES/none: No such file or directory (os error 2)
ValueError: Postings\IndexWriter::importCiff(): Argument #2 ($field) field 'title': there is none, only 'body'
ValueError: Postings\IndexWriter::importCiff(): Argument #1 ($path) must not contain any null bytes
int(400)
bool(true)
w1: 305 as before
w2 x3: 287 as before
w0 w5 x0 x1: 394 as before
none: 0 as before
NULL
int(399)
bool(true)
Postings\IndexException: FILES/none.docs: No such file or directory (os error 2)
ValueError: Postings\IndexWriter::importPisa(): Argument #2 ($field) field 'title': there is none, only 'body'
ValueError: Postings\IndexWriter::importPisa(): Argument #1 ($basename) must not contain any null bytes
Postings\IndexException: FILES/none/x.part: No such file or directory (os error 2)
Postings\IndexException: FILES/none/x.docs.part: No such file or directory (os error 2)
ValueError: Postings\Index::exportCiff(): Argument #2 ($field) field 'tag': must be a text field
CIFF: end of a.ciff at byte N: 1 bytes follow the last document
bool(false)
FILES/b.ciff: open_basedir does not allow it
FILES/b.docs.part: open_basedir does not allow it
FILES/a.ciff: open_basedir does not allow it
FILES/a.docs: open_basedir does not allow it
array(0) {
}
