--TEST--
stubs/postings.stub.php and the extension agree: names, parameters, types, defaults, in both directions
--SKIPIF--
<?php
require __DIR__ . '/child.inc';
skip_without_library();
?>
--INI--
postings.yioop=1
--FILE--
<?php
require __DIR__ . '/reflect.inc';

// The stub declares the same names, so it is read by a PHP without the extension.
$code = 'require ' . var_export(__DIR__ . '/reflect.inc', true) . ';'
    . 'require ' . var_export(dirname(__DIR__) . '/stubs/postings.stub.php', true) . ';'
    . 'echo json_encode(describe(false));';
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
// Every public thing in the stub says what it means.
preg_match_all('/(\*\/\s*)?^[ ]*(?:public )?(?:static )?function (\w+)/m', file_get_contents(dirname(__DIR__) . '/stubs/postings.stub.php'), $matches, PREG_SET_ORDER);
foreach ($matches as [, $comment, $function]) {
    if ($comment === '' && !in_array($function, ['codec', 'next', 'rewind', 'valid', '__construct'], true)) {
        echo "$function has no comment\n";
    }
}
?>
--EXPECT--
bool(true)
