--TEST--
warm(): what it sends is there when it is searched for; arrays, generators, wrong arguments; without a device, in a child
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
if (!function_exists('pcntl_fork')) {
    die('skip this PHP has no pcntl');
}
skip_without_device();
?>
--INI--
postings.log_level=off
--FILE--
<?php
require __DIR__ . '/../device.inc';
require __DIR__ . '/../index.inc';
use Postings\{Hits, Index, IndexWriter};

mt_srand(6);
$words = fn (int $n) => implode(' ', array_map(fn () => 'w' . (int) (500 ** (mt_rand() / mt_getrandmax()) - 1), range(1, $n)));
$writer = IndexWriter::open($folder = new_folder(), ['title' => ['weight' => 2], 'body' => []], threads: 1);
for ($i = 0; $i < 2000; $i++) {
    $writer->add($i, ['title' => 't' . $i % 10, 'body' => $words(mt_rand(1, 60))]);
    if ($i === 999) {
        $writer->commit();
    }
}
$writer->commit();
$index = Index::open($folder);
$plain = fn (Hits $hits) => array_map(fn ($hit) => [$hit->id, $hit->score, $hit->docId], iterator_to_array($hits));
$cache = fn () => array_filter(Postings\stats(), fn ($name) => str_starts_with($name, 'cache_'), ARRAY_FILTER_USE_KEY);

// Nothing without a device.
ini_set('postings.device', 'none');
var_dump($index->warm(['w1']));
use_device();
ini_set('postings.offload', 'never');
var_dump($index->warm(['w1']), $cache()['cache_bytes']);

// A list in each of two segments; 't1' is a word of the title, 'w1' of the body.
use_device();
$warm = function (...$arguments) use ($index, $cache) {
    $before = Postings\stats();
    $lists = $index->warm(...$arguments);
    $after = Postings\stats();
    return sprintf('%d lists, %d new, %d device, %d failures', $lists, $after['cache_misses'] - $before['cache_misses'],
        $after['device_calls'] - $before['device_calls'], $after['device_failures'] - $before['device_failures']);
};
echo 'one word and a table: ', $warm(['w1']), "\n";
echo 'again: ', $warm(['w1']), "\n";
echo 'title: ', $warm(['title:t1', 't1 -w1']), "\n";
echo 'none: ', $warm([]), "\n";
// Lists of the phrase and of 'w2', and the positions of both words; 't2' of the title resembles 'w2', too.
echo 'phrase, prefix, fuzzy word: ', $warm(['"w1 w2"', 'w2*', 'w2~', '', '!?', 'nothing']), "\n";
echo 'no match: ', $warm(['w2 nothing']), "\n";
echo 'any: ', $warm(['w2 nothing'], 'any'), "\n";
echo 'not searched: ', $warm(['w3'], weights: ['body' => 0]), "\n";
echo 'other parameters, another table: ', $warm(['w1'], k1: 2, b: 0.5), "\n";

// After a commit the lists of old segments are still there.
$writer->add('new', ['body' => 'w1']);
$writer->commit();
$index->reload();
echo 'reloaded: ', $warm(['w1']), "\n";

// A log of many queries from a generator; then all lists are there.
$log = array_map(fn () => $words(mt_rand(1, 4)), range(1, 5000));
$generate = function () use ($log) {
    yield from $log;
};
$lists = $index->warm($generate());
var_dump($lists > 500, $index->warm(new ArrayIterator($log)) === $lists);
foreach (['all', 'any', 'all-then-any'] as $matching) {
    $before = $cache();
    compare($matching, fn () => array_map($plain, $index->searchBatch($log, matching: $matching)));
    $after = $cache();
    var_dump($after['cache_misses'] - $before['cache_misses'], $after['cache_hits'] > $before['cache_hits'], $after['cache_bytes'] === $before['cache_bytes']);
}

// Wrong arguments.
outcome('int', fn () => $index->warm(3));
outcome('element', fn () => $index->warm(['a', 7]));
outcome('element of a generator', fn () => $index->warm((fn () => yield from ['a', 'b', null])()));
outcome('generator that throws', fn () => $index->warm((function () { yield 'a'; throw new LogicException('ends here'); })()));
outcome('matching', fn () => $index->warm(['a'], 'some'));
outcome('weights', fn () => $index->warm(['a'], weights: ['nowhere' => 1]));
outcome('k1', fn () => $index->warm(['a'], k1: -1));
outcome('b', fn () => $index->warm(['a'], b: 2));

// In a child everything is done by the CPU.
$pid = pcntl_fork();
if ($pid === 0) {
    pcntl_alarm(60);
    ini_set('postings.offload', 'never');
    $right = array_map($plain, $index->searchBatch($log));
    use_device();
    echo 'child: ', $warm(['w1']), ', ', array_map($plain, $index->searchBatch($log)) === $right ? 'right' : 'wrong', "\n";
    exit(0);
}
pcntl_waitpid($pid, $status);
var_dump($status);
echo 'parent: ', $warm(['w1']), "\n";

?>
--EXPECT--
int(0)
int(0)
int(0)
one word and a table: 2 lists, 3 new, 1 device, 0 failures
again: 2 lists, 0 new, 1 device, 0 failures
title: 4 lists, 3 new, 1 device, 0 failures
none: 0 lists, 0 new, 0 device, 0 failures
phrase, prefix, fuzzy word: 10 lists, 14 new, 1 device, 0 failures
no match: 0 lists, 0 new, 0 device, 0 failures
any: 2 lists, 0 new, 1 device, 0 failures
not searched: 0 lists, 0 new, 0 device, 0 failures
other parameters, another table: 2 lists, 1 new, 1 device, 0 failures
reloaded: 3 lists, 2 new, 1 device, 0 failures
bool(true)
bool(true)
int(0)
bool(true)
bool(true)
int(0)
bool(true)
bool(true)
int(0)
bool(true)
bool(true)
int: TypeError: Postings\Index::warm(): Argument #1 ($queries) must be of type Traversable|array, int given
element: TypeError: Postings\Index::warm(): Argument #1 ($queries) must contain only string, int given at index 1
element of a generator: TypeError: Postings\Index::warm(): Argument #1 ($queries) must contain only string, null given at index 2
generator that throws: LogicException: ends here
matching: ValueError: Postings\Index::warm(): Argument #2 ($matching) must be 'all', 'any' or 'all-then-any', 'some' given
weights: ValueError: Postings\Index::warm(): Argument #3 ($weights) field 'nowhere': there is none, only 'title', 'body'
k1: ValueError: Postings\Index::warm(): Argument #4 ($k1) must be a number from 0 to 1000, -1 given
b: ValueError: Postings\Index::warm(): Argument #5 ($b) must be a number from 0 to 1, 2 given
child: 0 lists, 0 new, 0 device, 1 failures, right
int(0)
parent: 3 lists, 0 new, 1 device, 0 failures
