--TEST--
==, <=> and in_array(): two lists compare by their docIDs, anything else as PHP compares objects
--FILE--
<?php
use Postings\{Codec, PostingList};

// A class without a comparison of its own.
final class Plain
{
}
$warnings = [];
set_error_handler(function ($number, $message) use (&$warnings) {
    $warnings[] = str_replace([PostingList::class, Plain::class], 'CLASS', $message);
    return true;
});
// Variables, as the compiler folds comparisons with constants.
$compare = fn ($object, $value) => [$object == $value, $value == $object, $object != $value, $object <=> $value,
    $value <=> $object, $object < $value, $value < $object, $object <= $value, $object === $value,
    in_array($value, [$object]), in_array($object, [$value]), array_search($value, [5, $object])];
$list = PostingList::encode([1, 2, 3]);
foreach ([true, false, null, 1, 0, 2, 1.0, 1.5, 'x', '', [], [1], new stdClass, $list->getIterator(), Codec::Simple9] as $value) {
    [$expected, $expectedWarnings] = [$compare(new Plain, $value), $warnings];
    $warnings = [];
    [$got, $gotWarnings] = [$compare($list, $value), $warnings];
    $warnings = [];
    if ($got !== $expected || $gotWarnings !== $expectedWarnings) {
        echo get_debug_type($value), ': ', json_encode([$got, $expected, $gotWarnings, $expectedWarnings]), "\n";
    }
}
[$true, $null, $one] = [true, null, 1];
var_dump($list == $true, in_array(true, [$list]), $list == $null, $list == $one, $warnings);
$same = PostingList::encode([1, 2, 3], Codec::Simple9);
$other = PostingList::encode([4]);
var_dump($list == $same, $list != $same, $list == $other, $list < $other, $list > $other, $list <= $same);
var_dump(in_array($same, [$other, $list]), in_array($same, [$other, $list], true));
// A handler that throws.
set_error_handler(fn ($number, $message) => throw new Exception($message));
try {
    var_dump($list == $one);
} catch (Exception $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
bool(true)
bool(true)
bool(false)
bool(true)
array(1) {
  [0]=>
  string(51) "Object of class CLASS could not be converted to int"
}
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
bool(false)
Object of class Postings\PostingList could not be converted to int
