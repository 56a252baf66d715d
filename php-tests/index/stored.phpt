--TEST--
Stored fields come back with hits, of every type, also in JSON; no others do
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

class Text
{
    public function __toString(): string
    {
        return 'of an object';
    }
}

$writer = IndexWriter::open($folder = new_folder(), [
    'text' => ['stored' => true], 'hidden' => [], 'tag' => ['keyword' => true, 'stored' => true], 'number' => ['numeric' => true, 'stored' => true],
    '2024' => ['keyword' => true, 'stored' => true],
]);
$documents = [
    'full' => ['text' => "Any bytes \0 \xff <b>", 'hidden' => 'x', 'tag' => ['b', 'a', 'b'], 'number' => 7, '2024' => 'key'],
    'none' => ['hidden' => 'x'],
    'nulls' => ['text' => null, 'tag' => null, 'number' => null],
    'empty' => ['text' => '', 'tag' => []],
    'types' => ['text' => 1.5, 'tag' => 5, 'number' => -0.25],
    'object' => ['text' => new Text(), 'tag' => '', 'number' => 2 ** 53],
    'long' => ['text' => str_repeat('long text ', 20000)],
];
$writer->addAll($documents);
$writer->addTokens('tokens', ['text' => ['Own', 'terms', 5], 'number' => 1e-300]);
$writer->commit();
$index = Index::open($folder);
foreach ($index->search('', limit: 100) as $hit) {
    $fields = $hit->fields;
    echo $hit->id, ' ', strlen(serialize($fields)) > 1000 ? md5(serialize($fields)) : addcslashes(serialize($fields), "\0..\37\177..\377"), "\n";
    if ($index->stored($hit->id) !== $fields) {
        echo "stored() differs\n";
    }
}
outcome('long', fn () => $index->stored('long') === $documents['long']);
outcome('unknown', fn () => $index->stored('nosuch'));
outcome('keys', fn () => array_keys($index->stored('full')));
echo json_encode($index->search('', offset: 1, limit: 4, total: true)), "\n";
echo json_encode($index->search('nosuch')), "\n";
outcome('JSON of bytes that are not UTF-8', fn () => [json_encode($index->search('any')), json_last_error_msg()]);
echo json_encode($index->search('terms')[0]), "\n";
// Nothing is stored: nothing is read.
$writer = IndexWriter::open($folder = new_folder(), ['text' => []]);
$writer->add(1, 'text');
$writer->commit();
outcome('not stored', fn () => [Index::open($folder)->search('text')[0]->fields, json_encode(Index::open($folder)->search(''))]);
// Hits are ordinary objects.
$hits = $index->search('', limit: 3);
outcome('hits', fn () => [$hits[0] == $hits[0], $hits[0] == $hits[1], (clone $hits[0]) == $hits[0], $hits == $hits, $hits == $index->search('', limit: 3), array_keys((array) $hits[0])]);
outcome('clone', fn () => clone $hits);
?>
--EXPECT--
full a:4:{s:4:"text";s:17:"Any bytes \000 \377 <b>";s:3:"tag";a:3:{i:0;s:1:"b";i:1;s:1:"a";i:2;s:1:"b";}s:6:"number";i:7;i:2024;s:3:"key";}
none a:0:{}
nulls a:0:{}
empty a:2:{s:4:"text";s:0:"";s:3:"tag";a:0:{}}
types a:3:{s:4:"text";d:1.5;s:3:"tag";i:5;s:6:"number";d:-0.25;}
object a:3:{s:4:"text";s:12:"of an object";s:3:"tag";s:0:"";s:6:"number";i:9007199254740992;}
long cf68cc8c0511ce6e63746f2cb7510eee
tokens a:2:{s:4:"text";a:3:{i:0;s:3:"Own";i:1;s:5:"terms";i:2;s:1:"5";}s:6:"number";d:1.0E-300;}
long: returned true
unknown: returned NULL
keys: returned array (
  0 => 'text',
  1 => 'tag',
  2 => 'number',
  3 => 2024,
)
{"total":8,"hits":[{"id":"none","score":0},{"id":"nulls","score":0},{"id":"empty","score":0,"fields":{"text":"","tag":[]}},{"id":"types","score":0,"fields":{"text":1.5,"tag":5,"number":-0.25}}]}
{"total":null,"hits":[]}
JSON of bytes that are not UTF-8: returned array (
  0 => false,
  1 => 'Malformed UTF-8 characters, possibly incorrectly encoded',
)
{"id":"tokens","score":3.030949831008911,"fields":{"text":["Own","terms","5"],"number":1.0e-300}}
not stored: returned array (
  0 => 
  array (
  ),
  1 => '{"total":null,"hits":[{"id":1,"score":0}]}',
)
hits: returned array (
  0 => true,
  1 => false,
  2 => true,
  3 => true,
  4 => false,
  5 => 
  array (
    0 => 'id',
    1 => 'score',
    2 => 'docId',
    3 => 'fields',
    4 => 'distance',
  ),
)
clone: Error: Trying to clone an uncloneable object of class Postings\Hits
