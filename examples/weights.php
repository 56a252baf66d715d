<?php

use Postings\{Index, IndexWriter};

$path = __DIR__ . '/../target/weights';
Index::drop($path);
$writer = IndexWriter::open($path, ['text' => [], 'expansion' => ['weights' => true]]);
$writer->add('typee', ['text' => 'Six months at sea!', 'expansion' => ['sea' => 1.73, 'ship' => 0.9, 'sail' => 0.4]]);
$writer->add('walden', ['text' => 'I went to the woods.', 'expansion' => ['woods' => 1.6, 'forest' => 1.1, 'pond' => 0.3]]);
$writer->commit();

$index = Index::open($path);
$weights = ['expansion' => ['ship' => 1.2, 'ocean' => 0.4]];
foreach ($index->search('', weighted: $weights) as $hit) {
    printf("%s: %.3f\n", $hit->id, $hit->score);           // typee: 1.2 times 0.9, as it is stored
}
echo count($index->search('months', weighted: $weights)), "\n";         // documents with the word; weights add to the scores

/* Prints:
typee: 1.088
1
*/
