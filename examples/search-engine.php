<?php

use Postings\{Analyzer, Index, IndexWriter};

$folder = sys_get_temp_dir() . '/postings-books';

$fields = ['title' => ['weight' => 3, 'stored' => true], 'body' => [], 'year' => ['numeric' => true]];
$writer = IndexWriter::open($folder, $fields, new Analyzer(language: 'english'));   // creates the index if there is none
$writer->add('moby-dick', ['title' => 'Moby-Dick', 'body' => 'Call me Ishmael. I thought I would sail about a little.', 'year' => 1851]);
$writer->add('typee', ['title' => 'Typee', 'body' => 'Six months at sea! Sailing without sight of land.', 'year' => 1846]);
$writer->add('walden', ['title' => 'Walden', 'body' => 'I lived alone, in the woods, a mile from any neighbor.', 'year' => 1854]);
$writer->commit();                              // durable now, and visible to readers

$index = Index::open($folder);
foreach ($index->search('sailing -whale', limit: 10, filter: ['year' => [1840, null]]) as $hit) {
    printf("%s: %s, score %.3f\n", $hit->id, $hit->fields['title'], $hit->score);
}
echo $index->snippet('sailing', 'Sailing <without> sight of land.'), "\n";

/* Prints:
typee: Typee, score 0.496
moby-dick: Moby-Dick, score 0.458
<mark>Sailing</mark> &lt;without&gt; sight of land.
*/
