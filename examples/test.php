<?php

/**
 * Runs each example in this folder and compares its output with the comment `Prints:` at its end, checks that the PHP
 * programs in README.md are copies of these examples, and then runs the tests of search-as-you-type and of the demo.
 *
 *     php -n examples/test.php path/to/postings.so
 */

declare(strict_types=1);

$extension = realpath($argv[1] ?? '');
if ($extension === false) {
    fwrite(STDERR, "php -n examples/test.php path/to/postings.so\n");
    exit(2);
}
$passed = $failed = $skipped = 0;
$check = static function (string $what, bool $good, string $otherwise = '') use (&$passed, &$failed): void {
    $good ? ++$passed : ++$failed;
    echo $good ? 'ok      ' : 'FAILED  ', $what, "\n", $good ? '' : $otherwise;
};
/** @return array{string, int} the program's output on both streams, and its exit status */
$run = static function (string $program) use ($extension): array {
    exec(sprintf('%s -n -d extension=%s -d display_errors=stdout %s 2>&1', escapeshellarg(PHP_BINARY), escapeshellarg($extension), escapeshellarg($program)), $lines, $status);
    return [implode("\n", $lines) . "\n", $status];
};

$programs = [];
foreach (glob(__DIR__ . '/*.php') as $path) {
    if ($path === __FILE__) {
        continue;
    }
    $name = 'examples/' . basename($path);
    if (!preg_match('~^(.*?)\n/\* Prints:\n(.*)\*/\n$~Ds', file_get_contents($path), $parts)) {
        $check($name, false, "It does not end with a comment `Prints:`.\n");
        continue;
    }
    $programs[$parts[1]] = $name;
    [$printed, $status] = $run($path);
    if (str_starts_with($printed, 'SKIPPED: ')) {
        echo "$name: $printed";
        ++$skipped;
        continue;
    }
    // exec() drops spaces at the ends of lines.
    $expected = preg_replace('/[ \t]+$/m', '', $parts[2]);
    $check($name, $printed === $expected && $status === 0, "status $status, printed:\n$printed");
}

preg_match_all('/^```php\n(<\?php\n.*?)^```$/ms', (string) file_get_contents(__DIR__ . '/../README.md'), $blocks);
$check('README.md contains a program', $blocks[1] !== []);
foreach ($blocks[1] as $number => $block) {
    $check('README.md, program ' . $number + 1 . ': ' . ($programs[$block] ?? 'unknown'), isset($programs[$block]), "It is not a copy of an example.\n");
}
echo "examples: $passed passed, $failed failed, $skipped skipped\n";

passthru(sprintf('%s -n %s %s', escapeshellarg(PHP_BINARY), escapeshellarg(__DIR__ . '/search-as-you-type/test.php'), escapeshellarg($extension)), $browserStatus);
[$printed, $status] = $run(__DIR__ . '/demo/self-test.php');
echo $printed;
exit($failed === 0 && $status === 0 && $browserStatus === 0 ? 0 : 1);
