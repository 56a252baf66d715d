<?php

// Posting lists in Yioop's format: documents, with the positions of the word in each.

declare(strict_types=1);

namespace Postings\Yioop;

$fox = pack_posting(4, [2, 9]) . pack_posting(11, [1]) . pack_posting(30, [5, 6, 7]);
$dog = pack_posting(11, [3]) . pack_posting(30, [1]) . pack_posting(31, [8]);

echo json_encode(doc_indexes($fox)), "\n";
echo json_encode(unpack_postings($fox)), "\n";
echo json_encode(doc_indexes(add_doc_index($fox, 100))), "\n";

// Documents containing both words, with the byte offset of the posting in each list. Positions are not unpacked.
foreach (intersect($fox, $dog) as $docIndex => [$inFox, $inDog]) {
    printf("document %d: postings at bytes %d and %d\n", $docIndex, $inFox, $inDog);
}

/* Prints:
[4,11,30]
[[4,[2,9]],[11,[1]],[30,[5,6,7]]]
[104,111,130]
document 11: postings at bytes 4 and 0
document 30: postings at bytes 8 and 4
*/
