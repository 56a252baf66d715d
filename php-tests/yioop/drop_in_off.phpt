--TEST--
Without postings.yioop none of Yioop's names exists
--FILE--
<?php
var_dump(extension_loaded('yioop'));
var_dump(array_filter(get_defined_functions()['internal'], fn ($name) => str_starts_with($name, 'seekquarry')));
?>
--EXPECT--
bool(false)
array(0) {
}
