--TEST--
similar() and similarBatch() find what a search for the best words of a document finds; occurrences() counts
--FILE--
<?php
require __DIR__ . '/../index.inc';

use Postings\{Analyzer, Index, IndexWriter, Matching};

$folder = new_folder();
$writer = IndexWriter::open($folder, ['title' => ['weight' => 2, 'stored' => true], 'text' => ['stored' => true], 'note' => [], 'tag' => ['keyword' => true]], new Analyzer('english'));
$documents = [
    'whale' => ['title' => 'The white whale', 'text' => 'A whale, white as snow, and a captain who hunts whales.', 'tag' => 'sea'],
    'sea' => ['title' => 'At sea', 'text' => 'The captain saw the whale from his ship.', 'tag' => ['sea', 'ship']],
    'snow' => ['title' => 'Snow', 'text' => 'White snow fell on the white town.', 'tag' => 'land'],
    'town' => ['title' => 'A town', 'text' => 'Nothing ever happens in the town.', 'note' => 'whale', 'tag' => 'land'],
    'empty' => ['tag' => 'land'],
    7 => ['title' => 'Hunters', 'text' => ['Who hunts whales?', 'A captain hunts.'], 'tag' => 'sea'],
];
$writer->addAll($documents);
$writer->commit();
$writer->add('late', ['title' => 'Captains', 'text' => 'Captains of whalers', 'tag' => 'sea']);
$writer->commit();
$index = Index::open($folder);

/** The documents, by the definition: tf · idf of what the analyzer gives, the words as a query. */
function by_hand(Index $index, array $texts, ?string $id, int $words, array $fields, mixed ...$how): array
{
    $terms = $written = [];
    foreach (array_merge(...array_map(fn ($text) => (array) $text, array_values($texts))) as $text) {
        preg_match_all('/[\pL\pN]+/u', $text, $found);
        foreach ($found[0] as $word) {
            foreach ($index->analyzer()->tokens($word) as $term) {
                $terms[$term] = ($terms[$term] ?? 0) + 1;
                $written[$term] ??= $word;
            }
        }
    }
    $all = $index->documents();
    $weights = [];
    foreach ($terms as $term => $tf) {
        $n = max(array_map(fn (string $field) => $index->terms((string) $term, $field, 1)[$term] ?? 0, $fields));
        if ($n > ($id === null ? 0 : 1)) {
            $weights[$term] = $tf * log1p(($all - $n + 0.5) / ($n + 0.5));
        }
    }
    uksort($weights, fn ($a, $b) => $weights[$b] <=> $weights[$a] ?: strcmp((string) $a, (string) $b));
    $weights = array_slice($weights, 0, $words, true);
    $query = implode(' ', array_map(fn ($term) => sprintf('%s^%.3f', $written[$term], $weights[$term] / max($weights)), array_keys($weights)));
    if ($query === '') {
        return [];
    }
    $hits = [];
    foreach ($index->search($query, ...$how, matching: Matching::Any, limit: 100, fields: $fields) as $hit) {
        if ($hit->id !== $id) {
            $hits[] = [$hit->id, $hit->score];
        }
    }
    return $hits;
}

$found = fn ($hits) => array_map(fn ($hit) => [$hit->id, $hit->score], iterator_to_array($hits));
$fields = ['title', 'text', 'note'];
foreach (['whale', 'sea', 'snow', 'town', 'late', 'empty'] as $id) {
    $texts = array_intersect_key($index->stored($id), ['title' => 1, 'text' => 1]);
    foreach ([25, 3, 1] as $words) {
        outcome("$id $words", fn () => $found($index->similar($id, words: $words)) === by_hand($index, $texts, $id, $words, $fields));
    }
    outcome("$id, in text", fn () => $found($index->similar($id, fields: ['text'])) === by_hand($index, [$texts['text'] ?? ''], $id, 25, ['text']));
    outcome("$id, filtered", fn () => $found($index->similar($id, filter: ['tag' => 'sea'], weights: ['title' => 5])) === by_hand($index, $texts, $id, 25, $fields, filter: ['tag' => 'sea'], weights: ['title' => 5]));
}
$text = 'A white ship in the snow';
outcome('text', fn () => $found($index->similar(text: $text)) === by_hand($index, [$text], null, 25, $fields));
outcome('text of a document', fn () => $found($index->similar('snow', $text)) === by_hand($index, [$text], 'snow', 25, $fields));
echo json_encode($index->similar('whale')->ids()), json_encode($index->similar(7)->ids()), json_encode($index->similar('whale', limit: 2)->ids()), json_encode($index->similar('whale', limit: 2, offset: 1)->ids()), json_encode($index->similar('whale', limit: 0)->ids()), "\n";
echo json_encode($index->similar(text: '')->ids()), json_encode($index->similar(text: "\xff …")->ids()), json_encode($index->similar(text: 'unknown')->ids()), json_encode($index->similar(text: '"whale" -sea title:x ~^*')->ids()), "\n";

$batch = $index->similarBatch(['a' => 'whale', 'b' => 7, 'c' => 'empty', 'd' => 'snow'], ['e' => 'captain', 'd' => $text, 9 => ''], limit: 3);
echo json_encode(array_map(fn ($hits) => $hits->ids(), $batch)), "\n";
$one = ['a' => $index->similar('whale', limit: 3), 'b' => $index->similar(7, limit: 3), 'c' => $index->similar('empty', limit: 3), 'd' => $index->similar('snow', $text, limit: 3), 'e' => $index->similar(text: 'captain', limit: 3), 9 => $index->similar(text: '')];
outcome('batch', fn () => array_map($found, $batch) === array_map($found, $one));
outcome('none', fn () => $index->similarBatch());

outcome('neither', fn () => $index->similar());
outcome('unknown', fn () => $index->similar('nosuch'));
outcome('not stored', fn () => $index->similar('whale', fields: ['note']));
outcome('not text', fn () => $index->similar('whale', fields: ['tag']));
outcome('type', fn () => $index->similar([]));
outcome('words', fn () => $index->similar('whale', words: 0));
outcome('words', fn () => $index->similarBatch(['whale'], words: 1001));
outcome('ids', fn () => $index->similarBatch(['x' => 1.5]));
outcome('texts', fn () => $index->similarBatch([], ['x' => 1]));
outcome('unknown', fn () => $index->similarBatch(['whale', 'nosuch']));
$writer->delete('whale');
$writer->commit();
$index->reload();
outcome('deleted', fn () => $index->similar('whale'));

echo json_encode([$index->occurrences('white', 'text'), $index->occurrences('white', 'title'), $index->occurrences('town'), $index->occurrences('White'), $index->occurrences('hunt', 'text'), $index->occurrences('sea', 'tag')]), "\n";
outcome('unknown', fn () => $index->occurrences('x', 'nosuch'));
$writer->optimize();
$index->reload();
echo json_encode([$index->occurrences('white', 'text'), $index->occurrences('sea', 'tag')]), "\n";
for ($i = 0; $i < 300; $i++) {
    $writer->add($i, ['text' => str_repeat('many ', $i + 1)]);
}
$writer->commit();
$index->reload();
echo $index->occurrences('mani', 'text'), ' ', array_sum(range(1, 300)), ' ', $index->terms('mani', 'text')['mani'], "\n";
?>
--EXPECT--
whale 25: returned true
whale 3: returned true
whale 1: returned true
whale, in text: returned true
whale, filtered: returned true
sea 25: returned true
sea 3: returned true
sea 1: returned true
sea, in text: returned true
sea, filtered: returned true
snow 25: returned true
snow 3: returned true
snow 1: returned true
snow, in text: returned true
snow, filtered: returned true
town 25: returned true
town 3: returned true
town 1: returned true
town, in text: returned true
town, filtered: returned true
late 25: returned true
late 3: returned true
late 1: returned true
late, in text: returned true
late, filtered: returned true
empty 25: returned true
empty 3: returned true
empty 1: returned true
empty, in text: returned true
empty, filtered: returned true
text: returned true
text of a document: returned true
["snow","town",7,"sea","late"]["whale","town","late","sea"]["snow","town"]["town",7][]
[][][]["sea","whale",7,"town"]
{"a":["snow","town",7],"b":["whale","town","late"],"c":[],"d":["whale","town",7],"e":["late",7,"sea"],"9":[]}
batch: returned true
none: returned array (
)
neither: ValueError: Postings\Index::similar(): Argument #1 ($id) must be the id of a document, or $text must be given; null given
unknown: ValueError: Postings\Index::similar(): Argument #1 ($id) cannot be used: the index has no document 'nosuch'
not stored: ValueError: Postings\Index::similar(): Argument #1 ($id) cannot be used: the texts of document 'whale' are not stored (fields 'note'): give its text
not text: ValueError: Postings\Index::similar(): Argument #7 ($fields) field 'tag': must be text, to be searched
type: TypeError: Postings\Index::similar(): Argument #1 ($id) must be of type int|string, array given
words: ValueError: Postings\Index::similar(): Argument #8 ($words) must be from 1 to 1000, 0 given
words: ValueError: Postings\Index::similarBatch(): Argument #8 ($words) must be from 1 to 1000, 1001 given
ids: TypeError: Postings\Index::similarBatch(): Argument #1 ($ids) must contain only int|string, float given for 'x'
texts: TypeError: Postings\Index::similarBatch(): Argument #2 ($texts) must contain only string, int given for 'x'
unknown: ValueError: Postings\Index::similarBatch(): Argument #1 ($ids) cannot be used: the index has no document 'nosuch'
deleted: ValueError: Postings\Index::similar(): Argument #1 ($id) cannot be used: the index has no document 'whale'
[3,1,1,0,3,4]
unknown: ValueError: Postings\Index::occurrences(): Argument #2 ($field) field 'nosuch': there is none, only 'title', 'text', 'note', 'tag'
[2,3]
45150 45150 300
