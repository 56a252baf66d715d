<?php

// docIDs as a string of little-endian uint32: less memory than an array, and faster to read and write.

declare(strict_types=1);

use Postings\{CorruptDataException, PostingList};

$packed = pack('V*', 5, 8, 13, 21);
$list = PostingList::encode($packed);
var_dump($list->toPacked() === $packed, $list->contains(13), $list->contains(14));

foreach ($list as $docId) {
    echo $docId, ' ';
}
echo "\n";

// Damaged bytes are detected when they are read, and the message says where the damage is.
try {
    PostingList::fromBytes(substr($list->toBytes(), 0, 20));
} catch (CorruptDataException $e) {
    echo $e::class, "\n";
}

/* Prints:
bool(true)
bool(true)
bool(false)
5 8 13 21 
Postings\CorruptDataException
*/
