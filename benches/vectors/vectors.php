<?php
// The nearest of a million vectors, beside faiss, usearch and sqlite-vec, whose figures peers.py has left in DIR/peers.json.
//
//     php -d extension=modules/postings.so -d memory_limit=2G benches/vectors/vectors.php --data DIR --passages FILE
//
// Ours and theirs: the mean of single queries, one after the other, on one thread; ten nearest. Batches, and words with vectors, on all
// cores. Then some clusters of the vectors are
// looked at: recall@10 is the part of the ten nearest that is found, the mean of all queries. Exits with 1 if the ten nearest of a query
// are others than by faiss, scores that differ by less than 1e-5 counting as equal.
declare(strict_types=1);

use Postings\{Index, IndexWriter};

$options = getopt('', ['data:', 'passages:']);
$data = $options['data'] ?? exit("--data DIR\n");
$peers = json_decode(file_get_contents("$data/peers.json"), true);

/** Mean and 99th percentile, in milliseconds. */
$measured = function (array $queries, callable $search): array {
    $times = [];
    foreach ($queries as $at => $query) {
        $began = hrtime(true);
        $search($query, $at);
        $times[] = (hrtime(true) - $began) / 1e6;
    }
    sort($times);

    return [array_sum($times) / count($times), $times[(int) (0.99 * count($times))]];
};
$rows = [];
$different = 0;
foreach (['generated' => 384, 'passages' => 256] as $name => $dimensions) {
    $vectors = fopen("$data/$name.f32", 'rb');
    $queries = str_split(file_get_contents("$data/$name.queries.f32"), 4 * $dimensions);
    $path = "$data/index-$name";
    Index::drop($path);
    $began = hrtime(true);
    $writer = IndexWriter::open($path, ['tag' => ['keyword' => true], 'e' => ['vector' => $dimensions]], threads: 1);
    for ($id = 0; ($vector = fread($vectors, 4 * $dimensions)) !== '' && $vector !== false; $id++) {
        $writer->add($id, ['tag' => (string) ($id % 100), 'e' => $vector]);
    }
    $writer->commit();
    $rate = $id / ((hrtime(true) - $began) / 1e9);
    $writer->optimize();
    $writer->close();
    $index = Index::open($path);
    ini_set('postings.threads', '1');
    $index->nearest('e', $queries[0]);
    [$mean, $p99] = $measured(array_slice($queries, 0, 300), fn ($query) => $index->nearest('e', $query));
    [$filtered] = $measured(array_slice($queries, 0, 300), fn ($query) => $index->nearest('e', $query, filter: ['tag' => '7']));
    ini_set('postings.threads', '0');
    $began = hrtime(true);
    $found = $index->nearestBatch('e', $queries);
    $batch = count($queries) / ((hrtime(true) - $began) / 1e9);
    foreach ($peers[$name]['ids'] as $at => $ids) {
        foreach ($found[$at] as $rank => $hit) {
            $different += (int) ($hit->id !== $ids[$rank] && abs($hit->score - $peers[$name]['scores'][$at][$rank]) > 1e-5);
        }
    }
    $of = $peers[$name];
    $times = fn (string $peer) => sprintf('%.0f ms (%.1f ×)', $of[$peer], $of[$peer] / $mean);
    $set = "$name, $dimensions dimensions";
    array_push(
        $rows,
        [$set, 'one query: mean; p99', sprintf('%.1f; %.1f ms', $mean, $p99), '≤ 10 ms'],
        [$set, 'sqlite-vec', $times('sqlite-vec'), '≥ 10 ×'],
        [$set, 'usearch', $times('usearch'), '≥ 3 ×'],
        [$set, 'faiss', $times('faiss'), '≥ 3 ×'],
        [$set, 'with a filter of 1 %', sprintf('%.2f ms', $filtered), '≤ 0.5 ms'],
        [$set, 'a batch, all cores; faiss', sprintf('%.0f; %.0f a second', $batch, $of['faiss, batch']), '–'],
        [$set, 'indexing, one thread', sprintf('%s vectors a second', number_format($rate)), '≥ 100,000'],
        [$set, 'codes / vectors', sprintf('%.3f', (array_sum(array_map('filesize', glob("$path/*.segment"))) / filesize("$data/$name.f32")) - 1), '≤ 0.05'],
    );
}

// Some clusters. The set with 10,000 directions is made for this; peers.py measures nothing of it.
foreach (['clustered' => 384, 'generated' => 384, 'passages' => 256] as $name => $dimensions) {
    $vectors = fopen("$data/$name.f32", 'rb');
    $queries = array_slice(str_split(file_get_contents("$data/$name.queries.f32"), 4 * $dimensions), 0, 300);
    $path = "$data/index-clusters-$name";
    Index::drop($path);
    $began = hrtime(true);
    $writer = IndexWriter::open($path, ['e' => ['vector' => $dimensions, 'clusters' => true]], memory: 8 << 30, threads: 1);
    for ($id = 0; ($vector = fread($vectors, 4 * $dimensions)) !== '' && $vector !== false; $id++) {
        $writer->add($id, ['e' => $vector]);
    }
    $writer->commit();
    $rate = $id / ((hrtime(true) - $began) / 1e9);
    $writer->optimize();
    $writer->close();
    $index = Index::open($path);
    $set = "$name, $dimensions dimensions";
    $rows[] = [$set, 'in clusters: indexing, one thread', sprintf('%s vectors a second', number_format($rate)), '–'];
    $exact = array_map(fn ($hits) => $hits->ids(), $index->nearestBatch('e', $queries));
    ini_set('postings.threads', '1');
    foreach ([1, 4, 16, 64] as $probes) {
        $index->nearest('e', $queries[0], probes: $probes);
        $found = 0;
        [$mean, $p99] = $measured($queries, function ($query, $at) use ($index, $probes, $exact, &$found) {
            $found += count(array_intersect($exact[$at], $index->nearest('e', $query, probes: $probes)->ids()));
        });
        $recall = $found / array_sum(array_map(count(...), $exact));
        $rows[] = [$set, "probes: $probes: recall@10; mean; p99", sprintf('%.3f; %.2f; %.2f ms', $recall, $mean, $p99), '–'];
    }
}

// Words and vectors: the passages, with their own vectors, and with the generated ones, which have nothing to do with them: so scores decide
// late.
$typed = file("$data/passages.queries.txt", FILE_IGNORE_NEW_LINES);
ini_set('postings.threads', '0');
foreach (['passages' => 256, 'generated' => 384] as $name => $dimensions) {
    $path = "$data/index-hybrid-$name";
    $passages = fopen($options['passages'], 'rb');
    $vectors = fopen("$data/$name.f32", 'rb');
    $queries = str_split(file_get_contents("$data/$name.queries.f32"), 4 * $dimensions);
    Index::drop($path);
    $writer = IndexWriter::open($path, ['body' => [], 'e' => ['vector' => $dimensions]]);
    for ($id = 0; ($vector = fread($vectors, 4 * $dimensions)) !== '' && $vector !== false; $id++) {
        $writer->add($id, ['body' => (string) fgets($passages), 'e' => $vector]);
    }
    $writer->commit();
    $writer->optimize();
    $writer->close();
    $index = Index::open($path);
    $both = fn (mixed ...$fusion) => fn ($query, $at) => $index->search($typed[$at], ...$fusion, matching: 'any', syntax: false, nearest: ['e' => $query]);
    $both()($queries[0], 0);
    foreach (['by ranks' => [], 'by scores' => ['fusion' => ['text' => 1, 'e' => 10]]] as $how => $fusion) {
        [$mean, $p99] = $measured(array_slice($queries, 0, 300), $both(...$fusion));
        $rows[] = ["passages, $name vectors", "words and a vector, $how: mean; p99", sprintf('%.1f; %.1f ms', $mean, $p99), '≤ 12; 20 ms'];
    }
}
foreach ($rows as $row) {
    printf("%-32s %-42s %-28s %s\n", ...$row);
}
echo json_encode($rows, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES), "\n";
printf("%d hits of %d queries are others than those of faiss\n", $different, 2 * count($peers['generated']['ids']));
exit($different > 0 ? 1 : 0);
