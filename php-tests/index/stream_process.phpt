--TEST--
Streams, forks and signals: only the parent uses a stream, nothing hangs, and a signal ends the wait
--SKIPIF--
<?php
if (!function_exists('pcntl_fork')) {
    die('skip no pcntl');
}
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';

use Postings\{Index, IndexWriter};

$folder = new_folder();
$writer = IndexWriter::open($folder, ['body' => []]);
for ($i = 0; $i < 5000; $i++) {
    $writer->add($i, implode(' ', array_map(fn ($at) => 'w' . $i * $at % (5 + $at), range(1, 60))));
}
$writer->commit();
$index = Index::open($folder);
$expected = $index->search('w1 w2', matching: 'any')->ids();

$stream = $index->stream(matching: 'any', deadline: null, capacity: 1_000_000);
for ($round = 0; $round < 10; $round++) {
    // Threads are at work, and open what they use for the first time, when the process forks.
    $stream->pushAll(array_fill(0, 3000, 'w1 w2'));
    $child = pcntl_fork();
    if ($child === 0) {
        pcntl_alarm(60); // a child that hangs is killed
        $messages = [];
        foreach ([fn () => $stream->push('w1'), fn () => $stream->pushAll(['w1']), fn () => $stream->take(), fn () => $stream->take(1000)] as $call) {
            try {
                $call();
            } catch (Postings\IndexException $e) {
                $messages[] = str_replace($folder, 'FOLDER', $e->getMessage());
            }
        }
        // What the threads of the parent used is whole, and the child's own stream has threads.
        $own = $index->stream(matching: 'any', deadline: null);
        $own->push('w1 w2');
        $same = $own->take(30_000)[0]->ids() === $expected && $index->search('w1 w2', matching: 'any')->ids() === $expected;
        if ($round % 3 === 0) {
            unset($stream);
        }
        if ($round === 9) {
            echo implode("\n", $messages), "\n";
        }
        exit($same && count($messages) === 4 ? 0 : 1);
    }
    pcntl_waitpid($child, $status);
    if ($status !== 0) {
        echo "round $round: the child ended with status $status\n";
    }
    // Other programs are started, too.
    if (trim((string) shell_exec('echo done')) !== 'done') {
        echo "no program\n";
    }
}
$count = 0;
while (count($stream)) {
    foreach ($stream->take(30_000) as $hits) {
        $count += $hits->ids() === $expected;
    }
}
var_dump($count);

// A signal ends the wait: its handler runs, and nothing has been answered.
pcntl_async_signals(true);
$handled = 0;
pcntl_signal(SIGALRM, function () use (&$handled) {
    $handled++;
});
// Some seconds of work for a thread: a text of 60 MB is read.
$slow = $index->stream(matching: 'any', deadline: null);
$slow->push(str_repeat('w1 w2 w3x ', 6_000_000));
pcntl_alarm(1);
var_dump($slow->take(3_600_000), $handled, count($slow));
?>
--EXPECT--
FOLDER: the stream belongs to the process that this one was forked from: make another
FOLDER: the stream belongs to the process that this one was forked from: make another
FOLDER: the stream belongs to the process that this one was forked from: make another
FOLDER: the stream belongs to the process that this one was forked from: make another
int(30000)
array(0) {
}
int(1)
int(1)
