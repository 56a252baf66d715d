--TEST--
No OpenCL is needed to load the library, or to get the same results
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
if (!preg_match('/readelf/', (string) shell_exec('readelf --version 2>&1'))) {
    die('skip there is no readelf');
}
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';
require __DIR__ . '/../helpers.inc';

$dynamic = (string) shell_exec('readelf -d ' . escapeshellarg(getenv('POSTINGS_LIBRARY')));
var_dump(str_contains($dynamic, 'NEEDED'), stripos($dynamic, 'opencl'));

$code = 'require ' . var_export(__DIR__ . '/../helpers.inc', true) . ';
    $hash = hash_init("sha256");
    foreach (both_paths() as $docIds) {
        $lists[] = $list = Postings\PostingList::encode($docIds);
        hash_update($hash, serialize([$list->toArray(), Postings\intersect($list, $lists[0]), $list]));
    }
    echo hash_final($hash);';
$results = [];
foreach ([['postings.device' => 'none'], ['postings.device' => 'none', 'postings.offload' => 'always'], ['postings.offload' => 'never'], []] as $ini) {
    $results[] = child($code, $ini);
}
// No loader, and a loader that finds no driver at all.
foreach (['POSTINGS_OPENCL_LIBRARY', 'OCL_ICD_VENDORS'] as $variable) {
    $results[] = child($code, [], [], [$variable => '/nonexistent']);
    $results[] = child($code, ['postings.offload' => 'always'], [], [$variable => '/nonexistent']);
}
var_dump(count(array_unique($results, SORT_REGULAR)), $results[0][0], strlen($results[0][1]));
?>
--EXPECT--
bool(true)
bool(false)
int(1)
int(0)
int(64)
