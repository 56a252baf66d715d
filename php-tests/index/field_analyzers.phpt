--TEST--
Fields with analyzers of their own: searches, marks, suggestions, similar documents, merges, and what is refused
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
require __DIR__ . '/../index.inc';
use Postings\{Analyzer, Index, IndexWriter};

$english = new Analyzer('english', stopWords: true);
$german = new Analyzer('german', fold: true, stopWords: true);
$fields = [
    'en' => ['analyzer' => $english, 'stored' => true],
    'de' => ['analyzer' => $german, 'weight' => 2, 'stored' => true],
    'sku' => ['analyzer' => new Analyzer(parts: true), 'keyword' => true],
    'text' => ['analyzer' => null],
];
$folder = new_folder();
$writer = IndexWriter::open($folder, $fields, new Analyzer('english', stopWords: true));
$writer->add(1, ['en' => 'The running shoes', 'de' => 'Die laufenden Schuhe', 'sku' => 'shoe.42', 'text' => 'houses']);
$writer->add(2, ['en' => 'A house', 'de' => 'Ein Haus', 'sku' => 'the_house']);
$writer->commit();
$writer->add(3, ['en' => 'Houses', 'de' => 'Häuser und die Straße', 'sku' => 'die.7']);
$writer->addTokens(4, ['en' => ['hous'], 'de' => ['haus']]);
$writer->commit();
foreach (['as written', 'merged'] as $step) {
    $index = Index::open($folder);
    echo "$step\n";
    foreach (['houses', 'haus', 'the house', 'die haus', 'the', '"the house"', 'sku:the', 'en:the', 'runs schuh', 'schue~', 'hous*', 'strasse', 'shoe.42', '-the house'] as $query) {
        echo $query, ' ', json_encode(idsOf($index, $query)), json_encode(idsOf($index, $query, matching: 'any')), ' ', $index->count($query), "\n";
    }
    echo json_encode([$index->suggest('h'), $index->suggest('h', field: 'de'), $index->suggest('str')]), "\n";
    $writer->optimize();
}
function idsOf(Index $index, string $query, mixed ...$how): array
{
    $ids = $index->search($query, ...$how)->ids();
    sort($ids);
    return $ids;
}
echo "batch and stream\n";
$queries = ['the house', 'haus', 'die haus'];
foreach ($index->searchBatch($queries) as $at => $hits) {
    echo json_encode($hits->ids() === $index->search($queries[$at])->ids());
}
$stream = $index->stream();
$ticket = $stream->push('the house');
foreach ($stream->take(wait: 5000) as $hits) {
    echo json_encode($hits->ids() === $index->search('the house')->ids()), "\n";
}
echo "marks\n";
foreach (['en', 'de', 'sku', null] as $field) {
    echo $index->highlight('the houses "die haus"', 'The house: die Häuser, ein Haus, die Haus', field: $field), "\n";
}
echo $index->highlight('de:haus', 'house Häuser'), ' ', json_encode($index->matches('houses', 'house Haus', field: 'en')), "\n";
echo $index->snippet('haus', 'one two Häuser three', field: 'de', length: 10), "\n";
echo "options\n";
echo json_encode([idsOf($index, 'home', synonyms: ['home' => 'houses']), idsOf($index, 'home', synonyms: ['home' => 'the'])]), "\n";
echo json_encode([idsOf($index, 'the house', fields: ['sku']), idsOf($index, 'the house', weights: ['sku' => 0]), idsOf($index, 'the house x', maxWords: 1)]), "\n";
echo json_encode([idsOf($index, 'hauser', typos: 'auto'), idsOf($index, 'the hou', prefix: true), $index->similar(2)->ids(), $index->similar(text: 'Schuhe')->ids()]), "\n";
foreach ($index->explain('the house', 2)['parts'] as $part) {
    echo "$part[clause] $part[field] $part[term]\n";
}
echo json_encode($index->explain('the house', 1)['matches']), json_encode($index->explain('the house', 3)['matches']), "\n";
echo "what is chosen\n";
var_dump($index->analyzer() == $english, $index->analyzer('text') == $english, $index->analyzer('de') == $german);
var_dump(array_map(fn (array $options) => array_keys($options), $index->fields()) === ['en' => ['weight', 'stored'], 'de' => ['weight', 'analyzer', 'stored'], 'sku' => ['weight', 'analyzer', 'keyword'], 'text' => ['weight']]);
$writer->close();
$writer = IndexWriter::open($folder, $index->fields(), $index->analyzer());
var_dump($writer->fields() == $index->fields(), $writer->analyzer('sku')->options()['parts']);
$writer->close();
$writer = IndexWriter::open($folder, $fields + ['nl' => ['analyzer' => new Analyzer('dutch')]], $english);
$writer->add(5, ['nl' => 'huizen']);
$writer->commit();
echo json_encode([idsOf(Index::open($folder), 'huis'), idsOf(Index::open($folder), 'nl:huizen')]), "\n";
$writer->close();
echo "the very word first\n";
$twice = new_folder();
$of = IndexWriter::open($twice, ['text' => ['analyzer' => new Analyzer('english', fold: true)], 'exact' => ['analyzer' => new Analyzer(), 'weight' => 0.5]]);
foreach ([1 => 'he runs far', 2 => 'running far', 3 => 'a resume now', 4 => 'a résumé now'] as $id => $text) {
    $of->add($id, ['text' => $text, 'exact' => $text]);
}
$of->commit();
foreach (['running', 'runs', 'résumé', 'resume'] as $query) {
    echo $query, ' ', json_encode(Index::open($twice)->search($query)->ids()), json_encode(Index::open($twice)->search($query, fields: ['exact'])->ids()), "\n";
}
echo "what is refused\n";
$refused = function (callable $what) use ($folder) {
    try {
        $what();
        echo "nothing\n";
    } catch (Throwable $error) {
        echo get_class($error), ': ', str_replace($folder, 'FOLDER', $error->getMessage()), "\n";
    }
};
$nl = ['nl' => ['analyzer' => new Analyzer('dutch')]];
$refused(fn () => IndexWriter::open($folder, ['de' => ['analyzer' => $english, 'stored' => true]] + $fields + $nl, $english));
$refused(fn () => IndexWriter::open($folder, ['de' => ['stored' => true]] + $fields + $nl, $english));
$refused(fn () => IndexWriter::open(new_folder(), ['a' => ['analyzer' => 'german']]));
$refused(fn () => IndexWriter::open(new_folder(), ['a' => ['analyzer' => new stdClass()]]));
$refused(fn () => IndexWriter::open(new_folder(), ['a' => ['analyzer' => $german, 'text' => false, 'keyword' => true]]));
$refused(fn () => IndexWriter::open(new_folder(), ['a' => ['analyzer' => $german, 'geo' => true]]));
$refused(fn () => IndexWriter::open(new_folder(), ['a' => ['analyzer' => $german, 'stored' => true, 'indexed' => false]]));
$refused(fn () => IndexWriter::open(new_folder(), ['a' => ['analyser' => $german]]));
$refused(fn () => $index->analyzer('none'));
$refused(fn () => $index->analyzer('nl'));
echo "one analyzer for all\n";
$one = new_folder();
IndexWriter::open($one, ['a' => ['analyzer' => new Analyzer('german')], 'b' => []], new Analyzer('german'));
$other = new_folder();
IndexWriter::open($other, ['a' => [], 'b' => []], new Analyzer('german'));
// All but the identity, which comes first, and the CRC, which comes last.
var_dump(substr(file_get_contents("$one/manifest"), 16, -4) === substr(file_get_contents("$other/manifest"), 16, -4));
?>
--EXPECT--
as written
houses [1,2,3,4][1,2,3,4] 4
haus [2,3,4][2,3,4] 3
the house [1,2,3,4][1,2,3,4] 4
die haus [2,3,4][2,3,4] 3
the [2][2] 1
"the house" [1,2,3,4][1,2,3,4] 4
sku:the [2][2] 1
en:the [][] 0
runs schuh [1][1] 1
schue~ [1][1] 1
hous* [1,2,3,4][1,2,3,4] 4
strasse [3][3] 1
shoe.42 [1][1] 1
-the house [1,3,4][1,3,4] 3
[{"haus":3,"hous":2,"house":2,"houses":2,"hauser":1},{"haus":3,"hauser":1},{"strass":1,"strasse":1}]
merged
houses [1,2,3,4][1,2,3,4] 4
haus [2,3,4][2,3,4] 3
the house [1,2,3,4][1,2,3,4] 4
die haus [2,3,4][2,3,4] 3
the [2][2] 1
"the house" [1,2,3,4][1,2,3,4] 4
sku:the [2][2] 1
en:the [][] 0
runs schuh [1][1] 1
schue~ [1][1] 1
hous* [1,2,3,4][1,2,3,4] 4
strasse [3][3] 1
shoe.42 [1][1] 1
-the house [1,3,4][1,3,4] 3
[{"haus":3,"hous":3,"house":2,"houses":2,"hauser":1},{"haus":3,"hauser":1},{"strass":1,"strasse":1}]
batch and stream
truetruetruetrue
marks
The <mark>house</mark>: die Häuser, ein Haus, <mark>die Haus</mark>
<mark>The</mark> <mark>house</mark>: die <mark>Häuser</mark>, ein <mark>Haus</mark>, die <mark>Haus</mark>
<mark>The</mark> house: die Häuser, ein Haus, <mark>die Haus</mark>
<mark>The</mark> <mark>house</mark>: die <mark>Häuser</mark>, ein <mark>Haus</mark>, <mark>die Haus</mark>
house <mark>Häuser</mark> [{"offset":0,"length":5}]
…<mark>Häuser</mark>…
options
[[1,2,3,4],[2]]
[[2],[1,2,3,4],[2]]
[[2,3,4],[1,2,3,4],[4,3,1],[1]]
the sku the
hous en hous
house sku house
truetrue
what is chosen
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
[[5],[5]]
the very word first
running [2,1][2]
runs [1,2][1]
résumé [4,3][4]
resume [3,4][3]
what is refused
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index FOLDER was created otherwise: the analyzer of field "de" is version 1, language german, fold, 153 stop words, not version 1, language english, 123 stop words. Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) cannot be used: the index FOLDER was created otherwise: the analyzer of field "de" is version 1, language german, fold, 153 stop words, not version 1, language english, 123 stop words. Open it without fields and analyzer to go on with its own, or create a new index in another folder and add the documents again. Fields can be added, and weights changed
TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a': 'analyzer' must be Postings\Analyzer|null, string given
TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a': 'analyzer' must be Postings\Analyzer|null, stdClass given
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a': only text has an analyzer: keywords and numbers are taken as they are
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a': a geo field cannot be text, keyword or numeric, too: its values are points
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a': it cannot be text, keyword, numeric or geo without being indexed
ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'a': no option 'analyser': there are weight, analyzer, text, keyword, numeric, geo, vector, metric, clusters, weights, bits, stored and indexed
ValueError: Postings\Index::analyzer(): Argument #1 ($field) field 'none': there is none, only 'en', 'de', 'sku', 'text'
ValueError: Postings\Index::analyzer(): Argument #1 ($field) field 'nl': there is none, only 'en', 'de', 'sku', 'text'
one analyzer for all
bool(true)
