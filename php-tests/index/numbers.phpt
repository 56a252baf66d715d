--TEST--
Several numbers of a document: filters, sorting, facets, distinct; what they may be
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
require __DIR__ . '/../index.inc';
use Postings\{Filter, Index, IndexWriter};

$path = new_folder();
$fields = ['name' => [], 'size' => ['numeric' => true, 'stored' => true], 'day' => ['numeric' => true, 'keyword' => true, 'stored' => true]];
$writer = IndexWriter::open($path, $fields);
$day = fn (string $day) => new DateTimeImmutable($day . 'T00:00:00Z');
$writer->add(1, ['name' => 'shirt', 'size' => [42, 38.5, 40, 38.5], 'day' => [$day('1970-01-02'), $day('1970-01-01')]]);
$writer->add(2, ['name' => 'shoe', 'size' => 39]);
$writer->add(3, ['name' => 'hat', 'size' => []]);
$writer->add(4, ['name' => 'sock', 'size' => [true, -3]]);
$writer->add(5, ['name' => 'none']);
$writer->commit();
$writer->add(6, ['name' => 'belt', 'size' => [100, 90, 110]]);
$writer->commit();
foreach (['two segments', 'merged', 'without 2 and 3'] as $step) {
    echo "$step\n";
    $index = Index::open($path);
    $ids = fn (...$arguments) => json_encode($index->search('', ...$arguments)->ids());
    foreach ([
        ['size' => 40], ['size' => [38, 39]], ['size' => [100, 105]], ['size' => [43, 89]], Filter::is('size', [38.5, -3]),
        Filter::above('size', 42), Filter::below('size', 0), Filter::exists('size'), Filter::missing('size'),
        Filter::not(['size' => 42]), ['day' => 86400], Filter::is('day', '1970-01-01T00:00:00+00:00'),
        Filter::all(['size' => 38.5], ['size' => 42]),
    ] as $filter) {
        echo $ids(filter: is_array($filter) ? $filter : [$filter]), ' ';
    }
    echo "\n", $ids(sort: ['size' => 'asc']), $ids(sort: ['size' => 'desc']), $ids(distinct: 'size'), ' ';
    echo json_encode($index->search('', facets: ['size'])->facets), "\n";
    $hits = $index->search('', sort: ['size' => 'desc'], limit: 2);
    echo json_encode($index->search('', sort: ['size' => 'desc'], after: $hits[1])->ids()), ' ', json_encode($index->stored(1)), "\n";
    if ($step === 'merged') {
        $writer->delete(2);
        $writer->delete(3);
        $writer->commit();
        $writer->optimize();
    } else {
        $writer->optimize();
    }
}
foreach ([['a'], [[1]], [null], [NAN], [1, INF], [2 ** 53 + 1], [new stdClass()], ['x' => '1']] as $wrong) {
    outcome('', fn () => $writer->add(9, ['size' => $wrong]));
}
var_dump($writer->hasChanges());
?>
--EXPECT--
two segments
[1] [1,2] [6] [] [1,4] [6] [4] [1,2,4,6] [3,5] [2,3,4,5,6] [1] [1] [1] 
[4,1,2,6,3,5][6,1,2,4,3,5][1,2,3,4,5,6] {"size":{"min":-3,"max":110,"count":4}}
[2,4,3,5] {"size":[42,38.5,40,38.5],"day":["1970-01-02T00:00:00+00:00","1970-01-01T00:00:00+00:00"]}
merged
[1] [1,2] [6] [] [1,4] [6] [4] [1,2,4,6] [3,5] [2,3,4,5,6] [1] [1] [1] 
[4,1,2,6,3,5][6,1,2,4,3,5][1,2,3,4,5,6] {"size":{"min":-3,"max":110,"count":4}}
[2,4,3,5] {"size":[42,38.5,40,38.5],"day":["1970-01-02T00:00:00+00:00","1970-01-01T00:00:00+00:00"]}
without 2 and 3
[1] [1] [6] [] [1,4] [6] [4] [1,4,6] [5] [4,5,6] [1] [1] [1] 
[4,1,6,5][6,1,4,5][1,4,5,6] {"size":{"min":-3,"max":110,"count":3}}
[4,5] {"size":[42,38.5,40,38.5],"day":["1970-01-02T00:00:00+00:00","1970-01-01T00:00:00+00:00"]}
: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'size' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, string given
: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'size' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, array given
: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'size' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, null given
: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'size' must be finite, NAN given
: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'size' must be finite, INF given
: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'size' must be from -2^53 to 2^53, 9007199254740993 given
: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'size' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, stdClass given
: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'size' must be int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface, string given
bool(false)
