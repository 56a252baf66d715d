--TEST--
Filters, facets, sorting, weights, totals, offsets
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\Matching;

$index = catalogue();
$filters = [
    ['lang' => 'en'], ['lang' => ['en', 'de']], ['lang' => []], ['lang' => 'xx'], ['lang' => 2024], ['lang' => '2024'],
    ['price' => 10], ['price' => [10, null]], ['price' => [null, 10]], ['price' => [null, null]], ['price' => [30, 10]], ['price' => [-5, 20.5]],
    ['price' => [-INF, INF]], ['price' => [10, 20], 'lang' => 'en'], ['lang' => 'en', 'price' => [20, null]],
];
foreach ($filters as $filter) {
    $hits = $index->search('', filter: $filter, total: true);
    echo json_encode($filter, JSON_PARTIAL_OUTPUT_ON_ERROR), ' ', json_encode($hits->ids()), ' ', $hits->total, ' ', $index->count('', filter: $filter), ' list: ', ids($index, 'list', filter: $filter), "\n";
}
foreach ([[], ['price' => 'asc'], ['price' => 'desc'], ['price' => 'DESC']] as $sort) {
    echo json_encode($sort), ' ', ids($index, '', sort: $sort), ' ', ids($index, 'list', sort: $sort), "\n";
}
// Sorted hits have their scores, too.
$scores = fn ($hits) => array_map(fn ($hit) => round($hit->score, 9), array_combine($hits->ids(), iterator_to_array($hits)));
$ranked = $scores($index->search('list'));
$sorted = $scores($index->search('list', sort: ['price' => 'asc']));
ksort($ranked);
ksort($sorted);
outcome('scores of sorted hits', fn () => $ranked === $sorted);
echo json_encode($index->facets('lang')), json_encode($index->facets('lang', 'list')), json_encode($index->facets('lang', limit: 1)), json_encode($index->facets('lang', limit: 0)), json_encode($index->facets('lang', 'nothing')), json_encode($index->facets('lang', filter: ['price' => [0, null]])), json_encode($index->facets('lang', 'fast nothing', Matching::Any)), "\n";
outcome('keys of facets', fn () => array_keys($index->facets('lang')));

echo 'weights ', ids($index, 'fast'), ids($index, 'fast', weights: ['title' => 0]), ids($index, 'fast', weights: ['title' => 0, 'body' => 0]), ids($index, 'codec', weights: ['title' => 0]), "\n";
$score = fn (...$options) => $index->search('codec', ...$options)[0]->score;
outcome('weights multiply', fn () => [abs($score(weights: ['title' => 6]) / $score() - 2) < 1e-6, $score(k1: 0.0) !== $score(), $score(b: 0.0) !== $score()]);
foreach ([[10, 0], [2, 0], [2, 1], [2, 5], [0, 0], [PHP_INT_MAX, 0], [PHP_INT_MAX, PHP_INT_MAX]] as [$limit, $offset]) {
    $hits = $index->search('', limit: $limit, offset: $offset, total: true);
    echo "limit $limit offset $offset: ", json_encode($hits->ids()), ' of ', $hits->total, "\n";
}
foreach (['all', 'any', 'all-then-any', 'ALL', 'AllThenAny', ...Matching::cases()] as $matching) {
    echo is_string($matching) ? $matching : $matching->name, ': ', ids($index, 'fast codec toy', matching: $matching), ' ', ids($index, 'fast codec', matching: $matching, limit: 1), "\n";
}
?>
--EXPECT--
{"lang":"en"} ["list","codec",7] 3 3 list: ["list","codec",7]
{"lang":["en","de"]} ["list","codec","toy","liste",7] 5 5 list: ["list","liste","codec",7,"toy"]
{"lang":[]} [] 0 0 list: []
{"lang":"xx"} [] 0 0 list: []
{"lang":2024} [7,"7"] 2 2 list: [7]
{"lang":"2024"} [7,"7"] 2 2 list: [7]
{"price":10} ["list"] 1 1 list: ["list"]
{"price":[10,null]} ["list","codec",7] 3 3 list: ["list","codec",7]
{"price":[null,10]} ["list","toy"] 2 2 list: ["list","toy"]
{"price":[null,null]} ["list","codec","toy",7] 4 4 list: ["list","codec",7,"toy"]
{"price":[30,10]} [] 0 0 list: []
{"price":[-5,20.5]} ["list","codec","toy"] 3 3 list: ["list","codec","toy"]
{"price":[0,0]} ["list","codec","toy",7] 4 4 list: ["list","codec",7,"toy"]
{"price":[10,20],"lang":"en"} ["list"] 1 1 list: ["list"]
{"lang":"en","price":[20,null]} ["codec",7] 2 2 list: ["codec",7]
[] ["list","codec","toy","liste",7,"7"] ["list","liste","codec",7,"toy"]
{"price":"asc"} ["toy","list","codec",7,"liste","7"] ["toy","list","codec",7,"liste"]
{"price":"desc"} [7,"codec","list","toy","liste","7"] [7,"codec","list","toy","liste"]
{"price":"DESC"} [7,"codec","list","toy","liste","7"] [7,"codec","list","toy","liste"]
scores of sorted hits: returned true
{"de":3,"en":3,"2024":2}{"de":3,"en":3,"2024":1}{"de":3}[][]{"en":3,"2024":1,"de":1}{"de":2,"en":1}
keys of facets: returned array (
  0 => 'de',
  1 => 'en',
  2 => 2024,
)
weights ["codec","toy"]["toy"][][]
weights multiply: returned array (
  0 => true,
  1 => true,
  2 => true,
)
limit 10 offset 0: ["list","codec","toy","liste",7,"7"] of 6
limit 2 offset 0: ["list","codec"] of 6
limit 2 offset 1: ["codec","toy"] of 6
limit 2 offset 5: ["7"] of 6
limit 0 offset 0: [] of 6
limit 9223372036854775807 offset 0: ["list","codec","toy","liste",7,"7"] of 6
limit 9223372036854775807 offset 9223372036854775807: [] of 6
all: ["toy"] ["codec"]
any: ["toy","codec"] ["codec"]
all-then-any: ["toy","codec"] ["codec"]
ALL: ["toy"] ["codec"]
AllThenAny: ["toy","codec"] ["codec"]
All: ["toy"] ["codec"]
Any: ["toy","codec"] ["codec"]
AllThenAny: ["toy","codec"] ["codec"]
