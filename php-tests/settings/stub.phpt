--TEST--
stubs and the extension agree: names, parameters, types, defaults, in both directions
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--INI--
postings.yioop=1
--FILE--
<?php
require __DIR__ . '/../reflect.inc';

// The stubs declare the same names, so they are read by a PHP without the extension.
$stubs = glob(dirname(__DIR__, 2) . '/stubs/*.stub.php');
var_dump(array_map('basename', $stubs));
$code = '';
foreach ([__DIR__ . '/../reflect.inc', ...$stubs] as $file) {
    $code .= 'require ' . var_export($file, true) . ';';
}
$code .= 'echo json_encode(describe(false));';
$process = proc_open([PHP_BINARY, '-n', '-r', $code], [1 => ['pipe', 'w']], $pipes);
$stub = json_decode(stream_get_contents($pipes[1]), true);
proc_close($process);
$extension = json_decode(json_encode(describe(true)), true);
var_dump(count($stub) > 25);
foreach ($stub + $extension as $name => $_) {
    if (($stub[$name] ?? 'missing') !== ($extension[$name] ?? 'missing')) {
        echo "$name\n  stub:      ", json_encode($stub[$name] ?? 'missing'), "\n  extension: ", json_encode($extension[$name] ?? 'missing'), "\n";
    }
}
// Every public thing in the stubs says what it means.
preg_match_all('/(\*\/\s*)?^[ ]*(?:public )?(?:static )?function (\w+)/m', implode("\n", array_map('file_get_contents', $stubs)), $matches, PREG_SET_ORDER);
foreach ($matches as [, $comment, $function]) {
    if ($comment === '' && !in_array($function, ['codec', 'next', 'rewind', 'valid', '__construct'], true)) {
        echo "$function has no comment\n";
    }
}
?>
--EXPECT--
array(8) {
  [0]=>
  string(15) "filter.stub.php"
  [1]=>
  string(13) "hits.stub.php"
  [2]=>
  string(14) "index.stub.php"
  [3]=>
  string(17) "postings.stub.php"
  [4]=>
  string(15) "shards.stub.php"
  [5]=>
  string(15) "stream.stub.php"
  [6]=>
  string(15) "writer.stub.php"
  [7]=>
  string(14) "yioop.stub.php"
}
bool(true)
