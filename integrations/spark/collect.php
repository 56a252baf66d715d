<?php

declare(strict_types=1);

/*
 * Makes one index of those of all partitions, in their order; build.py starts it at the end. Reads one line from standard input,
 * {"schema": …, "parts": ["…", …], "folder": "…", …}, and prints {"documents": …}.
 */

require __DIR__ . '/schema.php';

use Postings\Index;

$job = json_decode((string) fgets(STDIN), true, flags: JSON_THROW_ON_ERROR);
$writer = open_writer($job['folder'], $job['schema'], $job['memory'], $job['threads']);
foreach ($job['parts'] as $part) {
    $writer->addIndex($part);
}
$writer->commit();
echo json_encode(['documents' => Index::open($job['folder'])->documents()]), "\n";
