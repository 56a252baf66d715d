--TEST--
Vectors over several machines: nearest() and search(nearest:, fusion:) of leaves, merged as one index finds them, and what is refused
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';

use Postings\{Filter, Hits, Index, IndexWriter, Leaf, LeafClient, Statistics};

mt_srand(22);
$fields = [
    'title' => ['stored' => true], 'tag' => ['keyword' => true], 'place' => ['geo' => true], 'e' => ['vector' => 6], 'f' => ['vector' => 3, 'metric' => 'euclidean', 'bits' => 16],
];
$vector = fn (int $count) => array_map(fn () => mt_rand(-4, 4) + 0.5, range(1, $count));
$one = IndexWriter::open($joined = new_folder(), $fields);
foreach (range(0, 2) as $shard) {
    $writer = IndexWriter::open($folder = new_folder(), $fields);
    foreach (range(1, 150) as $number) {
        $id = 1000 * $shard + $number;
        $writer->add($id % 3 ? $id : "id $id", [
            'title' => implode(' ', array_map(fn () => 'w' . (int) (mt_rand(0, 30) * mt_rand(0, 30) / 60), range(1, mt_rand(1, 8)))),
            'tag' => 't' . mt_rand(0, 4), 'place' => $id % 4 ? [$number / 4, $shard] : null, 'e' => $id % 5 ? $vector(6) : null, 'f' => $id % 7 ? $vector(3) : null,
        ]);
        if ($number === 70 || $number === 150) {
            $writer->commit();
        }
    }
    $writer->close();
    $one->addIndex($folder);
    $shards[] = Index::open($folder);
    $leaves[] = Leaf::open($folder);
}
$one->commit();
$one->close();
$one = Index::open($joined);
$client = LeafClient::fromResponse($schema = $leaves[0]->handle(LeafClient::schemaRequest()));
$ask = fn ($request) => array_map(fn ($leaf) => $request->read($leaf->handle($request->bytes($leaf->commit()))), $leaves);
$values = fn (Hits $hits) => array_map(fn ($hit) => [$hit->id, $hit->score, $hit->fields, $hit->distance], iterator_to_array($hits));
$same = function (string $what, Hits $merged, Hits $wanted) use ($values): void {
    if ($values($merged) !== $values($wanted) || $merged->total !== $wanted->total || $merged->facets !== $wanted->facets || count($wanted) === 0) {
        echo "$what: differs\n";
    }
};
$count = 0;
foreach ([[20, 5], [10, 0], [0, 0], [130, 20]] as [$limit, $offset]) {
    $all = $offset + $limit;
    foreach ([[], ['filter' => ['tag' => ['t1', 't2']]], ['filter' => [Filter::near('place', 20, 1, 2_000_000)]]] as $filter) {
        foreach (['e' => 6, 'f' => 3] as $field => $dimensions) {
            $queries = ['a' => $vector($dimensions), 7 => pack('g*', ...$vector($dimensions))];
            $batches = $ask($client->nearestBatch($field, $queries, $all, 0, ...$filter));
            foreach ($queries as $key => $query) {
                $what = json_encode([$limit, $offset, $filter, $field, $key]);
                $wanted = $one->nearest($field, $query, $limit, $offset, ...$filter);
                $from = $ask($client->nearest($field, $query, $all, ...$filter));
                $compare = $limit ? $same : fn (string $what, Hits $hits) => count($hits) && print "$what: differs\n";
                $compare("$what, from leaves", Hits::merge($from, $limit, $offset), $wanted);
                $compare("$what, in a batch", Hits::merge(array_column($batches, $key), $limit, $offset), $wanted);
                $compare("$what, in one process", Hits::merge(array_map(fn ($shard) => $shard->nearest($field, $query, $all, ...$filter), $shards), $limit, $offset), $wanted);
                $compare("$what, unserialized", Hits::merge(unserialize(serialize($from)), $limit, $offset), $wanted);
                ++$count;
            }
        }
        foreach (['w1', 'w2 w5', 'w1* w9', 'nothing', '', '-w1'] as $query) {
            $sum = Statistics::sum(...$ask($client->statistics($query)));
            foreach (['all', 'any', 'all-then-any'] as $matching) {
                foreach (['rrf', ['text' => 1, 'e' => 0.5, 'f' => 2], ['text' => 0.01, 'f' => 3]] as $fusion) {
                    $given = [...$filter, 'matching' => $matching, 'fusion' => $fusion, 'nearest' => ['f' => $vector(3), 'e' => $vector(6)], 'total' => true, 'facets' => ['tag' => 9]];
                    $what = json_encode([$limit, $offset, $filter, $query, $matching, $fusion]);
                    $wanted = $one->search($query, $limit, $offset, ...$given);
                    $compare = $limit ? $same : fn (string $what, Hits $hits, Hits $wanted) => $hits->total === $wanted->total && $hits->facets === $wanted->facets || print "$what: differs\n";
                    $from = $ask($client->search($query, $all, ...$given, statistics: $sum));
                    $compare("$what, from leaves", Hits::merge($from, $limit, $offset), $wanted);
                    $halves = [Hits::merge(array_slice($from, 0, 2), $all), Hits::merge(array_slice($from, 2), $all)];
                    $compare("$what, in two steps", Hits::merge($halves, $limit, $offset), $wanted);
                    $own = array_map(fn ($shard) => $shard->search($query, $all, ...$given, statistics: $sum), $shards);
                    $compare("$what, in one process", Hits::merge($own, $limit, $offset), $wanted);
                    $compare("$what, both", Hits::merge([$from[0], $own[1], $halves[1]], $limit, $offset), $wanted);
                    foreach ($from as $shard => $hits) {
                        if ($values($hits) !== $values($own[$shard]) || serialize($hits) !== serialize($own[$shard]) || json_encode($hits) !== json_encode($own[$shard])) {
                            echo "$what: leaf $shard differs\n";
                        }
                    }
                    // A page of a leaf that is none to merge.
                    $page = $client->search($query, 5, 3, ...$given, statistics: $sum);
                    if ($values($page->read($leaves[0]->handle($page->bytes()))) !== $values($shards[0]->search($query, 5, 3, ...$given, statistics: $sum))) {
                        echo "$what: a page differs\n";
                    }
                    ++$count;
                }
            }
        }
    }
}
echo "$count compared\n";

// The lists decide, not the pages: a hit of the merged ones may be on no page.
$lists = [['title' => 'w', 'f' => [9, 9, 9]], ['f' => [0, 0, 0]], ['title' => 'w w w', 'f' => [1, 1, 1]]];
foreach ($lists as $id => $document) {
    $writer = IndexWriter::open($folder = new_folder(), $fields);
    $writer->add($id, $document);
    $writer->commit();
    $writer->close();
    $few[] = Index::open($folder)->search('w', limit: 1, nearest: ['f' => [0, 0, 0]]);
}
var_dump(Hits::merge($few, 3)->ids(), array_column(iterator_to_array(Hits::merge($few)), 'score') === [1 / 61 + 1 / 62, 1 / 62 + 1 / 63, 1 / 61]);

$leaf = $leaves[0];
$e = $vector(6);
$f = $vector(3);
$fused = fn (mixed ...$more) => $shards[0]->search('w1', ...[...$more, 'nearest' => ['f' => $f]]);
$ask = fn ($request) => $request->read($leaf->handle($request->bytes()));
outcome('other fields', fn () => Hits::merge([$fused(), $shards[1]->search('w1', nearest: ['e' => $e])]));
outcome('other lists', fn () => Hits::merge([$fused(), $shards[1]->search('w1', nearest: ['f' => $f, 'e' => $e])]));
outcome('by scores', fn () => Hits::merge([$fused(), $shards[1]->search('w1', nearest: ['f' => $f], fusion: ['f' => 1])]));
outcome('without vectors', fn () => Hits::merge([$shards[1]->search('w1'), $fused()]));
outcome('a later page', fn () => Hits::merge([$fused(offset: 1)]));
outcome('a later page, merged', fn () => Hits::merge([Hits::merge([$fused()], 5, 1)]));
outcome('too few', fn () => Hits::merge([$fused(limit: 100)], 101));
outcome('unserialized', fn () => Hits::merge([unserialize(serialize($fused()))]));
outcome('no vector field', fn () => $client->nearest('title', $f));
outcome('too many numbers', fn () => $client->nearest('f', $e));
outcome('not finite', fn () => $client->nearest('f', [1, NAN, 2]));
outcome('zeros', fn () => $client->nearest('e', array_fill(0, 6, 0)));
outcome('in a batch', fn () => $client->nearestBatch('f', [$f, [1]]));
outcome('in a search', fn () => $client->search('w1', nearest: ['e' => $f]));
outcome('fusion', fn () => $client->search('w1', nearest: ['e' => $e], fusion: ['text' => -1]));
outcome('sorted', fn () => $ask($client->search('w1', sort: [':id' => 'asc'], nearest: ['e' => $e])));
outcome('weight without a vector', fn () => $ask($client->search('w1', nearest: ['e' => $e], fusion: ['f' => 1])));
outcome('docIDs', fn () => $client->nearest('f', $f, filter: [$shards[0]->postings('w1')]));
outcome('too many vectors', fn () => $client->nearestBatch('f', array_fill(0, 65_537, $f)));
outcome('too many hits', fn () => $ask($client->nearestBatch('f', array_fill(0, 10_000, $f), limit: 1000)));
outcome('a deadline', fn () => $client->nearest('f', $f, deadline: -1));
outcome('expired', fn () => $ask($client->nearest('f', $f, deadline: 0))->expired);
$request = $client->search('w1', nearest: ['f' => $f]);
$expired = $request->read($leaf->handle($request->bytes(deadline: 0)));
outcome('expired', fn () => [$expired->expired, count(Hits::merge([$expired, $fused()])), Hits::merge([$expired, $fused()])->expired]);
outcome('in a batch of searches', fn () => $client->searchBatch(['w1'], nearest: ['f' => $f]));
outcome('none', fn () => $ask($client->nearestBatch('f', [])));
IndexWriter::open($folder = new_folder(), [...$fields, 'f' => ['vector' => 3]])->close();
$other = Leaf::open($folder);
outcome('another metric', fn () => $request->read($other->handle($request->bytes())));
$lean = LeafClient::fromResponse($schema, stored: false);
outcome('without stored fields', fn () => array_filter(array_column(iterator_to_array($ask($lean->search('w1', nearest: ['f' => $f]))), 'fields')));
?>
--EXPECT--
696 compared
array(3) {
  [0]=>
  int(2)
  [1]=>
  int(0)
  [2]=>
  int(1)
}
bool(true)
other fields: ValueError: Postings\Hits::merge(): Argument #1 ($hits) must be of searches that order, group and count alike: those at index 1 differ
other lists: ValueError: Postings\Hits::merge(): Argument #1 ($hits) must be of searches that order, group and count alike: those at index 1 differ
by scores: ValueError: Postings\Hits::merge(): Argument #1 ($hits) must be of searches that order, group and count alike: those at index 1 differ
without vectors: ValueError: Postings\Hits::merge(): Argument #1 ($hits) must be of searches that order, group and count alike: those at index 1 differ
a later page: ValueError: Postings\Hits::merge(): Argument #1 ($hits) cannot be used: hits 0 do not begin at the first: they have an offset or a place
a later page, merged: ValueError: Postings\Hits::merge(): Argument #1 ($hits) cannot be used: hits 0 do not begin at the first: they have an offset or a place
too few: ValueError: Postings\Hits::merge(): Argument #1 ($hits) cannot be used: hits 0 were limited to 100, and 101 are to be merged
unserialized: ValueError: Postings\Hits::merge(): Argument #1 ($hits) have hits at index 0 that were unserialized, and are not in the order of scores alone
no vector field: ValueError: Postings\LeafClient::nearest(): Argument #1 ($field) field 'title': must be a vector field
too many numbers: ValueError: Postings\LeafClient::nearest(): Argument #2 ($vector) must have 3 numbers, 6 given
not finite: ValueError: Postings\LeafClient::nearest(): Argument #2 ($vector) must have finite numbers: number 1 is not, as a 32-bit float
zeros: ValueError: Postings\LeafClient::nearest(): Argument #2 ($vector) must not have zeros alone, which have no cosine
in a batch: ValueError: Postings\LeafClient::nearestBatch(): Argument #2 ($vectors) at index 1: must have 3 numbers, 1 given
in a search: ValueError: Postings\LeafClient::search(): Argument #21 ($nearest) field 'e': must have 6 numbers, 3 given
fusion: ValueError: Postings\LeafClient::search(): Argument #22 ($fusion) 'text': a weight must be from 0 to 1000000, -1 given
sorted: Postings\LeafException: hits of vectors are in the order of their scores: not sorted, distinct or after
weight without a vector: ValueError: Postings\LeafClient::search(): Argument #22 ($fusion) 'f': has a weight, and no vector is looked for in it
docIDs: ValueError: Postings\LeafClient::nearest(): Argument #1 ($field) cannot be used: docIDs are those of one index: a leaf has others
too many vectors: Postings\LeafException: 65537 vectors are more than 65536
too many hits: Postings\LeafException: up to 1500000 hits and values of facets are asked for, more than 1048576
a deadline: ValueError: Postings\LeafClient::nearest(): Argument #6 ($deadline) must not be negative, -1 given
expired: returned true
expired: returned array (
  0 => true,
  1 => 10,
  2 => true,
)
in a batch of searches: Error: Unknown named parameter $nearest
none: returned array (
)
another metric: Postings\LeafException: the request is made for schema and analyzer 839dba499aef1a01, and the leaf has f2985593d489da93
without stored fields: returned array (
)