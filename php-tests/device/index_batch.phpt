--TEST--
A batch on a device becomes PHP's while threads work: the CPU's results under the same keys, and memory_limit ends the script as usual
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
require __DIR__ . '/../child.inc';
skip_without_library();
skip_without_device();
?>
--FILE--
<?php
require __DIR__ . '/../device.inc';
require __DIR__ . '/../child.inc';
require __DIR__ . '/../index.inc';
use Postings\IndexWriter;

$writer = IndexWriter::open($folder = new_folder(), ['text' => []]);
$writer->addAll((function () {
    for ($i = 0; $i < 3000; $i++) {
        yield "d$i" => ['text' => implode(' ', array_map(fn ($word) => 'w' . $i * $word % (2 + $word), range(1, 40)))];
    }
})());
$writer->commit();
$start = '$index = Postings\Index::open(' . var_export($folder, true) . ');';
$always = ['postings.device' => '"' . device_selector() . '"', 'postings.offload' => 'always'];

// Words, one word, phrases, what devices leave to the CPU, and what nothing has.
$code = $start . <<<'PHP'
    for ($i = 0; $i < 2000; $i++) {
        $queries["q$i"] = ['w' . $i % 41 . ' w' . $i % 13, 'w' . $i % 7, '"w1 w' . $i % 5 . '"', '+w' . $i % 5 . ' w' . $i % 11, 'nothing', 'w1 -w' . $i % 9][$i % 6];
    }
    $search = function ($matching, $deadline = null) use ($index, $queries) {
        foreach ($index->searchBatch($queries, matching: $matching, limit: 5, total: true, deadline: $deadline) as $key => $hits) {
            $found[] = [$key, $hits->total, $hits->expired, array_map(fn ($hit) => [$hit->id, $hit->score], iterator_to_array($hits))];
        }
        return $found;
    };
    foreach (['all', 'any', 'all-then-any'] as $matching) {
        $found = $search($matching);
        ini_set('postings.offload', 'never');
        echo $found === $search($matching) && array_column($found, 0) === array_keys($queries) ? 'right ' : 'wrong ';
        ini_set('postings.offload', 'always');
    }
    $late = $search('all', 0);
    echo array_filter(array_column($late, 2)) === array_fill(0, 2000, true) ? 'late ' : 'not late ';
    echo Postings\stats()['device_failures'], " failures\n";
    PHP;
foreach ([1, 2, 3, 16] as $threads) {
    [$status, $output] = child($code, ['postings.threads' => $threads] + $always);
    echo "$threads threads: $status $output";
}

// Once the script is over, the device is free for another search.
$code = $start . <<<'PHP'
    $queries = array_fill(0, 60000, 'w1 w2');
    ini_set('memory_limit', '7M');
    register_shutdown_function(function () use ($index) {
        ini_set('memory_limit', '64M');
        echo count($index->searchBatch(['w1 w2'], limit: 3)[0]), " hits\n";
    });
    $index->searchBatch($queries, limit: 3);
    echo 'there was room';
    PHP;
foreach ([1, 2, 16] as $threads) {
    [$status, $output] = child($code, ['postings.threads' => $threads, 'memory_limit' => '16M'] + $always);
    $output = preg_replace('/\s*(PHP )?Fatal error: +Allowed memory size of \d+ bytes exhausted.*line \d+\s*(Stack trace:.*\{main\}\s*)?/s', 'memory limit, ', $output);
    echo "$threads threads: $status $output";
}
?>
--EXPECT--
1 threads: 0 right right right late 0 failures
2 threads: 0 right right right late 0 failures
3 threads: 0 right right right late 0 failures
16 threads: 0 right right right late 0 failures
1 threads: 255 memory limit, 3 hits
2 threads: 255 memory limit, 3 hits
16 threads: 255 memory limit, 3 hits
