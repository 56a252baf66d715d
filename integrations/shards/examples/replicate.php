<?php

/*
 * Keeps replicas of a shard up to date: copies each new commit, by hard links on the same file system, into the folders of leaves, which
 * show it from their next request on.
 *
 *     php replicate.php /var/lib/postings/shard-0 /srv/leaf-a /srv/leaf-b
 *
 * For other machines, copy with rsync in the order of Index::files(): the manifest last (docs/machines.md).
 */

declare(strict_types=1);

use Postings\Index;

$folder = $argv[1];
$targets = array_slice($argv, 2);
$index = Index::open($folder);
for ($has = array_fill_keys($targets, 0);; usleep(20_000)) {
    $index->reload();
    foreach ($targets as $target) {
        if ($has[$target] === $index->generation()) {
            continue;
        }
        try {
            $has[$target] = $index->snapshot($target);
        } catch (Postings\Exception $error) {
            // A full disk, for instance: the leaf goes on with the commit that it has, and this is tried again.
            error_log("$target: {$error->getMessage()}");
        }
    }
}
