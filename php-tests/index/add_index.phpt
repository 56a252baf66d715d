--TEST--
addIndex() takes the documents of another index as they are: the same hits as if they had been added
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';
require __DIR__ . '/../child.inc';
use Postings\{Analyzer, Index, IndexWriter};

$fields = ['text' => ['stored' => true], 'tag' => ['keyword' => true], 'number' => ['numeric' => true]];
$open = fn (string $folder, array $options = []) => IndexWriter::open($folder, $fields, new Analyzer('english'), ...$options);
$document = fn (int $i, string $by) => [
    'text' => "$by writes of running shoes " . implode(' ', array_map(fn ($k) => 'w' . $i * $k % 17, range(1, 5 + $i % 7))),
    'tag' => ["t" . $i % 3, $by],
    'number' => $i,
];

// The same changes to one index, and to another by way of a third.
$one = $open($at_once = new_folder());
$own = $open($joined = new_folder());
$third = $open($source = new_folder());
for ($i = 0; $i < 300; $i++) {
    foreach ([$one, $own] as $writer) {
        $writer->add($i, $document($i, 'ann'));
    }
}
$own->commit();
for ($i = 300; $i < 320; $i++) {                        // not committed
    $own->add($i, $document($i, 'ann'));
    $one->add($i, $document($i, 'ann'));
}
for ($i = 200; $i < 500; $i++) {
    $third->add($i, $document($i, 'bob'));
}
$third->commit();
$third->delete(350);
$third->add(210, $document(210, 'cid'));
$third->commit();
$third->add(999, $document(999, 'not committed'));
var_dump($own->addIndex($source));
for ($i = 200; $i < 500; $i++) {
    if ($i !== 350 && $i !== 210) {
        $one->add($i, $document($i, 'bob'));
    }
}
$one->add(210, $document(210, 'cid'));
foreach ([$one, $own] as $writer) {
    $writer->add(400, $document(400, 'dan'));
    $writer->delete(401);
    $writer->commit();
}
$compare = function () use ($at_once, $joined) {
    $indexes = array_map(fn ($folder) => Index::open($folder), [$at_once, $joined]);
    foreach (['running', 'w3 w5', '"running shoe"', 'ann', 'bob -w3', 'cid', ''] as $query) {
        foreach ([[], ['tag' => 't1'], ['number' => [100, 300]]] as $filter) {
            $found = fn (Index $index) => array_map(
                fn ($hit) => [$hit->id, $hit->score, $hit->fields],
                iterator_to_array($index->search($query, limit: 1000, filter: $filter)),
            );
            [$expected, $is] = array_map($found, $indexes);
            if ($is !== $expected) {
                echo "other hits of $query\n";
            }
        }
    }
    echo count($indexes[1]), ' documents, ', count(Index::open($joined)->search('bob', limit: 1000)), " of bob\n";
};
// Deleted documents count for scores until they are merged away.
$one->optimize();
$own->optimize();
$compare();

// Rolled back, and a writer that ends without a commit.
$before = Index::open($joined)->generation();
$own->addIndex($source);
var_dump($own->hasChanges());
$own->rollback();
var_dump($own->hasChanges());
$own->addIndex($source);
$own->close();
$own = IndexWriter::open($joined);
var_dump($own->generation() === $before, $own->commit() === $before);
$compare();
echo json_encode(array_map('basename', glob("$joined/*.segment"))), "\n";

// What is refused changes nothing.
$clean = fn (string $text) => str_replace([$joined, $source], ['OWN', 'OTHER'], $text);
$refused = function (string $what, callable $make) use ($own, $clean) {
    $folder = $make(new_folder());
    try {
        $own->addIndex($folder);
        echo "$what: added\n";
    } catch (Throwable $e) {
        echo $what, ': ', get_class($e), ' ', $e->getCode(), ': ', str_replace($folder, 'OTHER', $clean($e->getMessage())), "\n";
    }
};
$made = fn (array $fields, ?Analyzer $analyzer = null) => function (string $folder) use ($fields, $analyzer) {
    IndexWriter::open($folder, $fields, $analyzer ?? new Analyzer('english'))->close();
    return $folder;
};
$refused('itself', fn () => $joined);
$refused('no folder', fn (string $folder) => $folder);
$refused('no index', function (string $folder) {
    mkdir($folder);
    return $folder;
});
$refused('no index of this library', function (string $folder) {
    mkdir($folder);
    file_put_contents("$folder/manifest", 'what?');
    return $folder;
});
$refused('a field less', $made(array_slice($fields, 0, 2)));
$refused('a field more', $made($fields + ['more' => []]));
$refused('another kind', $made(['tag' => ['numeric' => true]] + $fields));
$refused('another order', $made(array_reverse($fields)));
$refused('another analyzer', $made($fields, new Analyzer('german')));
var_dump($own->hasChanges());
$own->close();
[, $said] = child(
    'try { Postings\IndexWriter::open(' . var_export($joined, true) . ')->addIndex(' . var_export($source, true) . '); }
    catch (Postings\IndexException $e) { echo $e->getMessage(); }',
    ['open_basedir' => $joined],
);
echo $clean($said), "\n";
try {
    $own->addIndex($source);
} catch (Error $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
int(299)
498 documents, 296 of bob
bool(true)
bool(false)
bool(true)
bool(true)
498 documents, 296 of bob
["7.segment"]
itself: ValueError 0: Postings\IndexWriter::addIndex(): Argument #1 ($folder) cannot be used: the index OWN cannot be added to itself
no folder: Postings\IndexException 1: OTHER: No such file or directory (os error 2)
no index: Postings\IndexException 1: OTHER: is not an index: it has no file named manifest
no index of this library: Postings\CorruptDataException 4: manifest: header of OTHER/manifest at byte 0: it does not begin with PMAN
a field less: ValueError 0: Postings\IndexWriter::addIndex(): Argument #1 ($folder) cannot be used: the index OTHER cannot be added to OWN, which was created otherwise: it has a field "number"
a field more: ValueError 0: Postings\IndexWriter::addIndex(): Argument #1 ($folder) cannot be used: the index OTHER cannot be added to OWN, which was created otherwise: it has no field "more"
another kind: ValueError 0: Postings\IndexWriter::addIndex(): Argument #1 ($folder) cannot be used: the index OTHER cannot be added to OWN, which was created otherwise: field "tag" is Keyword, not Numeric
another order: ValueError 0: Postings\IndexWriter::addIndex(): Argument #1 ($folder) cannot be used: the index OTHER cannot be added to OWN, which was created otherwise: its fields are in another order
another analyzer: ValueError 0: Postings\IndexWriter::addIndex(): Argument #1 ($folder) cannot be used: the index OTHER cannot be added to OWN, which was created otherwise: its analyzer is version 1, language english, not version 1, language german
bool(false)
OTHER: open_basedir does not allow it
the Postings\IndexWriter is closed
