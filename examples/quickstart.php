<?php

use Postings\{Codec, PostingList};

// Documents containing each word, as increasing docIDs.
$fox = PostingList::encode([2, 3, 17, 90, 1200, 70000]);
$dog = PostingList::encode([3, 90, 91, 1200, 65536], Codec::Simple9);

print_r(Postings\intersect($fox, $dog));        // documents containing both words: 3, 90, 1200
var_dump($fox->nextGreaterOrEqual(91));         // random access: 1200

$bytes = $fox->toBytes();                       // store this in a file, a database, a cache …
$again = PostingList::fromBytes($bytes);        // … and read it back: everything is checked once
printf("%d docIDs, equal: %s\n", count($again), var_export($again->equals($fox), true));

/* Prints:
Array
(
    [0] => 3
    [1] => 90
    [2] => 1200
)
int(1200)
6 docIDs, equal: true
*/
