--TEST--
Streams that are full, wrong arguments, damaged files, and what nobody should do with a stream
--INI--
memory_limit=1G
--FILE--
<?php
require __DIR__ . '/../index.inc';

use Postings\{Index, IndexWriter, SearchStream, StreamFullException};

$folder = new_folder();
$index = catalogue($folder);
function refused(string $what, callable $f): void
{
    try {
        $result = var_export($f(), true);
        echo "$what: returned $result\n";
    } catch (Throwable $e) {
        echo "$what: ", get_class($e), ': ', str_replace($GLOBALS['folder'], 'FOLDER', $e->getMessage()), "\n";
    }
}
foreach ([
    ['limit' => -1], ['offset' => -1], ['matching' => 'some'], ['filter' => ['body' => 'x']], ['sort' => ['title' => 'asc']], ['weights' => ['lang' => 1]],
    ['k1' => -1.0], ['b' => 2.0], ['deadline' => -1], ['deadline' => 'soon'], ['capacity' => 0], ['capacity' => 1 << 21], ['capacity' => PHP_INT_MAX],
] as $options) {
    refused(json_encode($options), fn () => $index->stream(...$options));
}
$stream = $index->stream(capacity: 3);
refused('no string', fn () => $stream->pushAll(['fast', 5]));
refused('a query', fn () => $stream->push(7));
refused('wait', fn () => $stream->take(-1));
var_dump(count($stream));
$stream->push('list');
refused('more than it holds', fn () => $stream->pushAll(['fast', 'codec', 'list']));
var_dump(count($stream), array_is_list($stream->pushAll(['fast', 'codec'])));
refused('full', fn () => $stream->push('list'));
var_dump(is_subclass_of(StreamFullException::class, Postings\Exception::class));
while (count($stream)) {
    $stream->take(10_000);
}
refused('room again', fn () => is_int($stream->push('list')));
refused('too long', fn () => $stream->push(str_repeat('word ', 60 << 20)));

refused('new', fn () => new SearchStream());
refused('clone', fn () => clone $stream);
refused('serialize', fn () => serialize($stream));
refused('compared', fn () => [$stream == $stream, $stream == $index->stream()]);
refused('property', fn () => $stream->x = 1);

// A file is truncated while the index is open.
$writer = IndexWriter::open($other = new_folder(), ['body' => []]);
for ($i = 0; $i < 3000; $i++) {
    $writer->add($i, "word other$i");
}
$writer->commit();
$damaged = Index::open($other)->stream(deadline: null);
$damaged->push('word');
var_dump(count($damaged->take(10_000)));
// Searches look at lengths once a millisecond.
usleep(2000);
foreach (glob("$other/*") as $file) {
    ftruncate(fopen($file, 'r+'), 100);
}
$tickets = $damaged->pushAll(['word', 'other7']);
$failed = [];
while (count($damaged)) {
    try {
        var_dump($damaged->take(10_000));
    } catch (Postings\Exception $e) {
        $failed[$e->getCode()] = str_starts_with($e->getMessage(), $other);
    }
}
ksort($failed);
var_dump($tickets, $failed);
?>
--EXPECTF--
{"limit":-1}: ValueError: Postings\Index::stream(): Argument #1 ($limit) must not be negative, -1 given
{"offset":-1}: ValueError: Postings\Index::stream(): Argument #2 ($offset) must not be negative, -1 given
{"matching":"some"}: ValueError: Postings\Index::stream(): Argument #3 ($matching) %s
{"filter":{"body":"x"}}: ValueError: Postings\Index::stream(): Argument #4 ($filter) field 'body': is text; filters need a keyword or numeric field
{"sort":{"title":"asc"}}: ValueError: Postings\Index::stream(): Argument #5 ($sort) field 'title': is text; hits are sorted by numeric and keyword fields, distances, ':score' and ':id'
{"weights":{"lang":1}}: ValueError: Postings\Index::stream(): Argument #6 ($weights) field 'lang': only text has a weight: keywords and numbers are not scored
{"k1":-1}: ValueError: Postings\Index::stream(): Argument #8 ($k1) must be a number from 0 to 1000, -1 given
{"b":2}: ValueError: Postings\Index::stream(): Argument #9 ($b) must be a number from 0 to 1, 2 given
{"deadline":-1}: ValueError: Postings\Index::stream(): Argument #10 ($deadline) must not be negative, -1 given
{"deadline":"soon"}: TypeError: Postings\Index::stream(): Argument #10 ($deadline) must be of type ?int, string given
{"capacity":0}: ValueError: Postings\Index::stream(): Argument #11 ($capacity) must be from 1 to 1048576, 0 given
{"capacity":2097152}: ValueError: Postings\Index::stream(): Argument #11 ($capacity) must be from 1 to 1048576, 2097152 given
{"capacity":9223372036854775807}: ValueError: Postings\Index::stream(): Argument #11 ($capacity) must be from 1 to 1048576, 9223372036854775807 given
no string: TypeError: Postings\SearchStream::pushAll(): Argument #1 ($queries) must contain only string or array, int given at index 1
a query: TypeError: Postings\SearchStream::push(): Argument #1 ($query) must be of type array|string, int given
wait: ValueError: Postings\SearchStream::take(): Argument #1 ($wait) must not be negative, -1 given
int(0)
more than it holds: Postings\StreamFullException: the stream is full: it may hold 3 queries that were not taken; take answers first
int(1)
bool(true)
full: Postings\StreamFullException: the stream is full: it may hold 3 queries that were not taken; take answers first
bool(true)
room again: returned true
too long: Postings\StreamFullException: the stream is full: at most 268435456 bytes of queries can wait; take answers first
new: Error: Call to private Postings\SearchStream::__construct() from global scope
clone: Error: Trying to clone an uncloneable object of class Postings\SearchStream
serialize: Exception: Serialization of 'Postings\SearchStream' is not allowed
compared: returned array (
  0 => true,
  1 => false,
)
property: Error: Cannot create dynamic property Postings\SearchStream::$x
int(1)
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
array(2) {
  [1]=>
  bool(true)
  [2]=>
  bool(true)
}
