--TEST--
Forged requests and responses, with checksums that fit: an answer, a refusal, or a typed exception, and hits that can be used
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';

use Postings\{CorruptDataException, Hits, IndexWriter, Leaf, LeafClient, LeafException, StatisticsException};

$fields = ['title' => ['stored' => true], 'tag' => ['keyword' => true, 'stored' => true], 'price' => ['numeric' => true], 'place' => ['geo' => true]];
$writer = IndexWriter::open($folder = new_folder(), $fields);
foreach (range(1, 60) as $id) {
    $writer->add($id % 2 ? $id : "id $id", ['title' => "red shoe w$id", 'tag' => ['t' . $id % 3, 'x'], 'price' => $id / 3, 'place' => [$id, $id]]);
}
$writer->commit();
$leaf = Leaf::open($folder);
$schema = $leaf->handle(LeafClient::schemaRequest());
$client = LeafClient::fromResponse($schema);
$requests = [
    $client->search('red', facets: ['tag', 'price'], total: true, sort: ['tag' => 'desc', 'price' => 'asc', ':id' => 'asc']),
    $client->search('red', distinct: 'price', matching: 'all-then-any'), $client->searchBatch(['a' => 'red', 'b' => 'shoe'], sort: ['place' => [1, 2]]),
    $client->statistics(['red w*']), $client->suggest('r'), $client->stored([1, 'id 2', 99]), $client->search('red', filter: ['tag' => ['t1', 't2']]),
];
mt_srand(3);
$forged = function (string $bytes): string {
    $bytes = substr($bytes, 0, -4);
    for ($edits = mt_rand(1, 3); $edits > 0; --$edits) {
        $at = mt_rand(0, max(0, strlen($bytes) - 1));
        $bytes = match (mt_rand(0, 2)) {
            0 => substr_replace($bytes, chr(mt_rand(0, 255)), $at, 1),
            1 => substr_replace($bytes, '', $at, mt_rand(1, 4)),
            2 => substr_replace($bytes, chr(mt_rand(0, 255)), $at, 0),
        };
    }
    return $bytes . pack('V', crc32($bytes));
};
$counts = ['read' => 0, 'refused' => 0];
$try = function (callable $call, string ...$may) use (&$counts): void {
    try {
        $call();
        ++$counts['read'];
    } catch (Throwable $error) {
        ++$counts['refused'];
        if (!in_array($error::class, $may, true)) {
            echo $error::class, ': ', $error->getMessage(), "\n";
        }
    }
};
for ($round = 0; $round < 3000; ++$round) {
    $request = $requests[mt_rand(0, count($requests) - 1)];
    $response = $forged($leaf->handle($request->bytes()));
    $try(function () use ($request, $response): void {
        $read = $request->read($response);
        foreach (is_array($read) ? $read : [$read] as $hits) {
            if ($hits instanceof Hits) {
                $merged = Hits::merge([$hits, $hits], limit: 5);
                json_encode($hits) . serialize($merged) . json_encode(Hits::merge([$merged, $merged], limit: 5)) . var_export($merged->facets, true);
                unserialize(serialize($hits));
            }
        }
        // Hits that cannot be merged: too few values of facets, or it is not known how many have all words.
    }, CorruptDataException::class, LeafException::class, StatisticsException::class, ValueError::class);
    // Every request has a response.
    $response = $leaf->handle($forged($request->bytes()), deadline: 1000);
    $try(fn () => $request->read($response), LeafException::class, StatisticsException::class, CorruptDataException::class);
    $try(fn () => LeafClient::fromResponse($forged($schema)), CorruptDataException::class, LeafException::class);
}
echo $counts['read'] > 100 && $counts['refused'] > 500 ? "some are read, others are refused\n" : json_encode($counts);
?>
--EXPECT--
some are read, others are refused
