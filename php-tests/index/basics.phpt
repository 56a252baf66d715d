--TEST--
An index: created, filled, searched; documents are replaced and deleted, and each is seen after the commit
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Hit, Hits, Index, IndexWriter};

$folder = new_folder();
$writer = IndexWriter::open($folder, ['title' => ['weight' => 2], 'body' => []]);
outcome('new index', fn () => [$writer->generation(), $writer->hasChanges(), count(Index::open($folder))]);
$writer->add('a', ['title' => 'fast lists', 'body' => 'short and fast']);
$writer->add(8, 'one text');
$writer->addTokens(9, ['body' => ['Own', 'tokens', 5]]);
outcome('not committed', fn () => [count(Index::open($folder)), $writer->hasChanges()]);
outcome('commit', fn () => [$writer->commit(), $writer->hasChanges(), $writer->commit()]);

$index = Index::open($folder);
$hits = $index->search('fast');
outcome('hits', fn () => [$hits instanceof Hits, count($hits), $hits->total, $hits->ids()]);
foreach ($hits as $at => $hit) {
    echo $at, ' ', $hit instanceof Hit ? 'Hit' : '?', ' ', var_export($hit->id, true), ' ', $hit->docId, ' ', json_encode($hit->fields), ' ', $hit->score > 0 ? 'scored' : 'not scored', "\n";
}
outcome('by place', fn () => [$hits[0] == $hit, isset($hits[0]), isset($hits[1]), $hits[1], isset($hits[-1]), $hits['x']]);
echo 'text ', ids($index, 'text'), ' own ', ids($index, 'own'), ' Own as it was given ', json_encode($index->terms('Own', 'body')), ' tokens ', ids($index, 'tokens'), ' 5 ', ids($index, '5'), "\n";
echo 'nothing ', ids($index, 'nothing'), ' all ', ids($index, ''), "\n";

// An index stays at its commit until reload().
$writer->add('a', ['title' => 'replaced']);
$writer->delete(9);
outcome('delete', fn () => [$writer->delete(9), $writer->delete('9'), $writer->delete('unknown')]);
outcome('commit', fn () => $writer->commit());
echo 'before reload ', ids($index, 'fast'), ' ', count($index), "\n";
outcome('reload', fn () => [$index->reload(), $index->reload(), $index->generation()]);
echo 'after reload ', ids($index, 'fast'), ids($index, 'replaced'), ids($index, 'tokens'), ' ', count($index), "\n";
// Hits keep the snapshot that was searched.
outcome('old hits', fn () => [$hits->ids(), $hits[0]->id]);

// In one commit the last document of an id counts, and what is deleted before the commit never was.
$writer->add('x', 'first');
$writer->add('x', 'second');
$writer->add('y', 'third');
outcome('delete pending', fn () => $writer->delete('y'));
$writer->commit();
$index->reload();
echo 'in one commit ', ids($index, 'first'), ids($index, 'second'), ids($index, 'third'), "\n";

$writer->add('z', 'dropped');
$writer->rollback();
outcome('rollback', fn () => [$writer->hasChanges(), $writer->commit()]);
for ($i = 0; $i < 5; $i++) {
    $writer->add("s$i", "segment $i");
    $writer->commit();
}
$index->reload();
$before = $index->search('segment')->ids();
outcome('optimize', fn () => $writer->optimize(reorder: true));
$index->reload();
outcome('after', fn () => [$before, $index->search('segment')->ids() === $before, count($index)]);
$writer->add('z', 'dropped');
$writer->close();
outcome('closed', fn () => $writer->add('z', 'x'));
$writer->close();
outcome('reopened', fn () => [IndexWriter::open($folder)->hasChanges(), $index->reload()]);
?>
--EXPECT--
new index: returned array (
  0 => 1,
  1 => false,
  2 => 0,
)
not committed: returned array (
  0 => 0,
  1 => true,
)
commit: returned array (
  0 => 2,
  1 => false,
  2 => 2,
)
hits: returned array (
  0 => true,
  1 => 1,
  2 => NULL,
  3 => 
  array (
    0 => 'a',
  ),
)
0 Hit 'a' 0 [] scored
by place: returned array (
  0 => true,
  1 => true,
  2 => false,
  3 => NULL,
  4 => false,
  5 => NULL,
)
text [8] own [] Own as it was given {"Own":1} tokens [9] 5 [9]
nothing [] all ["a",8,9]
delete: returned array (
  0 => false,
  1 => false,
  2 => false,
)
commit: returned 3
before reload ["a"] 3
reload: returned array (
  0 => true,
  1 => false,
  2 => 3,
)
after reload []["a"][] 2
old hits: returned array (
  0 => 
  array (
    0 => 'a',
  ),
  1 => 'a',
)
delete pending: returned true
in one commit []["x"][]
rollback: returned array (
  0 => false,
  1 => 4,
)
optimize: returned 10
after: returned array (
  0 => 
  array (
    0 => 's0',
    1 => 's1',
    2 => 's2',
    3 => 's3',
    4 => 's4',
  ),
  1 => true,
  2 => 8,
)
closed: Error: the Postings\IndexWriter is closed
reopened: returned array (
  0 => false,
  1 => false,
)
