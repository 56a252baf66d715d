<?php

use Postings\{Analyzer, Index, IndexWriter};

$path = sys_get_temp_dir() . '/postings-books';
$writer = IndexWriter::open($path, ['title' => ['weight' => 3, 'stored' => true], 'text' => []], new Analyzer('english'));
$writer->add('moby-dick', ['title' => 'Moby-Dick', 'text' => 'I thought I would sail about a little.']);
$writer->add('typee', ['title' => 'Typee', 'text' => 'Six months at sea! Sailing without sight of land.']);
$writer->commit();                              // from now on durable, and visible to readers

$index = Index::open($path);
foreach ($index->search('sailing -ship', limit: 10) as $hit) {
    printf("%s: %s, score %.3f\n", $hit->id, $hit->fields['title'], $hit->score);
}
echo $index->snippet('sailing', 'Sailing without sight of <land>'), "\n";

/* Prints:
moby-dick: Moby-Dick, score 0.187
typee: Typee, score 0.178
<mark>Sailing</mark> without sight of &lt;land&gt;
*/
