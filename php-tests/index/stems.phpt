--TEST--
Prefixes, typos and suggestions beside stems: in English, in German, and in an index of an earlier release
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Analyzer, Index, IndexWriter};

$show = function (Index $index, string $query, mixed ...$options) {
    echo json_encode($query, JSON_UNESCAPED_UNICODE), ' ', json_encode($options), ' ', json_encode($index->search($query, ...$options)->ids()), "\n";
};
$version = fn (string $file) => unpack('V', file_get_contents($file), 4)[1];

echo "English\n";
$folder = new_folder();
$writer = IndexWriter::open($folder, ['title' => [], 'body' => []], new Analyzer('english', stopWords: ['the']));
$writer->add('shoe', ['title' => 'Running shoes', 'body' => 'they run on the road']);
$writer->add('ruin', ['title' => 'Ruins', 'body' => 'ruining a city']);
$writer->add('study', ['title' => 'Universities', 'body' => 'a runner who studies']);
$writer->commit();
$index = Index::open($folder);
foreach (['runni*', 'runing~', 'universiti*', 'RUNN*', 'the*', 'road runni*', 'runners', 'body:runni*'] as $query) {
    $show($index, $query);
}
$show($index, 'runing', typos: 'auto');
$show($index, 'runni', prefix: true);
$show($index, 'sho runi', typos: 'auto', prefix: true, matching: 'any');
$show($index, 'th', prefix: true);
echo json_encode($index->suggest('run')), json_encode($index->suggest('runn')), json_encode($index->suggest('u', 1)), json_encode($index->suggest('th')), "\n";
echo json_encode($index->terms('run', 'title')), json_encode($index->terms('universit')), "\n";
foreach ([['runni*', 'shoe', []], ['runing', 'shoe', ['typos' => 1]], ['running', 'shoe', ['typos' => 'auto', 'prefix' => true]]] as [$query, $id, $options]) {
    foreach ($index->explain($query, $id, ...$options)['parts'] as $part) {
        echo "$part[clause] $part[field] $part[term] $part[discount]\n";
    }
}
echo 'version ', $version("$folder/1.segment"), "\n";

echo "Its own terms, merged with others\n";
$writer->addTokens('terms', ['title' => ['runaway', 'univers']]);
$writer->delete('study');
$writer->optimize();
$index = Index::open($folder);
echo json_encode($index->suggest('u')), json_encode($index->suggest('run')), "\n";
foreach (['runni*', 'universiti*', 'univers*', 'runawa*'] as $query) {
    $show($index, $query);
}

echo "German\n";
$folder = new_folder();
$writer = IndexWriter::open($folder, ['text' => []], new Analyzer('german', fold: true));
$writer->add(1, ['text' => 'Laufende Häuser']);
$writer->add(2, ['text' => 'ein Haus läuft']);
$writer->add(3, ['text' => 'Bücher und Straßenbahnen']);
$writer->commit();
$index = Index::open($folder);
foreach (['häuse*', 'laufend*', 'Strassenbah*', 'Strasenbahnen~', 'bü*'] as $query) {
    $show($index, $query);
}
$show($index, 'straßenbahne', typos: 'auto', prefix: true);
$show($index, 'hauser', typos: 1);
echo json_encode($index->suggest('hau')), json_encode($index->suggest('Straße')), "\n";

echo "An earlier release\n";
$folder = new_folder();
mkdir($folder);
foreach (glob(__DIR__ . '/../../tests/data/index/stems/*') as $file) {
    copy($file, $folder . '/' . basename($file));
}
$index = Index::open($folder);
$queries = ['running', 'runni*', 'run*', 'universit*', 'ruining~'];
foreach ($queries as $query) {
    $show($index, $query);
}
echo json_encode($index->suggest('r')), "\n";
$writer = IndexWriter::open($folder);
$writer->add(4, ['title' => 'Running away']);
$writer->commit();
$index->reload();
foreach ($queries as $query) {
    $show($index, $query);
}
echo json_encode($index->suggest('r')), json_encode(array_map($version, glob("$folder/*.segment"))), "\n";
$writer->optimize();
$index->reload();
foreach ($queries as $query) {
    $show($index, $query);
}
echo json_encode($index->suggest('r')), json_encode(array_map($version, glob("$folder/*.segment"))), "\n";
foreach ([1 => ['title' => 'Running shoes', 'body' => 'They run well on roads'], 3 => ['title' => 'Ruins', 'body' => 'ruining everything'], 2 => ['title' => 'University', 'body' => 'Two runners study'], 4 => ['title' => 'Running away']] as $id => $document) {
    $writer->add($id, $document);
}
$writer->optimize();
$index->reload();
foreach ($queries as $query) {
    $show($index, $query);
}
echo json_encode($index->suggest('r')), "\n";
?>
--EXPECT--
English
"runni*" [] ["shoe"]
"runing~" [] ["ruin","shoe"]
"universiti*" [] ["study"]
"RUNN*" [] ["study","shoe"]
"the*" [] ["shoe"]
"road runni*" [] ["shoe"]
"runners" [] ["study"]
"body:runni*" [] []
"runing" {"typos":"auto"} ["ruin","shoe"]
"runni" {"prefix":true} ["shoe"]
"sho runi" {"typos":"auto","prefix":true,"matching":"any"} ["ruin","shoe","study"]
"th" {"prefix":true} ["shoe"]
{"run":1,"runner":1,"running":1}{"runner":1,"running":1}{"universities":1}{"they":1}
{"run":1}{"universiti":1}
runni* title run 0.75
runing~1 title run 0.5
running~1* title run 1
running~1* body run 1
version 4
Its own terms, merged with others
{"univers":1}{"run":2,"runaway":1,"running":1}
"runni*" [] ["shoe"]
"universiti*" [] []
"univers*" [] ["terms"]
"runawa*" [] ["terms"]
German
"häuse*" [] [1,2]
"laufend*" [] [1]
"Strassenbah*" [] [3]
"Strasenbahnen~" [] [3]
"bü*" [] [3]
"straßenbahne" {"typos":"auto","prefix":true} [3]
"hauser" {"typos":1} [1,2]
{"haus":1,"hauser":1}{"strassenbahnen":1}
An earlier release
"running" [] [1]
"runni*" [] []
"run*" [] [1,2]
"universit*" [] [2]
"ruining~" [] []
{"ruin":2,"run":2,"runner":2,"road":1}
"running" [] [1,4]
"runni*" [] [1,4]
"run*" [] [1,4,2]
"universit*" [] [2]
"ruining~" [] [1,4]
{"ruin":2,"run":2,"runner":2,"road":1,"running":1}[1,1,4]
"running" [] [1,4]
"runni*" [] [1,4]
"run*" [] [1,2,4]
"universit*" [] [2]
"ruining~" [] [1,4]
{"run":3,"ruin":2,"road":1,"runner":1,"running":1}[4]
"running" [] [1,4]
"runni*" [] [1,4]
"run*" [] [1,2,4]
"universit*" [] [2]
"ruining~" [] [3,1,4]
{"running":2,"roads":1,"ruining":1,"ruins":1,"run":1,"runners":1}
