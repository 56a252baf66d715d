<?php

// Many queries in one call, which is a single submission if they run on a device. Results keep the keys of the queries.

declare(strict_types=1);

use Postings\PostingList;

$multiplesOf = static fn (int $k): PostingList => PostingList::encode(range(0, 100_000, $k));
$lists = ['two' => $multiplesOf(2), 'three' => $multiplesOf(3), 'seven' => $multiplesOf(7), 'hundred' => $multiplesOf(100)];

$answers = Postings\intersect_batch([
    'by 42' => [$lists['two'], $lists['three'], $lists['seven']],
    'by 2100' => [$lists['hundred'], $lists['seven'], $lists['three']],
]);
foreach ($answers as $query => $docIds) {
    printf("%s: %d docIDs, the last %d\n", $query, count($docIds), end($docIds));
}
// If only the number is needed, no array is made.
printf("by 6: %d docIDs\n", Postings\intersect_count($lists['two'], $lists['three']));

$stats = Postings\stats();
printf("calls: %d\n", $stats['cpu_calls'] + $stats['device_calls']);

/* Prints:
by 42: 2381 docIDs, the last 99960
by 2100: 48 docIDs, the last 98700
by 6: 16667 docIDs
calls: 2
*/
