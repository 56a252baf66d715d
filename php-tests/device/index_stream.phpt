--TEST--
A stream on a device: the CPU's results, to the last bit; what a device fails at, the CPU answers
--SKIPIF--
<?php
require __DIR__ . '/../device.inc';
skip_without_device();
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../device.inc';
require __DIR__ . '/../child.inc';

$code = <<<'PHP'
    require $argv[1] . '/index.inc';
    require $argv[1] . '/device.inc';
    use Postings\{Index, IndexWriter};
    $folder = new_folder();
    $writer = IndexWriter::open($folder, ['title' => ['weight' => 3], 'body' => []]);
    for ($i = 0; $i < 3000; $i++) {
        $writer->add($i, ['title' => 'w' . $i % 50, 'body' => implode(' ', array_map(fn ($at) => 'w' . $i * $at % (5 + $at * $at), range(1, 20)))]);
    }
    $writer->commit();
    $index = Index::open($folder);
    $queries = ['', '"w0 w1"', 'w1*'];
    for ($i = 0; $i < 400; $i++) {
        $queries[] = 'w' . $i % 37 . ' w' . $i % 11;
    }
    $plain = fn ($hits) => array_map(fn ($hit) => [$hit->id, $hit->score], iterator_to_array($hits));
    foreach (['all', 'any', 'all-then-any'] as $matching) {
        ini_set('postings.offload', 'never');
        $expected = array_map($plain, $index->searchBatch($queries, matching: $matching));
        use_device();
        $before = Postings\stats();
        $stream = $index->stream(matching: $matching, deadline: null);
        foreach (array_chunk($queries, 50) as $some) {
            $stream->pushAll($some);
        }
        $found = [];
        while (count($stream)) {
            $found += array_map($plain, $stream->take(60_000));
        }
        ksort($found);
        $after = Postings\stats();
        echo "$matching: ", $found === $expected ? 'the same' : 'another result';
        // Whether a device has a second call, after one that failed, is a matter of time.
        $failed = $after['device_failures'] > $before['device_failures'];
        echo $failed ? ', which failed' : ($after['device_calls'] > $before['device_calls'] ? ', by the device' : ''), "\n";
        if ($after['device_failures'] === $before['device_failures'] && $after['cpu_calls'] - $before['cpu_calls'] > 3) {
            echo 'the CPU has answered ', $after['cpu_calls'] - $before['cpu_calls'], "\n";
        }
    }
    unset($stream);
    if (getenv('CHANGED')) {
        // As long as a variable of drivers has another value, no device is used.
        $stream = $index->stream(deadline: null);
        $vendors = getenv('OCL_ICD_VENDORS');
        putenv('OCL_ICD_VENDORS=/nonexistent');
        $before = Postings\stats();
        $stream->push('w1 w2');
        echo count($stream->take(60_000)[0]), ' hits, ', Postings\stats()['device_calls'] - $before['device_calls'], " calls\n";
        putenv('OCL_ICD_VENDORS' . ($vendors === false ? '' : "=$vendors"));
        $stream->push('w1 w2');
        echo count($stream->take(60_000)[1]), ' hits, ', Postings\stats()['device_calls'] - $before['device_calls'], " calls\n";
    }
    PHP;
$script = tempnam(sys_get_temp_dir(), 'postings-stream');
file_put_contents($script, "<?php\n$code");
register_shutdown_function(fn () => unlink($script));
foreach (['', 'open', 'alloc', 'launch', 'read', 'launch:1'] as $fault) {
    echo "-- fault: $fault\n";
    [$status, $output] = child('', ['postings.log_level' => 'warn', 'log_errors' => 1, 'error_log' => '/dev/stderr'], [$script, dirname(__DIR__)], [
        'POSTINGS_DEVICE_FAULT' => $fault,
        'CHANGED' => $fault === '' ? '1' : '',
    ] + ['POSTINGS_DEVICE' => device_selector()]);
    $output = preg_replace('/^(\[[^]]*\] )?postings: .*\n/m', '', $output, -1, $warnings);
    echo $output, $status ? "status $status\n" : '', $warnings > 3 ? "$warnings warnings\n" : '';
}
?>
--EXPECT--
-- fault: 
all: the same, by the device
any: the same, by the device
all-then-any: the same, by the device
10 hits, 0 calls
10 hits, 1 calls
-- fault: open
all: the same, which failed
any: the same, which failed
all-then-any: the same, which failed
-- fault: alloc
all: the same, which failed
any: the same, which failed
all-then-any: the same, which failed
-- fault: launch
all: the same, which failed
any: the same, which failed
all-then-any: the same, which failed
-- fault: read
all: the same, which failed
any: the same, which failed
all-then-any: the same, which failed
-- fault: launch:1
all: the same, which failed
any: the same, by the device
all-then-any: the same, by the device
