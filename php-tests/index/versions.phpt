--TEST--
Indexes of versions 3 and 4 of the format, as their releases wrote them, are read, merged and added to
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
require __DIR__ . '/../index.inc';
use Postings\{Filter, Index, IndexWriter};

foreach (['v3', 'v4', 'v4-analyzers'] as $version) {
    $path = new_folder();
    mkdir($path);
    foreach (glob(__DIR__ . "/../../tests/data/index/$version/*") as $file) {
        copy($file, $path . '/' . basename($file));
    }
    foreach (['as it was', 'merged', 'added to'] as $step) {
        echo "$version, $step\n";
        $index = Index::open($path);
        $ids = fn (string $query, ...$how) => json_encode($index->search($query, ...$how)->ids());
        echo $ids('run'), $ids('runni*'), $ids('"blue boots"'), $ids('pdf'), $ids('title:2024'), "\n";
        echo $ids('', filter: ['title' => 'runs']), $ids('', filter: ['n' => [1, 2]]), $ids('', sort: ['n' => 'desc']), "\n";
        echo json_encode([$index->stored(1), $index->stored('two'), $index->stored(3), $index->stored(4)]), "\n";
        if ($version !== 'v3') {
            echo $ids('', filter: [Filter::near('place', 48.1, 11.6, metres: 5000)]);
            echo $ids('', filter: [Filter::box('place', [-40, 170], [0, -170])]), $ids('', sort: ['place' => [90, 0]]), "\n";
        }
        if ($version === 'v4-analyzers') {
            echo $ids('haus'), $ids('die strassen'), $ids('de:häus*'), json_encode($index->analyzer('de')->options()), "\n";
        }
        echo json_encode($index->suggest('ru')), "\n";
        $writer = IndexWriter::open($path);
        if ($step === 'as it was') {
            $writer->optimize();
        } else {
            $writer->add(5, ['title' => 'runners', 'n' => 7]);
            $writer->commit();
        }
        $writer->close();
    }
}
?>
--EXPECT--
v3, as it was
[4,1][]["two"]["two"][]
[4][4][1,4,"two"]
[{"title":"running shoes","n":3,"kept":["a",2,true]},{"title":["blue boots","report_2024.pdf"],"n":0.5},null,{"title":"runs","n":true}]
{"run":2}
v3, merged
[4,1][]["two"]["two"][]
[4][4][1,4,"two"]
[{"title":"running shoes","n":3,"kept":["a",2,true]},{"title":["blue boots","report_2024.pdf"],"n":0.5},null,{"title":"runs","n":true}]
{"run":2}
v3, added to
[4,1][]["two"]["two"][]
[4][4][5,1,4,"two"]
[{"title":"running shoes","n":3,"kept":["a",2,true]},{"title":["blue boots","report_2024.pdf"],"n":0.5},null,{"title":"runs","n":true}]
{"run":2,"runners":1}
v4, as it was
[4,1][4,1]["two"]["two"]["two"]
[4][1,4][1,4,"two"]
[{"title":"running shoes","n":[3,1.5],"kept":["a",2,true],"place":[48.137,11.575]},{"title":["blue boots","report_2024.pdf"],"n":0.5,"place":[-33.9,180]},null,{"title":"runs","n":true,"place":[90,7]}]
[1]["two"][4,1,"two"]
{"running":1,"runs":1}
v4, merged
[4,1][4,1]["two"]["two"]["two"]
[4][1,4][1,4,"two"]
[{"title":"running shoes","n":[3,1.5],"kept":["a",2,true],"place":[48.137,11.575]},{"title":["blue boots","report_2024.pdf"],"n":0.5,"place":[-33.9,180]},null,{"title":"runs","n":true,"place":[90,7]}]
[1]["two"][4,1,"two"]
{"running":1,"runs":1}
v4, added to
[4,1][4,1]["two"]["two"]["two"]
[4][1,4][5,1,4,"two"]
[{"title":"running shoes","n":[3,1.5],"kept":["a",2,true],"place":[48.137,11.575]},{"title":["blue boots","report_2024.pdf"],"n":0.5,"place":[-33.9,180]},null,{"title":"runs","n":true,"place":[90,7]}]
[1]["two"][4,1,"two",5]
{"runners":1,"running":1,"runs":1}
v4-analyzers, as it was
[4,1][4,1]["two"]["two"]["two"]
[4][1,4][1,4,"two"]
[{"title":"running shoes","n":[3,1.5],"kept":["a",2,true],"place":[48.137,11.575]},{"title":["blue boots","report_2024.pdf"],"n":0.5,"place":[-33.9,180]},null,{"title":"runs","n":true,"place":[90,7]}]
[1]["two"][4,1,"two"]
[1,4]["two"][1,4]{"language":"german","fold":true,"stopWords":["die"],"parts":false,"compounds":[]}
{"running":1,"runs":1}
v4-analyzers, merged
[4,1][4,1]["two"]["two"]["two"]
[4][1,4][1,4,"two"]
[{"title":"running shoes","n":[3,1.5],"kept":["a",2,true],"place":[48.137,11.575]},{"title":["blue boots","report_2024.pdf"],"n":0.5,"place":[-33.9,180]},null,{"title":"runs","n":true,"place":[90,7]}]
[1]["two"][4,1,"two"]
[1,4]["two"][1,4]{"language":"german","fold":true,"stopWords":["die"],"parts":false,"compounds":[]}
{"running":1,"runs":1}
v4-analyzers, added to
[4,1][4,1]["two"]["two"]["two"]
[4][1,4][5,1,4,"two"]
[{"title":"running shoes","n":[3,1.5],"kept":["a",2,true],"place":[48.137,11.575]},{"title":["blue boots","report_2024.pdf"],"n":0.5,"place":[-33.9,180]},null,{"title":"runs","n":true,"place":[90,7]}]
[1]["two"][4,1,"two",5]
[1,4]["two"][1,4]{"language":"german","fold":true,"stopWords":["die"],"parts":false,"compounds":[]}
{"runners":1,"running":1,"runs":1}
