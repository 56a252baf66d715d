--TEST--
Postings\Yioop\Shard: header, dictionary, postings, documents, damage
--EXTENSIONS--
postings
--FILE--
<?php
require __DIR__ . '/../helpers.inc';

use Postings\Yioop;
use Postings\Yioop\Shard;

$path = sys_get_temp_dir() . '/postings-shard-' . getmypid();
register_shutdown_function(fn() => @unlink($path));

$lists = [
    'apple' => Yioop\pack_posting(0, [1, 5]) . Yioop\pack_posting(3, [2]),
    'pear' => Yioop\pack_posting(3, [1, 3]),
];
$keys = ['apple' => str_pad("\x01\x02apple", 20, "\0"), 'pear' => str_pad("\x01\x02pear", 20, "\0")];
$prefixes = str_repeat("\xFF", 8 << 16);
$prefixes = substr_replace($prefixes, pack('N2', 0, 2), 8 * 0x0102, 8);
$dictionary = $wordDocs = '';
foreach ($lists as $word => $list) {
    // The short form of the length, with the number of documents.
    $dictionary .= $keys[$word] . pack('N3', 4, strlen($wordDocs), 1 << 31 | ($word == 'apple' ? 2 : 1) << 16 | strlen($list));
    $wordDocs .= $list;
}
$docMap = pack('N2', 77, 6 << 8 | 3) . 'aaaaaaaabbbbbbbbcccccccc' . str_repeat("\0", 16)
    . pack('N2', 78, (1 << 23 | 2) << 8 | 2) . 'ddddddddeeeeeeee' . str_repeat("\xFF", 8);
$header = fn(...$changes) => pack('N*', ...array_replace([strlen($prefixes), strlen($dictionary), strlen($wordDocs),
    strlen($docMap), 4, 100, 1, 1, 6, 2], $changes));
$whole = $header() . $prefixes . $dictionary . $wordDocs . $docMap;
file_put_contents($path, $whole);

$shard = Shard::open($path);
echo json_encode($shard->header()), "\n";
foreach ($shard as $key => $record) {
    echo bin2hex($key), ' ', json_encode($record), ' ', json_encode($shard->lookup($key) === $record), "\n";
}
var_dump($shard->lookup(str_repeat("\x09", 20)), $shard->postings(str_repeat("\x09", 20)));
foreach ($lists as $word => $list) {
    [$first, $last] = $shard->lookup($keys[$word]);
    var_dump($shard->postings($keys[$word]) === $list && $shard->postingsAt($first, $last) === $list);
}
echo json_encode($shard->document(0)), "\n", json_encode($shard->document(3)), "\n";
$iterator = $shard->getIterator();
echo get_class($iterator), ' ', count(iterator_to_array($shard)), ' ', $iterator->valid() ? 'valid' : 'not valid', "\n";

outcome('short key', fn() => $shard->lookup('apple'));
outcome('no document', fn() => $shard->document(999));
outcome('negative', fn() => $shard->document(-1));
outcome('no postings', fn() => $shard->postingsAt(4, 1000));
outcome('new', fn() => new Shard());
outcome('serialize', fn() => serialize($shard));
outcome('clone', fn() => clone $shard);

$message = fn(\Throwable $e) => get_class($e) . ': ' . str_replace($path, 'PATH', $e->getMessage());
foreach (['no file' => null, 'empty' => '', 'short' => substr($whole, 0, -16), 'header' => $header([1 => 33]) . substr($whole, 40)] as $what => $bytes) {
    $bytes === null ? unlink($path) : file_put_contents($path, $bytes);
    try {
        Shard::open($path);
        echo "$what: opened\n";
    } catch (\Throwable $e) {
        echo "$what: ", $message($e), "\n";
    }
}

// Every byte of the small regions changed in turn, and a file that shrinks under an open shard: errors or other
// contents, nothing else.
$opened = 0;
for ($at = 0; $at < strlen($whole); $at += $at >= 40 && $at < 40 + strlen($prefixes) ? 1021 : 1) {
    $bytes = $whole;
    $bytes[$at] = chr(ord($bytes[$at]) ^ 1 << $at % 8);
    file_put_contents($path, $bytes);
    try {
        $shard = Shard::open($path);
        $opened++;
        foreach ($shard as $key => [$first, $last]) {
            Yioop\unpack_postings($shard->postingsAt($first, $last));
        }
        foreach ($keys as $key) {
            $shard->lookup($key);
        }
        $shard->document(0);
        $shard->document(3);
    } catch (Postings\CorruptDataException | \ValueError) {
    }
}
echo $opened > 100 ? "damage is survived\n" : "only $opened opened\n";
file_put_contents($path, $whole);
$shard = Shard::open($path);
$file = fopen($path, 'r+');
ftruncate($file, 100);
outcome('shrunk', fn() => $shard->document(0));
outcome('shrunk', fn() => iterator_to_array($shard));
?>
--EXPECT--
{"prefixes_len":524288,"words_len":64,"word_docs_len":12,"doc_map_len":80,"generation":4,"docs_per_generation":100,"documents":1,"links":1,"documents_len":6,"links_len":2}
01026170706c6500000000000000000000000000 [0,4,2] true
0102706561720000000000000000000000000000 [8,8,1] true
NULL
string(0) ""
bool(true)
bool(true)
{"summary_offset":77,"length":6,"is_link":false,"keys":["aaaaaaaa","bbbbbbbb","cccccccc"]}
{"summary_offset":78,"length":2,"is_link":true,"keys":["dddddddd","eeeeeeee"]}
Postings\Yioop\ShardIterator 2 valid
short key: ValueError: Postings\Yioop\Shard::lookup(): Argument #1 ($wordKey) must be 20 bytes, 5 given
no document: ValueError: Postings\Yioop\Shard::document(): Argument #1 ($docIndex) cannot be used: no document has the doc index 999: the doc map has 5 units
negative: ValueError: Postings\Yioop\Shard::document(): Argument #1 ($docIndex) must be from 0 to 4294967295, -1 given
no postings: ValueError: Postings\Yioop\Shard::postingsAt(): Argument #1 ($firstOffset) cannot be used: no postings from byte 4 to the word at 1000: the lists have 12 bytes
new: Error: Call to private Postings\Yioop\Shard::__construct() from global scope
serialize: Exception: Serialization of 'Postings\Yioop\Shard' is not allowed
clone: Error: Trying to clone an uncloneable object of class Postings\Yioop\Shard
no file: Error: PATH: No such file or directory (os error 2)
empty: Postings\CorruptDataException: shard: header at byte 0: the file ends before its 40 bytes do
short: Postings\CorruptDataException: shard: header at byte 0: it and the regions that it tells of take 524484 bytes, the file has 524468
header: Postings\CorruptDataException: shard: header at byte 0: it and the regions that it tells of take 197 bytes, the file has 524484
damage is survived
shrunk: Postings\CorruptDataException: shard: document 0 at byte 524404: the file ends before its 80 bytes do
shrunk: Postings\CorruptDataException: shard: dictionary at byte 524328: the file ends before its 64 bytes do
