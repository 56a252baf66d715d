--TEST--
An index is opened with its own fields and analyzer only; what it was made with can be read
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Analyzer, Index, IndexWriter};

$folder = new_folder();
$fields = ['title' => ['weight' => 0.1, 'stored' => true], 'tag' => ['keyword' => true], 'n' => ['numeric' => true]];
$english = new Analyzer('english', stopWords: ['The']);
IndexWriter::open($folder, $fields, $english, false)->close();
$here = fn (Throwable $e) => str_replace($folder, 'FOLDER', get_class($e) . ': ' . $e->getMessage());
foreach ([
    'the same' => [$fields, $english, false],
    'none' => [],
    'the same analyzer' => [null, new Analyzer('en', false, ['the', 'THE'])],
    'another analyzer' => [null, new Analyzer('german')],
    'no stop words' => [$fields, new Analyzer('english'), false],
    'no analyzer' => [$fields, null, false],
    'positions' => [$fields, $english, true],
    'another weight' => [['title' => ['weight' => 2, 'stored' => true]] + $fields, $english, false],
    'one more field' => [$fields + ['more' => []], $english, false],
    'one fewer' => [array_slice($fields, 0, 2), $english, false],
    'another order' => [array_reverse($fields), $english, false],
    'not stored' => [['title' => ['weight' => 0.1]] + $fields, $english, false],
    'another kind' => [['title' => $fields['title'], 'tag' => ['numeric' => true], 'n' => $fields['n']], $english, false],
] as $what => $arguments) {
    try {
        IndexWriter::open($folder, ...$arguments)->close();
        echo "$what: opened\n";
    } catch (Throwable $e) {
        echo "$what: ", $here($e), "\n";
    }
}
$writer = IndexWriter::open($folder);
outcome('fields', fn () => $writer->fields() === Index::open($folder)->fields());
echo json_encode($writer->fields()), "\n";
outcome('analyzer', fn () => [$writer->analyzer() == $english, Index::open($folder)->analyzer() == $english, $writer->analyzer() == new Analyzer()]);
outcome('made again', fn () => IndexWriter::open(new_folder(), $writer->fields(), $writer->analyzer(), false)->fields() === $writer->fields());
?>
--EXPECT--
the same: opened
none: opened
the same analyzer: opened
another analyzer: ValueError: Postings\IndexWriter::open(): Argument #3 ($analyzer) cannot be used: the analyzer of this index is version 1, language english, 1 stop word, not version 1, language german. Open it without analyzer to go on with its own, or create a new index in another folder and add the documents again
no stop words: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index FOLDER was created otherwise: its analyzer is version 1, language english, 1 stop word, not version 1, language english. Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
no analyzer: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index FOLDER was created otherwise: its analyzer is version 1, language english, 1 stop word, not version 1, language none. Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
positions: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index FOLDER was created otherwise: it has no positions. Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
another weight: opened
one more field: opened
one fewer: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index FOLDER was created otherwise: it has a field "n". Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
another order: opened
not stored: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index FOLDER was created otherwise: field "title" is stored. Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
another kind: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index FOLDER was created otherwise: field "tag" is Keyword, not Numeric. Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
fields: returned true
{"title":{"weight":0.1,"stored":true},"tag":{"keyword":true},"n":{"numeric":true}}
analyzer: returned array (
  0 => true,
  1 => true,
  2 => false,
)
made again: returned true
