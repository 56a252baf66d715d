--TEST--
Hits as values: docIds(), serialize(), json_encode(), var_dump()
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Hit, Hits};

$index = catalogue();
$hits = $index->search('list', limit: 3, total: true, facets: ['lang', 'price']);
outcome('docIds', fn () => array_map($index->id(...), $hits->docIds()) === $hits->ids());
outcome('json', fn () => json_decode(json_encode($hits), true)['hits'][0] === json_decode(json_encode($hits[0]), true));
echo json_encode($hits[0]->id), json_encode(array_keys($hits[0]->jsonSerialize())), "\n";
$copy = unserialize(serialize($hits));
outcome('hits', fn () => [get_class($copy), iterator_to_array($copy) == iterator_to_array($hits), $copy->total === $hits->total, $copy->facets === $hits->facets, $copy->expired]);
outcome('again', fn () => serialize(unserialize(serialize($copy))) === serialize($hits));
outcome('json of a copy', fn () => json_encode($copy) === json_encode($hits));
outcome('empty', fn () => count(unserialize(serialize($index->search('nothing')))));
outcome('a hit', fn () => unserialize(serialize($hits[1])) == $hits[1]);
outcome('after a copy', fn () => $index->search('list', after: unserialize(serialize($hits[0])), limit: 2)->ids() === array_slice($hits->ids(), 1));
outcome('changed', fn () => $copy->__unserialize($copy->__serialize()));
ob_start();
var_dump($hits);
$dump = ob_get_clean();
outcome('var_dump', fn () => [str_contains($dump, 'object(Postings\Hits)'), substr_count($dump, 'object(Postings\Hit)'), str_contains($dump, '["facets"]'), str_contains($dump, 'Posting lists')]);
$bytes = serialize($hits);
foreach (['"hits"' => '"hitz"', 's:5:"total";i:5' => 's:5:"total";i:-5', 's:7:"expired";b:0' => 's:7:"expired";i:0', 'i:0;s:4:"list";i:1;d:' => 'i:0;d:5;i:1;d:', 's:4:"hits";a:3' => 's:4:"hits";b:1;x'] as $from => $to) {
    $changed = str_replace($from, $to, $bytes);
    try {
        $result = @unserialize($changed);
        echo $changed === $bytes ? "$from is not there\n" : (($result === false) ? "false\n" : "accepted\n");
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
foreach (['C:13:"Postings\Hits":0:{}', 'O:13:"Postings\Hits":0:{}', 'O:13:"Postings\Hits":4:{s:5:"total";N;s:7:"expired";b:0;s:6:"facets";N;s:4:"hits";a:1:{i:0;a:4:{i:0;d:1;i:1;d:1;i:2;i:0;i:3;a:0:{}}}}', 'O:12:"Postings\Hit":1:{s:2:"id";a:0:{}}'] as $bad) {
    outcome('bad', fn () => unserialize($bad));
}
outcome('a hit without values', fn () => json_encode(unserialize('O:12:"Postings\Hit":0:{}')));
outcome('after it', fn () => $index->search('list', after: unserialize('O:12:"Postings\Hit":0:{}'))->ids());
?>
--EXPECT--
docIds: returned true
json: returned true
"list"["id","score","fields"]
hits: returned array (
  0 => 'Postings\\Hits',
  1 => true,
  2 => true,
  3 => true,
  4 => false,
)
again: returned true
json of a copy: returned true
empty: returned 0
a hit: returned true
after a copy: returned true
changed: Error: Postings\Hits objects cannot be changed
var_dump: returned array (
  0 => true,
  1 => 3,
  2 => true,
  3 => true,
)
Postings\CorruptDataException: hits: serialized data: hits
Postings\CorruptDataException: hits: serialized data: total must be null or not negative, and expired bool
Postings\CorruptDataException: hits: serialized data: total must be null or not negative, and expired bool
Postings\CorruptDataException: hits: serialized data: a hit must be a list of id, score, docID and fields
Postings\CorruptDataException: hits: serialized data: facets must be null or an array, and hits a list
bad: Postings\CorruptDataException: hits: serialized data: is of the format C:, and hits are written as O:
bad: Postings\CorruptDataException: hits: serialized data: total
bad: Postings\CorruptDataException: hits: serialized data: a hit must be a list of id, score, docID and fields
bad: TypeError: Cannot assign array to property Postings\Hit::$id of type string|int
a hit without values: returned '{"id":null,"score":null}'
after it: ValueError: Postings\Index::search(): Argument #13 ($after) is a hit without id or score