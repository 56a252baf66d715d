--TEST--
A driver that aborts, crashes, exits or hangs in the trial costs a warning, not the process; later processes know
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
require __DIR__ . '/../fake.inc';
skip_without_library();
skip_without_compiler();
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';
require __DIR__ . '/../fake.inc';

$top = fake_folder();
$fake = build_fake($top);
$code = <<<'CODE'
    $children = 0;
    if (function_exists('pcntl_signal')) {
        pcntl_async_signals(true);
        pcntl_signal(SIGCHLD, function () use (&$children) { $children++; });
    }
    register_shutdown_function(function () { echo "shutdown\n"; });
    ini_set('postings.device', '0:0');
    $list = Postings\PostingList::encode([1, 2, 3]);
    echo count(Postings\devices()), ' devices, ', implode(' ', $list->toArray()), ', ', Postings\stats()['device_failures'], " failures\n";
    echo $children ? "the script was told of a child\n" : '';
    CODE;
function look(string $act, string $folder): void
{
    global $top, $fake, $code;
    [$status, $output] = child($code, ['postings.offload' => 'always'], [], [
        'POSTINGS_OPENCL_LIBRARY' => $fake, 'POSTINGS_OPENCL_SECONDS' => '0.5', 'POSTINGS_CACHE_DIR' => "$top/$folder",
        'FAKE_OPENCL' => $act, 'FAKE_OPENCL_LOG' => "$top/log"]);
    $loads = is_file("$top/log") ? count(file("$top/log")) : 0;
    @unlink("$top/log");
    echo "$act: $status, loaded $loads times\n$output";
}
foreach (['abort:load', 'abort:platforms', 'segv:devices', 'exit:devices', 'hang:platforms'] as $act) {
    look($act, $act);
}
echo "The second process:\n";
look('abort:load', 'abort:load');
echo "With a new library:\n";
rename($fake, "$fake.old");
copy("$fake.old", $fake);
look('abort:load', 'abort:load');
remove_folder($top);
?>
--EXPECT--
abort:load: 0, loaded 1 times
postings: OpenCL is not used: a child process looked for devices, and was killed by SIGABRT
0 devices, 1 2 3, 0 failures
shutdown
abort:platforms: 0, loaded 1 times
postings: OpenCL is not used: a child process looked for devices, and was killed by SIGABRT
0 devices, 1 2 3, 0 failures
shutdown
segv:devices: 0, loaded 1 times
postings: OpenCL is not used: a child process looked for devices, and was killed by SIGSEGV
0 devices, 1 2 3, 0 failures
shutdown
exit:devices: 0, loaded 1 times
postings: OpenCL is not used: a child process looked for devices, and ended with status 3
0 devices, 1 2 3, 0 failures
shutdown
hang:platforms: 0, loaded 1 times
postings: OpenCL is not used: a child process looked for devices, and it took longer than 0.5 s
0 devices, 1 2 3, 0 failures
shutdown
The second process:
abort:load: 0, loaded 0 times
postings: OpenCL is not used: a child process looked for devices, and was killed by SIGABRT (seen by an earlier process)
0 devices, 1 2 3, 0 failures
shutdown
With a new library:
abort:load: 0, loaded 1 times
postings: OpenCL is not used: a child process looked for devices, and was killed by SIGABRT
0 devices, 1 2 3, 0 failures
shutdown
