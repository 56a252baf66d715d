<?php

declare(strict_types=1);

/*
 * What a library's own tests made of a façade: counts by class, and the tests that did not pass, by cause.
 *
 *     php suite.php NAME differences.txt ours.xml [theirs.xml]
 *
 * The files are PHPUnit's --log-junit; the second one is of the library itself. In differences.txt, a line "# …" is a
 * cause, and the lines below it are the beginnings of "Class::test" of those that are not expected to pass. The exit
 * status is 1 if another test does not pass.
 */

/** @return array<string, string> Class::test => passed, failed, skipped */
function outcomes(string $file): array
{
    $outcomes = [];
    $log = is_file($file) && filesize($file) > 0 ? simplexml_load_file($file) : false;
    if ($log === false) {
        echo "  the tests did not run to their end: $file is not whole\n";
        exit(1);
    }
    foreach ($log->xpath('//testcase') as $case) {
        $class = preg_replace('/.*\\\\/', '', (string) $case['class']);
        $outcomes["$class::{$case['name']}"] = match (true) {
            isset($case->failure), isset($case->error) => 'failed',
            isset($case->skipped) => 'skipped',
            default => 'passed',
        };
    }
    return $outcomes;
}

[, $name, $list, $ours] = $argv;
$ours = outcomes($ours);
$theirs = isset($argv[4]) ? outcomes($argv[4]) : [];
$causes = [];
$cause = '';
foreach (file($list, FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES) as $line) {
    if ($line[0] === '#') {
        $cause = substr($line, 2);
    } else {
        $causes[$line] = $cause;
    }
}

$classes = $failures = $passing = [];
foreach ($ours as $test => $outcome) {
    $class = strstr($test, '::', true);
    $classes[$class] ??= ['passed' => 0, 'failed' => 0, 'skipped' => 0, 'theirs' => 0, 'both' => 0];
    $classes[$class][$outcome]++;
    $theirOutcome = $theirs[$test] ?? null;
    $classes[$class]['theirs'] += (int) ($theirOutcome === 'passed');
    $classes[$class]['both'] += (int) ($theirOutcome === 'passed' && $outcome === 'passed');
    $why = null;
    foreach ($causes as $beginning => $cause) {
        $why = str_starts_with($test, $beginning) ? $cause : $why;
    }
    if ($outcome === 'failed') {
        $failures[$why ?? 'NOT EXPECTED'][] = $test;
    } elseif ($outcome === 'passed' && $why !== null) {
        $passing[] = $test;
    }
}
$sum = static fn (string $what) => array_sum(array_column($classes, $what));
foreach ($classes as $class => $counts) {
    printf("  %s: %d passed, %d failed, %d skipped", $class, $counts['passed'], $counts['failed'], $counts['skipped']);
    echo $theirs === [] ? "\n" : "; of the {$counts['theirs']} that $name itself passes, {$counts['both']}\n";
}
ksort($failures);
foreach ($failures as $cause => $tests) {
    printf("  %s: %d\n", $cause, count($tests));
    echo $cause === 'NOT EXPECTED' ? '    ' . implode("\n    ", $tests) . "\n" : '';
}
echo $passing === [] ? '' : '  now passes: ' . implode(', ', $passing) . "\n";
printf("%s's own tests: %d passed, %d failed, %d skipped", $name, $sum('passed'), $sum('failed'), $sum('skipped'));
if ($sum('theirs') > 0) {
    [$theirs, $both] = [$sum('theirs'), $sum('both')];
    printf('; of the %d that %s itself passes here, %d (%.1f %%)', $theirs, $name, $both, 100 * $both / $theirs);
}
echo "\n";
exit(isset($failures['NOT EXPECTED']) || $ours === [] ? 1 : 0);
