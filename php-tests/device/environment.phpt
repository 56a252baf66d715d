--TEST--
putenv does not choose the library that is loaded or where files are written; drivers' variables that changed turn devices off
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
mkdir("$top/site");
file_put_contents("$top/fake.icd", $fake);

// What a script could do, held in a folder; it works all the same.
$work = <<<'CODE'
    echo ini_get('open_basedir') === '' ? "free\n" : '';
    $list = Postings\PostingList::encode(range(0, 30000, 3));
    echo count(Postings\devices()), ' devices, ';
    echo $list->toArray() === range(0, 30000, 3) && Postings\intersect_count($list, $list) === 10001 ? 'right' : 'wrong', ', ';
    echo Postings\stats()['device_calls'], " on a device\n";
    CODE;
function attack(string $top, array $variables, string $work): void
{
    $code = '';
    foreach ($variables as $name => $value) {
        $code .= 'putenv(' . var_export("$name=$value", true) . ');';
    }
    [$status, $output] = child($code . $work, [
        'open_basedir' => "$top/site",
        'postings.offload' => 'always',
        'postings.device' => 'Portable Computing Language',
    ], [], ['FAKE_OPENCL_LOG' => "$top/log", 'POSTINGS_CACHE_DIR' => "$top/cache"]);
    // Whether a device did it depends on the machine.
    $output = preg_replace(['/^\d+ devices/m', '/\d+ on a device/', '/postings: (no OpenCL device matches|OpenCL is not used:) .*\n/'], ['devices', 'done', ''], $output);
    echo implode(' ', array_keys($variables)), ": $status, ", trim($output), "\n";
    echo file_exists("$top/log") ? "  the library was loaded\n" : '';
    foreach (glob("$top/{outside,.cache}*", GLOB_BRACE) as $made) {
        echo '  made: ', basename($made), "\n";
    }
}
// Ours: they were read when PHP started.
attack($top, ['POSTINGS_OPENCL_LIBRARY' => $fake], $work);
attack($top, ['POSTINGS_CACHE_DIR' => "$top/outside", 'POSTINGS_DEVICE_ARENA' => '1', 'POSTINGS_DEVICE_FAULT' => 'launch', 'POSTINGS_CPU' => 'scalar'], $work);
// Loaders' and drivers'.
foreach ([
    ['OCL_ICD_VENDORS' => $top],
    ['OCL_ICD_FILENAMES' => $fake],
    ['OPENCL_VENDOR_PATH' => $top],
    ['OPENCL_LAYERS' => $fake],
    ['LD_LIBRARY_PATH' => $top],
    ['POCL_CACHE_DIR' => "$top/outside"],
    ['XDG_CACHE_HOME' => "$top/outside"],
    ['HOME' => "$top/outside"],
] as $variables) {
    attack($top, $variables, $work);
}
// What other programs set is let alone.
attack($top, ['APP_ENV' => 'test', 'TZ' => 'UTC'], $work);
remove_folder($top);
?>
--EXPECT--
POSTINGS_OPENCL_LIBRARY: 0, devices, right, done
POSTINGS_CACHE_DIR POSTINGS_DEVICE_ARENA POSTINGS_DEVICE_FAULT POSTINGS_CPU: 0, devices, right, done
OCL_ICD_VENDORS: 0, postings: device: the environment variable OCL_ICD_VENDORS changed after the process began, and OpenCL drivers obey it; no devices are looked for
devices, right, done
OCL_ICD_FILENAMES: 0, postings: device: the environment variable OCL_ICD_FILENAMES changed after the process began, and OpenCL drivers obey it; no devices are looked for
devices, right, done
OPENCL_VENDOR_PATH: 0, postings: device: the environment variable OPENCL_VENDOR_PATH changed after the process began, and OpenCL drivers obey it; no devices are looked for
devices, right, done
OPENCL_LAYERS: 0, postings: device: the environment variable OPENCL_LAYERS changed after the process began, and OpenCL drivers obey it; no devices are looked for
devices, right, done
LD_LIBRARY_PATH: 0, postings: device: the environment variable LD_LIBRARY_PATH changed after the process began, and OpenCL drivers obey it; no devices are looked for
devices, right, done
POCL_CACHE_DIR: 0, postings: device: the environment variable POCL_CACHE_DIR changed after the process began, and OpenCL drivers obey it; no devices are looked for
devices, right, done
XDG_CACHE_HOME: 0, postings: device: the environment variable XDG_CACHE_HOME changed after the process began, and OpenCL drivers obey it; no devices are looked for
devices, right, done
HOME: 0, postings: device: the environment variable HOME changed after the process began, and OpenCL drivers obey it; no devices are looked for
devices, right, done
APP_ENV TZ: 0, devices, right, done
