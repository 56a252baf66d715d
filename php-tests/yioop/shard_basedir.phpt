--TEST--
Postings\Yioop\Shard::open keeps to open_basedir
--EXTENSIONS--
postings
--FILE--
<?php
require __DIR__ . '/../helpers.inc';

use Postings\Yioop\Shard;

$folder = sys_get_temp_dir() . '/postings-basedir-' . getmypid();
mkdir("$folder/inside", 0700, true);
$empty = str_repeat("\0", 40);
file_put_contents("$folder/inside/shard", $empty);
file_put_contents("$folder/outside", $empty);
symlink("$folder/outside", "$folder/inside/link");
Shard::open("$folder/outside");
// It may be narrowed at run time, never widened.
ini_set('open_basedir', "$folder/inside/");
echo get_class(Shard::open("$folder/inside/shard")), "\n";
foreach (['outside', 'inside/../outside', 'inside/link', 'none'] as $path) {
    try {
        Shard::open("$folder/$path");
        echo "$path: opened\n";
    } catch (\Error $error) {
        echo "$path:", substr($error->getMessage(), strrpos($error->getMessage(), ':') + 1), "\n";
    }
}
?>
--CLEAN--
<?php
foreach (glob(sys_get_temp_dir() . '/postings-basedir-*') as $folder) {
    array_map('unlink', ["$folder/inside/shard", "$folder/inside/link", "$folder/outside"]);
    rmdir("$folder/inside");
    rmdir($folder);
}
--EXPECT--
Postings\Yioop\Shard
outside: open_basedir does not allow it
inside/../outside: open_basedir does not allow it
inside/link: open_basedir does not allow it
none: open_basedir does not allow it
