--TEST--
An index is asked from elsewhere: requests, responses, and what is refused
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';

use Postings\{Analyzer, Filter, Index, IndexWriter, Leaf, LeafClient, LeafException};

$fields = ['title' => ['stored' => true], 'tag' => ['keyword' => true], 'price' => ['numeric' => true], 'place' => ['geo' => true]];
$writer = IndexWriter::open($folder = new_folder(), $fields);
foreach (range(1, 30) as $id) {
    $writer->add($id % 2 ? $id : "id $id", ['title' => "red shoe number$id", 'tag' => 't' . $id % 3, 'price' => $id, 'place' => [$id, 2 * $id]]);
}
$writer->commit();
$index = Index::open($folder);
$leaf = Leaf::open($folder);
$client = LeafClient::fromResponse($schema = $leaf->handle(LeafClient::schemaRequest()));
$ask = fn ($request) => $request->read($leaf->handle($request->bytes()));

// The same answers.
$searches = [
    [], ['limit' => 3, 'offset' => 2, 'total' => true], ['filter' => ['tag' => 't1', 'price' => [3, 20]], 'sort' => ['price' => 'desc']],
    ['filter' => [Filter::not(Filter::ids([1, 'id 2'])), Filter::near('place', 3, 6, 500_000)], 'sort' => ['place' => [3, 6]]],
    ['filter' => [Filter::box('place', [0, 0], [20, 40])], 'facets' => ['tag' => 5, 'price']], ['distinct' => 'tag', 'sort' => [':id' => 'desc']],
];
foreach ($searches as $options) {
    $plain = fn ($hits) => [$hits->total, $hits->facets, $hits->expired, json_encode($hits), $hits->docIds(), serialize(iterator_to_array($hits))];
    $wanted = $index->search('shoe', ...$options);
    if ($plain($ask($client->search('shoe', ...$options))) !== $plain($wanted) || count($wanted) === 0) {
        echo json_encode($options), ": differs\n";
    }
    $batch = $ask($client->searchBatch(['a' => 'shoe', 7 => 'nothing'], ...$options));
    if (array_keys($batch) !== ['a', 7] || $plain($batch['a']) !== $plain($wanted) || count($batch[7]) !== 0) {
        echo json_encode($options), ": the batch differs\n";
    }
}
var_dump($ask($client->suggest('sh')), $ask($client->suggest('re', field: 'title', limit: 0)));
var_dump($ask($client->stored([3, 'id 4', 4, 'nobody'])));
var_dump($ask($client->statistics('red shoe'))->toBytes() === $index->statistics('red shoe')->toBytes());
var_dump($client->fields() == $index->fields());
$lean = LeafClient::fromResponse($schema, stored: false);
var_dump($ask($lean->search('shoe', limit: 1))[0]->fields, json_encode($ask($lean->search('number1'))));

// Commits.
$throws = function (callable $call): void {
    try {
        $call();
        echo "nothing was thrown\n";
    } catch (Throwable $error) {
        echo $error::class, ' ', $error->getCode(), ': ', preg_replace('/[0-9a-f]{16}/', '…', $error->getMessage()), "\n";
    }
};
$request = $client->search('new');
$first = LeafClient::commit($schema);
var_dump($first === $leaf->commit(), preg_match('/^[0-9a-f]{16}-2$/', $first));
$writer->add(31, ['title' => 'new']);
$writer->commit();
$late = $leaf->handle($request->bytes($first));
var_dump(LeafClient::commit($late) === $leaf->commit(), LeafClient::commit($late) === $first, count($ask($request)));
$throws(fn () => $request->read($late));
$index->reload();
$index->snapshot($copy = new_folder());
var_dump(Leaf::open($copy)->commit() === $leaf->commit());

// Refusals.
$other = IndexWriter::open($elsewhere = new_folder(), $fields, new Analyzer('english'));
$throws(fn () => $request->read(Leaf::open($elsewhere)->handle($request->bytes())));
$throws(fn () => $request->read($leaf->handle('GET / HTTP/1.1')));
$throws(fn () => $request->read($leaf->handle(substr($request->bytes(), 0, -1))));
$throws(fn () => $request->read($leaf->handle(substr_replace($request->bytes(), "\x02", 4, 1))));
$throws(fn () => $request->read(substr_replace($leaf->handle($request->bytes()), "\x02", 4, 1)));
$throws(fn () => $request->read('<html>502 Bad Gateway</html>'));
$throws(fn () => $request->read(''));
$throws(fn () => LeafClient::fromResponse('<html>'));
$throws(fn () => LeafClient::commit('<html>'));
$throws(fn () => $ask($client->search('other', statistics: $index->statistics('red'))));
$throws(fn () => $ask($client->searchBatch(array_fill(0, 60_000, 'shoe'), limit: 1_000_000)));
$throws(fn () => $client->searchBatch(array_fill(0, 70_000, 'shoe')));
$throws(fn () => $client->search('shoe', after: $index->search('shoe')[0]));
$throws(fn () => $client->search('shoe', filter: [$index->postings('shoe')]));
$throws(fn () => $client->search('shoe', sort: ['title' => 'asc']));
$throws(fn () => $client->searchBatch(['a', 1]));
$throws(fn () => $client->stored([1.5]));
$throws(fn () => $client->suggest('a', field: 'tag'));
$throws(fn () => $request->bytes('2'));
$throws(fn () => $client->statistics('number1')->read($leaf->handle($client->statistics('number1 n*')->bytes(), 0)));
$throws(fn () => $client->statistics('number1')->read($leaf->handle($client->statistics('number1 n*')->bytes(deadline: 0))));
$throws(fn () => $request->bytes(null, -1));
var_dump($request->read($leaf->handle($request->bytes(deadline: 0)))->expired);
$throws(fn () => $leaf->handle('', -1));
var_dump($request->read($leaf->handle($request->bytes(), deadline: 0))->expired);
$throws(fn () => Leaf::open("$folder/none"));
$throws(fn () => new Leaf());
$throws(fn () => serialize($request));
echo implode(' ', (new ReflectionClass(LeafException::class))->getConstants()), "\n";
?>
--EXPECTF--
array(1) {
  ["shoe"]=>
  int(30)
}
array(0) {
}
array(4) {
  [0]=>
  array(1) {
    ["title"]=>
    string(16) "red shoe number3"
  }
  [1]=>
  array(1) {
    ["title"]=>
    string(16) "red shoe number4"
  }
  [2]=>
  NULL
  [3]=>
  NULL
}
bool(true)
bool(true)
array(0) {
}
string(57) "{"total":null,"hits":[{"id":1,"score":3.02852201461792}]}"
bool(true)
int(1)
bool(true)
bool(false)
int(1)
Postings\LeafException 3: the leaf has commit …-3, and …-2 was asked for
bool(true)
Postings\LeafException 2: the request is made for schema and analyzer …, and the leaf has …
Postings\LeafException 4: request: begin at byte 0: it does not begin with PREQ
Postings\LeafException 4: request: checksum at byte 61: it is wrong, or the bytes are cut off
Postings\LeafException 1: the request is of version 2 of the exchange, and this is version 1
Postings\LeafException 1: the response is of version 2 of the exchange, and this is version 1
Postings\CorruptDataException 4: response: begin at byte 0: it does not begin with PRES
Postings\CorruptDataException 4: response: begin at byte 0: it does not begin with PRES
Postings\CorruptDataException 4: response: begin at byte 0: it does not begin with PRES
Postings\CorruptDataException 4: response: begin at byte 0: it does not begin with PRES
Postings\StatisticsException 0: the statistics do not tell of the term "other" of the field title
Postings\LeafException 4: up to 1860000 hits and values of facets are asked for, more than 1048576
Postings\LeafException 4: 70000 queries are more than 65536
ValueError 0: Postings\LeafClient::search(): Argument #13 ($after) must be null: a place is one in the order of one index; use an offset
ValueError 0: Postings\LeafClient::search(): Argument #1 ($query) cannot be used: docIDs are those of one index: a leaf has others
ValueError 0: Postings\LeafClient::search(): Argument #6 ($sort) field 'title': is text; hits are sorted by numeric and keyword fields, distances, ':score' and ':id'
TypeError 0: Postings\LeafClient::searchBatch(): Argument #1 ($queries) must contain only string or array, int given at index 1
TypeError 0: Postings\LeafClient::stored(): Argument #1 ($ids) must contain only int|string, float given at index 0
ValueError 0: Postings\LeafClient::suggest(): Argument #3 ($field) field 'tag': must be a text field
ValueError 0: Postings\LeafRequest::bytes(): Argument #1 ($commit) must be a commit as LeafClient::commit() returns it
Postings\LeafException 5: the deadline has passed
Postings\LeafException 5: the deadline has passed
ValueError 0: Postings\LeafRequest::bytes(): Argument #2 ($deadline) must not be negative, -1 given
bool(true)
ValueError 0: Postings\Leaf::handle(): Argument #2 ($deadline) must not be negative, -1 given
bool(true)
Postings\IndexException 1: %s/none: No such file or directory (os error 2)
Error 0: Call to private Postings\Leaf::__construct() from global scope
Exception 0: Serialization of 'Postings\LeafRequest' is not allowed
1 2 3 4 5 6
