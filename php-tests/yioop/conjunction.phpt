--TEST--
Postings\Yioop\Conjunction, proximity, phrases_occur: results, seeking, wrong arguments
--EXTENSIONS--
postings
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
require __DIR__ . '/doubles.inc';

use Postings\Yioop;
use Postings\Yioop\Conjunction;
use Postings\Yioop\Shard;

const INDEX_NAME = '1';
const GENERATIONS = 2;
const NOT_STORED = 0x7FFFFFFF;

// Two generations of the same ten documents: the even ones have b behind a, the odd ones before it.
function documents(): array
{
    $generations = [];
    for ($g = 0; $g < GENERATIONS; $g++) {
        for ($d = 0; $d < 10; $d++) {
            $words = $d % 2 ? ['b' => [1], 'a' => [2, 60]] : ['a' => [1, 60], 'b' => [2]];
            $words['c'] = [3];
            $generations[$g][] = ['key' => sprintf('u%07dh%07dr%07d', $d, $d, $d), 'is_document' => true, 'words' => $words,
                'summary_offset' => $d, 'rank' => false, 'scores' => $d == 4 ? [0 => 0.5, 20 => 0.25] : [], 'ranks' => []];
        }
    }
    return $generations;
}

site();
$folder = seekquarry\yioop\library\IndexManager::$index->dir_name . '/posting_doc_shards';
$generations = fn(string ...$words) => array_map(fn($g) => [
    Shard::open("$folder/index$g"),
    array_map(fn($word) => array_slice(site()['lists'][$word][$g], 0, 2), $words),
], [0, 1]);
$found = function (Conjunction $query, int $count = 3): string {
    $all = '';
    while ($hits = $query->next($count)) {
        foreach ($hits as $hit) {
            $all .= " {$hit['generation']}:{$hit['summary_offset']}" . str_repeat('-', $hit['passed_over']);
        }
    }
    return $all;
};

$query = Conjunction::of($generations('a', 'b'), [0, 1]);
echo count($query), ':', $found($query), "\n";
echo 'phrase:', $found(Conjunction::of($generations('a', 'b'), [0, 1], [[0 => 1, 1 => 1]])), "\n";
echo 'wildcard:', $found(Conjunction::of($generations('b', 'c', 'a'), [0, 1, 2], [[0 => 1, '*' => '*', 2 => 1]])), "\n";
echo 'two phrases:', $found(Conjunction::of($generations('a', 'b'), [0, 1], [[0 => 1], [1 => 1, 0 => 1]])), "\n";

$query = Conjunction::of($generations('a', 'b'), [0, 1]);
$third = $query->next(5)[4];
ksort($third);
echo json_encode(array_diff_key($third, ['relevance' => 0, 'id' => 0])), "\n";
$query->seek(0, 0);
echo 'seek back:', $query->next(1)[0]['summary_offset'], "\n";
$query->seek(0, $third['doc_index'] + 4 * 3 + 1);
echo 'seek:', $found($query), "\n";
$query = Conjunction::of($generations('a', 'b'), [0, 1]);
$query->seek(1, 12);
echo 'seek:', $found($query), "\n";
$query->seek(7, PHP_INT_MAX);
echo 'behind the end:', $found($query), "\n";

echo 'no generation:', $found(Conjunction::of([], [0, 1])), "\n";
echo 'no words:', $found(Conjunction::of($generations('a'), [])), "\n";

$one = $generations('a');
outcome('list that is not there', fn() => Conjunction::of($one, [0, 1]));
outcome('generation', fn() => Conjunction::of([1], [0]));
outcome('shard', fn() => Conjunction::of([[new stdClass(), []]], [0]));
outcome('range', fn() => Conjunction::of([[$one[0][0], [[1]]]], [0]));
outcome('offsets', fn() => Conjunction::of([[$one[0][0], [[0, 1 << 20]]]], [0]));
outcome('other number of lists', fn() => Conjunction::of([$one[0], [$one[1][0], []]], [0]));
outcome('words', fn() => Conjunction::of($one, ['a']));
outcome('phrase', fn() => Conjunction::of($one, [0], [1]));
outcome('phrase part', fn() => Conjunction::of($one, [0], [[0 => 'x']]));
outcome('phrase length', fn() => Conjunction::of($one, [0], [[0 => 0]]));
outcome('weight', fn() => Conjunction::of($one, [0], [], ['titel' => 4]));
outcome('weight', fn() => Conjunction::of($one, [0], [], ['precision' => 99]));
outcome('count', fn() => Conjunction::of($one, [0])->next(0));
outcome('seek', fn() => Conjunction::of($one, [0])->seek(-1, 0));
outcome('new', fn() => new Conjunction());
outcome('first word', fn() => Conjunction::of($generations('a', 'b'), [1, 0]));
outcome('phrase word', fn() => Conjunction::of($generations('a', 'b'), [0, 1], [[0 => 1, 2 => 1]]));
outcome('phrase number', fn() => Conjunction::of($one, [0], [[0 => 1 << 32]]));
outcome('phrase number', fn() => Conjunction::of($one, [0], [[-1 => 1]]));
foreach (['NAN' => NAN, 'INF' => INF, '-INF' => -INF] as $name => $weight) {
    outcome("weight $name", fn() => Conjunction::of($one, [0], [], ['title' => $weight]));
    outcome("weight $name", fn() => Yioop\proximity([[1]], true, ['link' => $weight]));
}
outcome('weight', fn() => Conjunction::of($one, [0], [], ['title_length' => -1]));
outcome('no generation, more lists than words', fn() => count(Conjunction::of([], [0, 5, 4294967295])));

// A list that begins in the middle of a posting.
$damaged = "$folder/damaged";
file_put_contents($damaged, substr_replace(file_get_contents("$folder/index0"), "\x80\0\0\1", 40, 4));
outcome('damaged list', fn() => Conjunction::of([[Shard::open($damaged), [[0, 4]]]], [0]));

// A damaged document after two good ones, and good ones after that.
$entries = 0;
foreach (Shard::open("$folder/index0")->header() as $name => $value) {
    $entries += in_array($name, ['prefixes_len', 'words_len', 'word_docs_len']) ? $value : 0;
}
$bytes = file_get_contents("$folder/index0");
$third = Conjunction::of([$generations('a')[0]], [0])->next(3)[2]['doc_index'];
// 255 keys, more than the doc map has room for.
file_put_contents($damaged, substr_replace($bytes, "\xff", 40 + $entries + 16 * $third + 7, 1));
$cursor = fn() => Conjunction::of([[Shard::open($damaged), $one[0][1]]], [0]);
$query = $cursor();
$next = fn() => json_encode(array_column($GLOBALS['query']->next(4), 'summary_offset'));
for ($i = 0; $i < 4; $i++) {
    outcome('damaged document', $next);
}
$query = $cursor();
outcome('passed over by seek', $next);
$query->seek(0, $third + 1);
outcome('passed over by seek', $next);

// A run of positions, and a phrase of as many words as would take 10^10 steps.
$run = array_fill(0, 15, [...range(1, 40), 900]);
outcome('phrase in a run', fn() => Yioop\phrases_occur([...$run, [1000]], [array_fill(0, 16, 1)]));
outcome('phrase in a run', fn() => Yioop\phrases_occur([...$run, [16, 1000]], [array_fill(0, 16, 1)]));

outcome('proximity', fn() => Yioop\proximity([[1, 60], [2]], true));
outcome('proximity of the farthest positions', fn() => Yioop\proximity([[0], [4294967295]], false));
outcome('proximity of a link', fn() => Yioop\proximity([[1, 60], [2]], false, ['link' => 3]));
outcome('positions fall', fn() => Yioop\proximity([[2, 1]], true));
outcome('no positions', fn() => Yioop\proximity([1], true));
outcome('phrase', fn() => Yioop\phrases_occur([[1, 60], [2]], [[0 => 1, 1 => 1]]));
outcome('phrase', fn() => Yioop\phrases_occur([[1, 60], [2]], [[1 => 1, 0 => 1]]));
?>
--EXPECT--
20: 0:0 0:1 0:2 0:3 0:4 0:5 0:6 0:7 0:8 0:9 1:0 1:1 1:2 1:3 1:4 1:5 1:6 1:7 1:8 1:9
phrase: 0:0 0:2- 0:4- 0:6- 0:8- 1:0- 1:2- 1:4- 1:6- 1:8-
wildcard: 0:0 0:1 0:2 0:3 0:4 0:5 0:6 0:7 0:8 0:9 1:0 1:1 1:2 1:3 1:4 1:5 1:6 1:7 1:8 1:9
two phrases: 0:1- 0:3- 0:5- 0:7- 0:9- 1:1- 1:3- 1:5- 1:7- 1:9-
{"description_scores":{"0":0.5,"20":0.25},"doc_index":12,"generation":0,"is_link":false,"length":4,"offsets":[16,16],"passed_over":0,"positions":[1,60],"proximity":2,"rank":"8.8860566477","summary_offset":4,"user_ranks":[]}
seek back:5
seek: 0:9 1:0 1:1 1:2 1:3 1:4 1:5 1:6 1:7 1:8 1:9
seek: 1:4 1:5 1:6 1:7 1:8 1:9
behind the end:
no generation:
no words: 0:0 0:1 0:2 0:3 0:4 0:5 0:6 0:7 0:8 0:9 1:0 1:1 1:2 1:3 1:4 1:5 1:6 1:7 1:8 1:9
list that is not there: ValueError: Postings\Yioop\Conjunction::of(): Argument #2 ($words) cannot be used: word 1 is in list 1, but there are 1 lists
generation: TypeError: Postings\Yioop\Conjunction::of(): Argument #1 ($generations) must hold [Shard, list of [first offset, last offset]] as generation 0
shard: TypeError: Postings\Yioop\Conjunction::of(): Argument #1 ($generations) must hold a Postings\Yioop\Shard as generation 0
range: TypeError: Postings\Yioop\Conjunction::of(): Argument #1 ($generations) must hold lists of [first offset, last offset] as generation 0
offsets: ValueError: Postings\Yioop\Conjunction::of(): Argument #1 ($generations) cannot be used: no postings from byte 0 to the word at 1048576: the lists have 120 bytes
other number of lists: ValueError: Postings\Yioop\Conjunction::of(): Argument #1 ($generations) cannot be used: generation 1 has 0 lists, the query 1
words: TypeError: Postings\Yioop\Conjunction::of(): Argument #2 ($words) must contain only int, string given at index 0
phrase: TypeError: Postings\Yioop\Conjunction::of(): Argument #3 ($phrases) must contain only arrays, int given in phrase 0
phrase part: TypeError: Postings\Yioop\Conjunction::of(): Argument #3 ($phrases) must hold word => length, or '*' in phrase 0
phrase length: ValueError: Postings\Yioop\Conjunction::of(): Argument #3 ($phrases) cannot be used: a word of a phrase must take up at least one position
weight: ValueError: Postings\Yioop\Conjunction::of(): Argument #4 ($weights) has no weight 'titel' of that value
weight: ValueError: Postings\Yioop\Conjunction::of(): Argument #4 ($weights) has no weight 'precision' of that value
count: ValueError: Postings\Yioop\Conjunction::next(): Argument #1 ($count) must be from 1 to 65536, 0 given
seek: ValueError: Postings\Yioop\Conjunction::seek(): Argument #1 ($generation) must not be negative
new: Error: Call to private Postings\Yioop\Conjunction::__construct() from global scope
first word: ValueError: Postings\Yioop\Conjunction::of(): Argument #2 ($words) cannot be used: word 0 is in list 1, but the first word's list is list 0
phrase word: ValueError: Postings\Yioop\Conjunction::of(): Argument #3 ($phrases) cannot be used: a phrase names word 2, but there are 2 words
phrase number: TypeError: Postings\Yioop\Conjunction::of(): Argument #3 ($phrases) must hold only numbers from 0 to 4294967295 in phrase 0
phrase number: TypeError: Postings\Yioop\Conjunction::of(): Argument #3 ($phrases) must hold only numbers from 0 to 4294967295 in phrase 0
weight NAN: ValueError: Postings\Yioop\Conjunction::of(): Argument #4 ($weights) has no weight 'title' of that value
weight NAN: ValueError: Postings\Yioop\proximity(): Argument #3 ($weights) has no weight 'link' of that value
weight INF: ValueError: Postings\Yioop\Conjunction::of(): Argument #4 ($weights) has no weight 'title' of that value
weight INF: ValueError: Postings\Yioop\proximity(): Argument #3 ($weights) has no weight 'link' of that value
weight -INF: ValueError: Postings\Yioop\Conjunction::of(): Argument #4 ($weights) has no weight 'title' of that value
weight -INF: ValueError: Postings\Yioop\proximity(): Argument #3 ($weights) has no weight 'link' of that value
weight: ValueError: Postings\Yioop\Conjunction::of(): Argument #4 ($weights) has no weight 'title_length' of that value
no generation, more lists than words: returned 0
damaged list: Postings\CorruptDataException: modified9: word 0 at byte 0: it goes on with a posting, but none has begun
damaged document: returned '[0,1]'
damaged document: Postings\CorruptDataException: shard: document 6 at byte 256: it has 255 keys, but only 384 bytes are left in the doc map
damaged document: returned '[3,4,5,6]'
damaged document: returned '[7,8,9]'
passed over by seek: returned '[0,1]'
passed over by seek: returned '[3,4,5,6]'
phrase in a run: returned false
phrase in a run: returned true
proximity: returned 2.0
proximity of the farthest positions: returned 4.656612873077393E-10
proximity of a link: returned 1.5508474576271187
positions fall: ValueError: Postings\Yioop\proximity(): Argument #1 ($positionLists) must contain ascending positions, list 0 is not
no positions: TypeError: Postings\Yioop\proximity(): Argument #1 ($positionLists) must contain only arrays of positions
phrase: returned true
phrase: returned false
