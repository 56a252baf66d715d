<?php

// A search engine: an index in a folder of files, filled and searched.

use Postings\{Analyzer, Index, IndexWriter};

$folder = sys_get_temp_dir() . '/articles-' . getmypid();
$writer = IndexWriter::open($folder, ['title' => ['weight' => 3, 'stored' => true], 'body' => ['stored' => true]], new Analyzer('english'));
$writer->add(1, ['title' => 'Sourdough bread', 'body' => 'Flour, water & salt. A starter makes the dough rise, and gives the taste.']);
$writer->add(2, ['title' => 'Pizza', 'body' => 'Stretch the dough thin, and bake it as hot as the oven gets. Bread flour is best.']);
$writer->add(3, ['title' => 'Pancakes', 'body' => 'Eggs, milk and flour make a batter. No baking: a hot pan is enough.']);
$writer->commit();                              // durable and visible, or nothing happened

$index = Index::open($folder);
foreach (['bake bread', '"bread flour"', 'flour -oven', 'sourdogh~ pizz*'] as $query) {
    $hits = $index->search($query, limit: 10, matching: 'any', total: true);
    echo "$query: $hits->total\n";
    foreach ($hits as $hit) {
        printf("  %.2f  %s: %s\n", $hit->score, $hit->fields['title'], $index->snippet($query, $hit->fields['body'], length: 40));
    }
}

array_map('unlink', glob("$folder/*"));
rmdir($folder);

/* Prints:
bake bread: 3
  2.44  Sourdough bread: Flour, water &amp; salt. A starter makes the…
  1.36  Pizza: …<mark>bake</mark> it as hot as the oven gets. <mark>Bread</mark>…
  0.48  Pancakes: …a batter. No <mark>baking</mark>: a hot pan is…
"bread flour": 1
  1.05  Pizza: …as the oven gets. <mark>Bread flour</mark> is best.
flour -oven: 2
  0.14  Sourdough bread: <mark>Flour</mark>, water &amp; salt. A starter makes the…
  0.14  Pancakes: Eggs, milk and <mark>flour</mark> make a batter. No…
sourdogh~ pizz*: 2
  2.46  Pizza: Stretch the dough thin, and bake it as…
  1.22  Sourdough bread: Flour, water &amp; salt. A starter makes the…
*/
