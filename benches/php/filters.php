<?php

/**
 * Filters, sorting, facets: what do they cost on a million documents, from PHP?
 *
 *     php -n -d extension=$PWD/modules/postings.so benches/php/filters.php [documents] [folder]
 *
 * The index is generated once in the folder, with a fixed seed: words of decreasing frequency, a keyword field with 20 values,
 * one with a value for every five documents, and prices. Prints the median of 15 calls, in milliseconds of the processor, without the first
 * (which reads and checks parts of files, and makes the columns of sorts and facets) and that alone. What an older extension
 * does not know is left out, so that two can be compared.
 */

declare(strict_types=1);

use Postings\{Filter, Index, IndexWriter};

require __DIR__ . '/cpu.php';

$documents = (int) ($argv[1] ?? 1_000_000);
$folder = $argv[2] ?? sys_get_temp_dir() . "/postings-bench-filters-$documents";
if (!is_file("$folder/manifest")) {
    mt_srand(1);
    $writer = IndexWriter::open($folder, ['text' => [], 'brand' => ['keyword' => true], 'product' => ['keyword' => true], 'price' => ['numeric' => true]]);
    for ($i = 0; $i < $documents; $i++) {
        $text = '';
        for ($word = 0; $word < 12; $word++) {
            $text .= 'w' . (int) (exp(mt_rand(0, 1_000_000) / 1_000_000 * 9)) . ' ';
        }
        $writer->add($i, ['text' => $text, 'brand' => 'b' . min(19, (int) (mt_rand(0, 400) ** 0.5)), 'product' => 'p' . mt_rand(0, intdiv($documents, 5)), 'price' => mt_rand(0, 100_000) / 100]);
    }
    $writer->commit();
    $writer->optimize();
    $writer->close();
}
$index = Index::open($folder);
printf("%d documents\n%-52s %9s %9s\n", count($index), '', 'first', 'median');

$knows = fn (string $name) => in_array($name, array_map(fn ($p) => $p->name, (new ReflectionMethod(Index::class, 'search'))->getParameters()), true);
$measure = function (string $what, callable $search): void {
    $times = [];
    try {
        for ($run = 0; $run < 16; $run++) {
            $began = cpu();
            $search();
            $times[] = cpu() - $began;
        }
    } catch (Error $e) {
        return;
    }
    $first = array_shift($times);
    sort($times);
    printf("%-52s %9.3f %9.3f\n", $what, $first, $times[7]);
};
$search = fn (mixed ...$options) => fn () => $index->search(...$options);
$measure('w2', $search('w2'));
$measure('w2 w5', $search('w2 w5'));
$measure('w2, dense keyword', $search('w2', filter: ['brand' => ['b18', 'b19']]));
$measure('w2, rare keyword', $search('w2', filter: ['product' => 'p77']));
$measure('w2, numeric range', $search('w2', filter: ['price' => [100, 300]]));
$measure('w2, rare keyword and numeric range', $search('w2', filter: ['product' => 'p77', 'price' => [100, 300]]));
$measure('w2, dense keyword and numeric range', $search('w2', filter: ['brand' => 'b19', 'price' => [100, 300]]));
$measure('count of a numeric range', fn () => $index->count('', filter: ['price' => [100, 300]]));
$measure('100 queries, numeric range', fn () => $index->searchBatch(array_map(fn ($i) => 'w' . (50 + $i), range(0, 99)), filter: ['price' => [100, 300]]));
$measure('w2, price ascending', $search('w2', sort: ['price' => 'asc']));
$measure('all, price ascending', $search('', sort: ['price' => 'asc']));
$measure('facets of 20 values, w2', fn () => $index->facets('brand', 'w2'));
$measure('facets of 20 values, all', fn () => $index->facets('brand'));
$measure('facets of D / 5 values, w2', fn () => $index->facets('product', 'w2'));
$measure('facets of D / 5 values, w5000', fn () => $index->facets('product', 'w5000'));
if ($knows('facets')) {
    $measure('w2, not dense keyword', fn () => $index->search('w2', filter: [Filter::not(['brand' => 'b19'])]));
    $measure('w2, any of rare keyword and numeric range', fn () => $index->search('w2', filter: [Filter::any(['product' => 'p77'], ['price' => [100, 110]])]));
    $measure('w2, product ascending', $search('w2', sort: ['product' => 'asc']));
    $measure('all, product descending', $search('', sort: ['product' => 'desc']));
    $measure('w2, price and score', $search('w2', sort: ['price' => 'asc', ':score' => 'desc']));
    $measure('w2, both facets and price', $search('w2', facets: ['brand', 'product', 'price'], total: true));
    $measure('w2, distinct product', $search('w2', distinct: 'product'));
    $measure('w2, distinct brand', $search('w2', distinct: 'brand'));
    $last = $index->search('w2', limit: 1, offset: 10_000)[0];
    $measure('w2, offset 10,000', $search('w2', offset: 10_001));
    $measure('w2, after hit 10,000', $search('w2', after: $last));
    $ids = range(0, $documents - 1, 1);
    shuffle($ids);
    $filter = Filter::ids($ids);
    $measure('w2, as many ids as documents', fn () => $index->search('w2', filter: [$filter]));
}
