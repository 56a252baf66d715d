--TEST--
A stream answers queries in the background: each ticket once, with what search() finds
--FILE--
<?php
require __DIR__ . '/../index.inc';

use Postings\{Index, IndexWriter, SearchStream};

$folder = new_folder();
$writer = IndexWriter::open($folder, ['title' => ['weight' => 3, 'stored' => true], 'body' => [], 'tag' => ['keyword' => true], 'year' => ['numeric' => true]]);
mt_srand(1);
for ($i = 0; $i < 2000; $i++) {
    $words = fn (int $count) => implode(' ', array_map(fn () => 'w' . (int) (mt_rand(0, 300) ** 2 / 300), range(1, $count)));
    $writer->add($i % 2 ? $i : "id $i", ['title' => $words(3), 'body' => $words(mt_rand(1, 60)), 'tag' => 't' . $i % 7, 'year' => $i % 30]);
}
$writer->commit();
$index = Index::open($folder);
$plain = fn ($hits) => [$hits->total, $hits->expired, array_map(fn ($hit) => [$hit->id, $hit->score, $hit->docId, $hit->fields], iterator_to_array($hits))];

/** Takes until nothing is left. */
function take_all(SearchStream $stream): array
{
    $all = [];
    while (count($stream)) {
        $some = $stream->take(10_000);
        if (!$some || array_intersect_key($all, $some)) {
            die('nothing in ten seconds, or a ticket twice');
        }
        $all += $some;
    }
    ksort($all);
    return $all;
}

$queries = ['w1', 'w0 w2', '', 'unknown', '"w0 w1"', 'w1* -w0', 'w12~', "\xff w3", 'title:w1 w2', '!?'];
while (count($queries) < 300) {
    $queries[] = 'w' . mt_rand(0, 40) . ' w' . mt_rand(0, 40);
}
foreach ([
    [],
    ['limit' => 3, 'offset' => 5, 'matching' => 'any', 'total' => true],
    ['matching' => Postings\Matching::AllThenAny, 'filter' => ['tag' => ['t1', 't2']], 'weights' => ['title' => 0.5], 'k1' => 0.9, 'b' => 0.4],
    ['sort' => ['year' => 'desc'], 'total' => true],
    ['limit' => 0, 'total' => true],
] as $options) {
    $stream = $index->stream(...$options, deadline: null);
    $tickets = $stream->pushAll($queries);
    $tickets[] = $stream->push('w5');
    $found = take_all($stream);
    foreach ([...$queries, 'w5'] as $i => $query) {
        if ($plain($found[$tickets[$i]]) != $plain($index->search($query, ...$options))) {
            echo json_encode($options), " $query: another result\n";
        }
    }
    var_dump(count($found), array_keys($found) === range(0, 300));
}

echo "-- keys, nothing, and the deadline\n";
$stream = $index->stream();
var_dump($stream->pushAll(['a' => 'w1', 7 => 'w2']), $stream->pushAll([]), count($stream), $stream instanceof Countable);
var_dump(array_keys(take_all($stream)), $stream->take(), $stream->take(600_000), count($stream));
$late = $index->stream(deadline: 0);
$late->pushAll(['w1', 'w2']);
var_dump(array_map($plain, take_all($late)));

echo "-- a commit, and the index gone\n";
$stream = $index->stream();
$stream->push('newword');
$writer->add('new', ['title' => 'newword']);
$writer->optimize();
$stream->push('newword');
$index->reload();
var_dump(array_map('count', take_all($stream)), count($index->search('newword')), count(take_all_of($index->stream(), 'newword')));
function take_all_of(SearchStream $stream, string $query): Postings\Hits
{
    $stream->push($query);
    return take_all($stream)[0];
}
unset($index);
$stream->push('w1');
$hits = take_all($stream)[2];
unset($stream);
var_dump(count($hits), is_string($hits[0]->fields['title']));

echo "-- dropped with queries in flight\n";
$index = Index::open($folder);
for ($i = 0; $i < 5; $i++) {
    $stream = $index->stream(matching: 'any');
    $stream->pushAll(array_fill(0, 20_000, 'w0 w1 w2'));
    unset($stream);
}

echo "-- an event loop\n";
$stream = $index->stream();
$ready = fopen('php://fd/' . $stream->descriptor(), 'r');
$select = function (float $seconds) use ($ready): int {
    [$read, $none] = [[$ready], []];
    return stream_select($read, $none, $none, (int) $seconds, (int) (1e6 * fmod($seconds, 1)));
};
var_dump($select(0));
$stream->push('w1');
var_dump($select(10.0), count($stream->take()), $select(0));

echo "-- in flight at the end\n";
$stream->pushAll(array_fill(0, 20_000, 'w0 w1 w2'));
exit(0);
?>
--EXPECT--
int(301)
bool(true)
int(301)
bool(true)
int(301)
bool(true)
int(301)
bool(true)
int(301)
bool(true)
-- keys, nothing, and the deadline
array(2) {
  ["a"]=>
  int(0)
  [7]=>
  int(1)
}
array(0) {
}
int(2)
bool(true)
array(2) {
  [0]=>
  int(0)
  [1]=>
  int(1)
}
array(0) {
}
array(0) {
}
int(0)
array(2) {
  [0]=>
  array(3) {
    [0]=>
    NULL
    [1]=>
    bool(true)
    [2]=>
    array(0) {
    }
  }
  [1]=>
  array(3) {
    [0]=>
    NULL
    [1]=>
    bool(true)
    [2]=>
    array(0) {
    }
  }
}
-- a commit, and the index gone
array(2) {
  [0]=>
  int(0)
  [1]=>
  int(0)
}
int(1)
int(1)
int(10)
bool(true)
-- dropped with queries in flight
-- an event loop
int(0)
int(1)
int(1)
int(0)
-- in flight at the end
