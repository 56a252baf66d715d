--TEST--
ids are integers or strings and keep their type; docIDs and ids name the same documents
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

$writer = IndexWriter::open($folder = new_folder(), ['text' => []]);
$ids = [7, '7', 0, '0', '', -1, '-1', PHP_INT_MAX, PHP_INT_MIN, "\0\xff", str_repeat('x', 1000), 'ä', '07', ' 7'];
foreach ($ids as $at => $id) {
    $writer->add($id, "all n$at");
}
$writer->commit();
$index = Index::open($folder);
outcome('in order', fn () => $index->search('all', limit: 100)->ids() === $ids);
$failures = 0;
foreach ($ids as $at => $id) {
    $hit = $index->search("n$at")[0];
    $failures += $hit->id !== $id || $index->docId($id) !== $hit->docId || $index->id($hit->docId) !== $id || $hit->docId !== $at;
}
outcome('failures', fn () => $failures);
outcome('delete', fn () => [$writer->delete(7), $writer->delete('0'), $writer->commit(), $index->reload()]);
outcome('7', fn () => [$index->docId(7), $index->docId('7') !== null, $index->docId(0) !== null, $index->docId('0')]);
// PHP makes integers of such keys of arrays; a generator keeps them.
$writer->addAll(['7' => 'of an array']);
$writer->addAll((function () { yield '7' => 'of a generator'; })());
$writer->commit();
$index->reload();
outcome('array', fn () => $index->search('array')->ids());
outcome('generator', fn () => $index->search('generator')->ids());
$list = $index->postings('all');
outcome('postings', fn () => [count($list), array_map($index->id(...), $list->toArray()) === $index->search('all', limit: 100)->ids()]);
?>
--EXPECT--
in order: returned true
failures: returned 0
delete: returned array (
  0 => true,
  1 => true,
  2 => 3,
  3 => true,
)
7: returned array (
  0 => NULL,
  1 => true,
  2 => true,
  3 => NULL,
)
array: returned array (
  0 => 7,
)
generator: returned array (
  0 => '7',
)
postings: returned array (
  0 => 11,
  1 => true,
)
