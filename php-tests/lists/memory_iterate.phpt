--TEST--
Loops in C over this extension's iterators end with memory_limit's fatal error; they do not go on to where PHP kills the process
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';
require __DIR__ . '/../child.inc';

$folder = new_folder();
$writer = Postings\IndexWriter::open($folder, ['text' => []], positions: false);
$writer->addAll((function () {
    for ($i = 0; $i < 100_000; $i++) {
        yield $i => 'word';
    }
})());
$writer->commit();
// Arrays grow by doubling, sometimes in place. With these limits no step of that leads from below the limit to above twice
// of it, where PHP kills the process whoever fills the array.
$list = '$all = Postings\simple9_decode(str_repeat("\x90\0\0\0", 107_200)); $all = Postings\PostingList::encode($all);';
$hits = '$all = Postings\Index::open(' . var_export($folder, true) . ')->search("word", limit: 1 << 40);';
foreach (['list' => [$list, [9, 16, 17, 28, 32]], 'hits' => [$hits, [9, 13, 16]]] as $what => [$code, $limits]) {
    foreach (['iterator_to_array($all, false)', '$copy = [...$all]', 'foo(...$all)', 'foreach ($all as $one) $copy[] = $one'] as $loop) {
        foreach ($limits as $limit) {
            [$status, $output] = child("function foo() {} register_shutdown_function(function () { echo 'shutdown'; });
                $code ini_set('memory_limit', '{$limit}M'); $loop; echo 'there was room';", ['memory_limit' => '512M']);
            if ($status !== 255 || !preg_match('/Fatal error: Allowed memory size of \d+ bytes exhausted.*shutdown$/s', $output)) {
                echo "$what, $limit MB, $loop: status $status, $output\n";
            }
        }
    }
}
// What fits is whole, also in a script that has handled its fatal error and still holds more than it may.
$code = <<<'PHP'
    ini_set('memory_limit', '200M');
    echo count(iterator_to_array($all)), ' ';
    register_shutdown_function(function () use ($all) {
        $count = 0;
        foreach ($all as $docId) {
            $count++;
        }
        echo $count;
        ini_set('memory_limit', '1G');
        echo ' ', count(iterator_to_array($all)), ' ', count([...$all]);
    });
    $text = str_repeat('x', 300 << 20);
    PHP;
[$status, $output] = child($list . $code, ['memory_limit' => '512M']);
echo preg_replace('/\s*(PHP )?Fatal error: +Allowed memory size of \d+ bytes exhausted.*line \d+\s*(Stack trace:.*\{main\}\s*)?/s', 'memory limit ', $output), "\n";
?>
--EXPECT--
3001600memory limit 3001600 3001600 3001600
