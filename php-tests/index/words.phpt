--TEST--
Suggestions, terms, postings, explanations
--FILE--
<?php
require __DIR__ . '/../index.inc';

$index = catalogue();
foreach (['po', 'fast po', 'POST', 'l', '', ' ', 'xyz', "\xff", '"po'] as $text) {
    echo json_encode($text, JSON_INVALID_UTF8_SUBSTITUTE), ' ', json_encode($index->suggest($text)), ' ', json_encode($index->suggest($text, 1)), ' ', json_encode($index->suggest($text, 0)), ' ', json_encode($index->suggest($text, 8, 'title')), "\n";
}
echo json_encode($index->terms()), json_encode($index->terms('s', 'body')), json_encode($index->terms('', 'lang')), json_encode($index->terms('', 'lang', 1)), json_encode($index->terms('', 'lang', 0)), json_encode($index->terms('zz')), "\n";
outcome('keys', fn () => array_keys($index->terms('', 'lang')));
echo json_encode($index->postings('list', 'body')->toArray()), json_encode($index->postings('en', 'lang')->toArray()), json_encode($index->postings('LIST')->toArray()), "\n";
$common = $index->postings('list', 'body')->intersect($index->postings('en', 'lang'));
echo json_encode(array_map($index->id(...), $common)), ' ', ids($index, 'body:list', filter: ['lang' => 'en']), "\n";

$show = function (?array $explanation) {
    array_walk_recursive($explanation, function (&$value) { $value = is_float($value) ? round($value, 4) : $value; });
    echo json_encode($explanation), "\n";
};
$show($index->explain('posting "fast codec" toy~1 comp*', 'codec', 'any'));
$show($index->explain('fast', 'toy'));
$show($index->explain('fast', 'list'));
$show($index->explain('', 'list'));
outcome('unknown', fn () => $index->explain('fast', 'nosuch'));
?>
--EXPECT--
"po" {"posting":4} {"posting":4} [] {"posting":1}
"fast po" {"posting":4} {"posting":4} [] {"posting":1}
"POST" {"posting":4} {"posting":4} [] {"posting":1}
"l" {"lists":3,"list":2,"liste":1} {"lists":3} [] {"liste":1,"lists":1}
"" [] [] [] []
" " [] [] [] []
"xyz" [] [] [] []
"\ufffd" [] [] [] []
"\"po" {"posting":4} {"posting":4} [] {"posting":1}
{"a":2,"as":1,"codec":2,"ein":1,"engin":1,"fast":1,"id":1,"list":2,"post":1,"search":1,"string":1,"toy":1}{"search":1}{"2024":2,"de":3,"en":3}{"2024":2}[][]
keys: returned array (
  0 => 2024,
  1 => 'de',
  2 => 'en',
)
[0,1,2,4][0,1,4][]
["list","codec",7] ["codec",7,"list"]
{"matches":true,"score":9.2077,"parts":[{"clause":"post","field":"body","term":"post","frequency":1,"length":4,"documents":3,"idf":0.6931,"discount":1,"weight":1.5249,"score":0.7802},{"clause":"\"fast codec\"","field":"title","term":"fast codec","frequency":1,"length":3,"documents":1,"idf":2.5701,"discount":1,"weight":16.9624,"score":7.1271},{"clause":"comp*","field":"body","term":"compress","frequency":1,"length":4,"documents":1,"idf":1.5404,"discount":0.75,"weight":2.5417,"score":1.3004}]}
{"matches":true,"score":1.2223,"parts":[{"clause":"fast","field":"body","term":"fast","frequency":1,"length":9,"documents":1,"idf":1.5404,"discount":1,"weight":3.389,"score":1.2223}]}
{"matches":false,"score":0,"parts":[]}
{"matches":true,"score":0,"parts":[]}
unknown: returned NULL
