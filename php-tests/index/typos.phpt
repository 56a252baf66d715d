--TEST--
Typos, prefixes, required words, boosts, slop, and what binds a visitor
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

$folder = new_folder();
$writer = IndexWriter::open($folder, ['title' => ['weight' => 2], 'body' => [], 'note' => ['weight' => 1], 'tag' => ['keyword' => true]]);
foreach ([
    'house' => ['title' => 'house trap', 'body' => 'a trap for a house', 'tag' => 'x'],
    'mouse' => ['title' => 'mouse trap', 'body' => 'a trap for a mouse', 'tag' => 'y'],
    'houses' => ['title' => 'houses', 'body' => 'two houses in one street', 'tag' => 'x'],
    'horse' => ['title' => 'horse', 'body' => 'street after street', 'note' => 'secret house', 'tag' => 'y'],
    'search' => ['title' => 'searching', 'body' => 'street search engines'],
] as $id => $document) {
    $writer->add($id, $document);
}
$writer->commit();
$index = Index::open($folder);
$show = function (string $query, mixed ...$options) use ($index) {
    echo json_encode($query), ' ', json_encode($options), ' ', json_encode($index->search($query, ...$options)->ids()), "\n";
};
$show('house~', fields: ['title']);
$show('hous*', fields: ['title']);
foreach ([null, false, 0, 'auto', 'AUTO', 1, 2] as $typos) {
    $show('hose', typos: $typos, fields: ['title']);
}
$show('"hose" trap', typos: 2);
$show('trap -hose', typos: 2);
$show('serching', typos: 'auto');
$show('sea', prefix: true);
$show('seerc', prefix: true, typos: 'auto');
$show('sea trap', prefix: true);
$show('+street searching horse', matching: 'any');
$show('+street +engines horse', matching: 'all-then-any');
$show('mouse house^9', matching: 'any', fields: ['title']);
$show('mouse^9 house', matching: 'any', fields: ['title']);
$show('"house trap"~1', fields: ['body']);
$show('"trap house"~2', fields: ['body']);
$show('"trap house"~1', fields: ['body']);
$show('secret');
$show('secret', fields: ['title', 'body']);
$show('note:secret', fields: ['title', 'body']);
$show('-note:secret horse', fields: ['title', 'body']);
$show('-trap +house', syntax: false);
$show('trap mouse', maxWords: 1);
$show('horse', synonyms: ['horse' => ['mouse', 'houses in'], 'mouse' => 'horse']);
$show('mouse', synonyms: ['horse' => ['mouse'], 'mouse' => 'horse'], fields: ['title']);
$show('trap house', synonyms: ['house traps' => 'x', 'trap house' => ['search engines', 'horse']]);
var_dump($index->count('hose', typos: 1), $index->facets('tag', 'hose', typos: 1), $index->warm(['hose'], typos: 1) >= 0);
var_dump(array_map(fn ($hits) => $hits->ids(), $index->searchBatch(['a' => 'hose', 'b' => 'sea'], typos: 1, prefix: true, fields: ['title'])));
$stream = $index->stream(typos: 'auto', fields: ['title']);
$stream->push('hose');
var_dump($stream->take(10000)[0]->ids());
foreach ($index->explain('hose', 'house', typos: 1)['parts'] as $part) {
    echo "$part[clause] $part[field] $part[term] $part[discount]\n";
}
foreach ([['typos' => 3], ['typos' => -1], ['typos' => 'some'], ['typos' => true], ['typos' => 1.5], ['fields' => []], ['fields' => ['titel']], ['fields' => ['tag']], ['fields' => [1]], ['maxWords' => 0], ['maxWords' => -1], ['prefix' => []],
    ['synonyms' => ['x' => 1]], ['synonyms' => ['x' => [null]]], ['synonyms' => ['' => 'y']], ['synonyms' => ['x' => '...']],
    ['synonyms' => ['x' => array_map(fn ($i) => "a$i", range(1, 65))]], ['synonyms' => array_fill_keys(array_map(fn ($i) => "a$i", range(1, 10001)), 'x')]] as $options) {
    outcome(key($options), fn () => $index->search('x', ...$options));
}
?>
--EXPECT--
"house~" {"fields":["title"]} ["house","houses","horse","mouse"]
"hous*" {"fields":["title"]} ["houses","house"]
"hose" {"typos":null,"fields":["title"]} []
"hose" {"typos":false,"fields":["title"]} []
"hose" {"typos":0,"fields":["title"]} []
"hose" {"typos":"auto","fields":["title"]} ["horse","house"]
"hose" {"typos":"AUTO","fields":["title"]} ["horse","house"]
"hose" {"typos":1,"fields":["title"]} ["horse","house"]
"hose" {"typos":2,"fields":["title"]} ["horse","house","houses"]
"\"hose\" trap" {"typos":2} []
"trap -hose" {"typos":2} ["house","mouse"]
"serching" {"typos":"auto"} ["search"]
"sea" {"prefix":true} ["search"]
"seerc" {"prefix":true,"typos":"auto"} ["search"]
"sea trap" {"prefix":true} []
"+street searching horse" {"matching":"any"} ["horse","search","houses"]
"+street +engines horse" {"matching":"all-then-any"} ["search"]
"mouse house^9" {"matching":"any","fields":["title"]} ["house","mouse"]
"mouse^9 house" {"matching":"any","fields":["title"]} ["mouse","house"]
"\"house trap\"~1" {"fields":["body"]} []
"\"trap house\"~2" {"fields":["body"]} ["house"]
"\"trap house\"~1" {"fields":["body"]} []
"secret" [] ["horse"]
"secret" {"fields":["title","body"]} []
"note:secret" {"fields":["title","body"]} []
"-note:secret horse" {"fields":["title","body"]} ["horse"]
"-trap +house" {"syntax":false} ["house"]
"trap mouse" {"maxWords":1} ["house","mouse"]
"horse" {"synonyms":{"horse":["mouse","houses in"],"mouse":"horse"}} ["mouse","horse","houses"]
"mouse" {"synonyms":{"horse":["mouse"],"mouse":"horse"},"fields":["title"]} ["horse","mouse"]
"trap house" {"synonyms":{"house traps":"x","trap house":["search engines","horse"]}} ["house","horse","search"]
int(2)
array(2) {
  ["x"]=>
  int(1)
  ["y"]=>
  int(1)
}
bool(true)
array(2) {
  ["a"]=>
  array(3) {
    [0]=>
    string(6) "houses"
    [1]=>
    string(5) "horse"
    [2]=>
    string(5) "house"
  }
  ["b"]=>
  array(1) {
    [0]=>
    string(6) "search"
  }
}
array(2) {
  [0]=>
  string(5) "horse"
  [1]=>
  string(5) "house"
}
hose~1 title horse house 0.5
hose~1 body house 0.5
typos: ValueError: Postings\Index::search(): Argument #14 ($typos) must be 'auto', or how many edits, 0 to 2; 3 given
typos: ValueError: Postings\Index::search(): Argument #14 ($typos) must be 'auto', or how many edits, 0 to 2; -1 given
typos: ValueError: Postings\Index::search(): Argument #14 ($typos) must be 'auto', or how many edits, 0 to 2; 'some' given
typos: TypeError: Postings\Index::search(): Argument #14 ($typos) must be of type string|int|false|null, bool given
typos: TypeError: Postings\Index::search(): Argument #14 ($typos) must be of type string|int|false|null, float given
fields: ValueError: Postings\Index::search(): Argument #16 ($fields) must name a text field at least, or be null for all; [] given
fields: ValueError: Postings\Index::search(): Argument #16 ($fields) field 'titel': there is none, only 'title', 'body', 'note', 'tag'
fields: ValueError: Postings\Index::search(): Argument #16 ($fields) field 'tag': must be text, to be searched
fields: TypeError: Postings\Index::search(): Argument #16 ($fields) must be names of text fields, int given
maxWords: ValueError: Postings\Index::search(): Argument #18 ($maxWords) must be at least 1, or null for all; 0 given
maxWords: ValueError: Postings\Index::search(): Argument #18 ($maxWords) must be at least 1, or null for all; -1 given
prefix: TypeError: Postings\Index::search(): Argument #15 ($prefix) must be of type bool, array given
synonyms: TypeError: Postings\Index::search(): Argument #19 ($synonyms) must have strings or lists of strings, int given for 'x'
synonyms: TypeError: Postings\Index::search(): Argument #19 ($synonyms) must have strings or lists of strings, null given for 'x'
synonyms: ValueError: Postings\Index::search(): Argument #19 ($synonyms) '' => 'y': both need 1 to 64 words that the analyzer keeps, and no words have more than 64 synonyms
synonyms: ValueError: Postings\Index::search(): Argument #19 ($synonyms) 'x' => '...': both need 1 to 64 words that the analyzer keeps, and no words have more than 64 synonyms
synonyms: ValueError: Postings\Index::search(): Argument #19 ($synonyms) 'x' => 'a65': both need 1 to 64 words that the analyzer keeps, and no words have more than 64 synonyms
synonyms: ValueError: Postings\Index::search(): Argument #19 ($synonyms) must have at most 10000 synonyms in all
