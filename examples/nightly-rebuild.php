<?php

/**
 * A nightly rebuild while readers go on: one process writes all products again, deletes those that are gone, commits and
 * optimizes. Another process searches all the time. It never waits and never fails, and each of its searches sees the
 * products of one night only: those of the commit that it opened, until reload().
 *
 * Needs PHP's extension pcntl, to have two processes.
 */

declare(strict_types=1);

use Postings\{Analyzer, Index, IndexWriter};

const FIELDS = ['name' => [], 'night' => ['keyword' => true], 'price' => ['numeric' => true]];

/** A writer's night: $count products, of which those of earlier nights are replaced. Returns the number of the commit. */
function rebuild(string $folder, int $night, int $count): int
{
    $products = static function () use ($night, $count): Generator {
        for ($i = 0; $i < $count; ++$i) {
            yield "product $i" => ['name' => "thing number $i, colour " . $i % 7, 'night' => "night $night", 'price' => $i + $night / 100];
        }
    };
    $writer = IndexWriter::open($folder, FIELDS, new Analyzer('english'));
    $writer->addAll($products());
    for ($i = $count; $writer->delete("product $i"); ++$i);
    $writer->commit();                                      // from here on, whoever opens or reloads sees the new products
    return $writer->optimize(reorder: true);                // the same products, faster to search
}

/** Searches until it is told to stop; reports each night that it sees, and at the end what it counted. */
function read_on(string $folder, $socket): void
{
    $index = Index::open($folder);
    $seen = '';
    $searches = $mixed = 0;
    stream_set_blocking($socket, false);
    while (fgets($socket) === false) {
        for ($i = 0; $i < 50; ++$i, ++$searches) {
            $total = $index->search("thing colour $i", limit: 3, matching: 'any', total: true)->total;
            $nights = $index->facets('night', 'thing');
            // All products, and all of the same night: never a part of a commit.
            $mixed += count($nights) !== 1 || $total !== count($index) || reset($nights) !== $total ? 1 : 0;
        }
        $index->reload();
        $night = array_key_first($index->facets('night')) . ' with ' . count($index) . ' products';
        if ($night !== $seen) {
            fwrite($socket, "$night\n");
            $seen = $night;
        }
    }
    fwrite($socket, ($searches > 0 ? 'it searched' : 'it did not search') . ", and $mixed searches saw anything but one whole night\n");
}

if (!function_exists('pcntl_fork')) {
    exit("SKIPPED: this example needs PHP's extension pcntl\n");
}
$folder = sys_get_temp_dir() . '/nightly-' . getmypid();
rebuild($folder, 1, 3000);

[$ours, $readers] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$reader = pcntl_fork();
if ($reader === 0) {
    read_on($folder, $readers);
    exit;
}
fclose($readers);
stream_set_timeout($ours, 60);
echo 'The reader sees ', fgets($ours);
foreach ([2 => 2900, 3 => 3100] as $night => $count) {
    printf("Night %d: commit %d\n", $night, rebuild($folder, $night, $count));
    echo 'The reader sees ', fgets($ours);
}
fwrite($ours, "stop\n");
echo 'The reader ends: ', fgets($ours);
pcntl_waitpid($reader, $status);
echo 'Its exit status is ', pcntl_wexitstatus($status), "\n";

array_map('unlink', glob("$folder/*"));
rmdir($folder);

/* Prints:
The reader sees night 1 with 3000 products
Night 2: commit 5
The reader sees night 2 with 2900 products
Night 3: commit 7
The reader sees night 3 with 3100 products
The reader ends: it searched, and 0 searches saw anything but one whole night
Its exit status is 0
*/
