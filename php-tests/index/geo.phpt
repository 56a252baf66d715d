--TEST--
Geo fields: values, Filter::near(), Filter::box(), sorting by distance, Hit::$distance
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Filter, Hits, Index, IndexWriter};

const RADIUS = 6_371_008.7714;
function metres(array $a, array $b): float
{
    [$lat, $lng] = [deg2rad($b[0] - $a[0]), deg2rad($b[1] - $a[1])];
    $h = sin($lat / 2) ** 2 + cos(deg2rad($a[0])) * cos(deg2rad($b[0])) * sin($lng / 2) ** 2;
    return 2 * RADIUS * asin(sqrt(min(1, $h)));
}

// Five commits around a town, the antimeridian and a pole; the definition is PHP's.
$folder = new_folder();
$writer = IndexWriter::open($folder, ['text' => [], 'place' => ['geo' => true, 'stored' => true], 'tag' => ['keyword' => true]]);
$writer->commit();
outcome('fields', fn () => json_encode(Index::open($folder)->fields()));
$places = [];
mt_srand(5);
$random = fn (float $from, float $to) => $from + ($to - $from) * mt_rand() / mt_getrandmax();
for ($i = 0; $i < 1000; $i++) {
    $place = match ($i % 5) {
        0 => [$random(-20, 20), $random(179, 181)],
        1 => [$random(89, 90), $random(-180, 180)],
        2 => null,
        default => [$random(48, 48.2), $random(11.4, 11.8)],
    };
    if ($place && $place[1] > 180) {
        $place[1] -= 360;
    }
    $places[$i] = $place;
    $given = match (true) {
        $place === null || $i % 3 === 0 => $place,
        $i % 3 === 1 => ['lng' => $place[1], 'lat' => $place[0]],
        default => ['lat' => $place[0], 'lon' => $place[1]],
    };
    $writer->add($i, ['text' => $i % 2 ? 'odd' : 'even', 'place' => $given, 'tag' => "t$i"]);
    if ($i % 200 === 199) {
        $writer->commit();
    }
}
foreach ([3, 500, 999] as $id) {
    $writer->delete($id);
    unset($places[$id]);
}
$writer->commit();

$between = fn (float $low, float $x, float $high) => $low <= $x && $x <= $high;
$cases = [
    'near' => [Filter::near('place', 48.1, 11.6, metres: 5000), fn ($p) => metres([48.1, 11.6], $p) <= 5000],
    'near, named' => [Filter::near(field: 'place', lat: 48, lng: 11, metres: 50e3), fn ($p) => metres([48, 11], $p) <= 50e3],
    'near the antimeridian' => [Filter::near('place', 3, -180, 100_000), fn ($p) => metres([3, -180], $p) <= 1e5],
    'near the pole' => [Filter::near('place', 89.9, 60, 40_000), fn ($p) => metres([89.9, 60], $p) <= 4e4],
    'everywhere' => [Filter::near('place', -60, -50, 3e7), fn () => true],
    'nowhere' => [Filter::near('place', -60, -50, 0), fn () => false],
    'box' => [Filter::box('place', [48, 11.5], ['lat' => 48.1, 'lng' => 11.7]), fn ($p) => $between(48, $p[0], 48.1) && $between(11.5, $p[1], 11.7)],
    'box across the antimeridian' => [Filter::box('place', [-5, 179.5], [5, -179.5]), fn ($p) => abs($p[0]) <= 5 && abs($p[1]) >= 179.5],
    'box around the earth' => [Filter::box('place', [-90, -180], [90, 180]), fn () => true],
];
foreach (['several segments', 'optimized'] as $state) {
    $index = Index::open($folder);
    foreach ($cases as $what => [$filter, $is]) {
        foreach (['', 'odd'] as $query) {
            $is = fn ($p) => $p !== null && $cases[$what][1]($p);
            $matches = fn ($id) => $query === '' || $id % 2 === 1;
            foreach ([[[$filter], fn ($p, $id) => $is($p)], [[Filter::not([$filter])], fn ($p) => !$is($p)],
                [[Filter::any($filter, Filter::missing('place'))], fn ($p) => $p === null || $is($p)],
                [[$filter, Filter::ids(range(0, 50))], fn ($p, $id) => $is($p) && $id <= 50]] as [$filters, $passes]) {
                $wanted = array_keys(array_filter($places, fn ($p, $id) => $matches($id) && $passes($p, $id), ARRAY_FILTER_USE_BOTH));
                $hits = $index->search($query, limit: 1000, filter: $filters, total: true);
                $found = $hits->ids();
                sort($found);
                $stream = $index->stream(limit: 1000, filter: $filters);
                $stream->push($query);
                [$streamed] = array_values($stream->take(60_000));
                $same = $found === $wanted && $hits->total === count($wanted) && $index->count($query, filter: $filters) === count($wanted)
                    && $index->searchBatch([$query], limit: 1000, filter: $filters)[0]->ids() === $hits->ids() && $streamed->ids() === $hits->ids()
                    && count($index->facets('tag', $query, filter: $filters, limit: 1000)) === count($wanted);
                if (!$same) {
                    echo "$state, $what, '$query': ", json_encode($found), ' instead of ', json_encode($wanted), "\n";
                }
            }
        }
    }

    foreach ([[48.1, 11.6], ['lat' => 1, 'lon' => -179.9], [90, 0]] as $from) {
        $distances = array_map(fn ($p) => $p === null ? INF : metres(array_values($from), $p), $places);
        $hits = $index->search('', limit: 1000, sort: ['place' => $from]);
        $last = -1.0;
        foreach ($hits as $hit) {
            $distance = $hit->distance ?? INF;
            if ($distance < $last || abs($distance - $distances[$hit->id]) > 0.02) {
                echo "$state: $hit->id is ", var_export($hit->distance, true), " and not {$distances[$hit->id]} m away\n";
            }
            $last = $distance;
        }
        $ids = $hits->ids();
        $of = $index->search('', limit: 3, offset: 2, sort: ['place' => $from])->ids() === array_slice($ids, 2, 3)
            && $index->search('', limit: 3, sort: ['place' => $from], after: $hits[99])->ids() === array_slice($ids, 100, 3)
            && $index->search('', limit: 3, sort: ['place' => $from], after: [$hits[99]->distance, $hits[99]->id])->ids() === array_slice($ids, 100, 3)
            && $index->search('', limit: 3, sort: ['place' => $from], after: [null, $ids[900]])->ids() === array_slice($ids, 901, 3)
            && $index->searchBatch(['', ''], limit: 4, sort: ['place' => $from, ':id' => 'desc'])[1]->ids() === array_slice($ids, 0, 4);
        outcome("$state, pages", fn () => [count($ids), $of]);
    }
    if ($state === 'several segments') {
        $writer->optimize(reorder: true);
    }
}

// The distance is that of sort:, otherwise of the first near() of the filter.
$ids = [Filter::ids([4, 7])];
$far = Filter::near('place', 0, 0, 3e7);
$near = Filter::near('place', ...$places[4], metres: 3e7);
$distances = fn (Hits $hits) => array_map(fn ($hit) => $hit->distance === null ? null : round($hit->distance), iterator_to_array($hits));
outcome('no distance', fn () => $distances($index->search('', filter: $ids)));
outcome('of near', fn () => $distances($index->search('', filter: [...$ids, Filter::any($near, $far)]))[0]);
outcome('of sort', fn () => round($index->search('', filter: [...$ids, $far], sort: [':id' => 'asc', 'place' => $places[4]])[0]->distance));
$hits = $index->search('', filter: [...$ids, Filter::any($near, Filter::missing('place'))], sort: [':id' => 'asc']);
outcome('json', fn () => array_map(array_keys(...), json_decode(json_encode($hits), true)['hits']));
outcome('json of a hit', fn () => array_keys($hits[0]->jsonSerialize()));
outcome('serialized', fn () => [unserialize(serialize($hits))[0] == $hits[0], json_encode(unserialize(serialize($hits))) === json_encode($hits), serialize(unserialize(serialize($hits))) === serialize($hits)]);
outcome('stored', fn () => [$hits[0]->fields['place'] === $places[4], $index->search('', filter: [Filter::ids(2)])[0]->fields]);

$writer->add('here', ['place' => [48, 11]]);
$writer->add('list', ['place' => ['lat' => -90, 'lng' => 180.0]]);
outcome('deleted', fn () => $writer->deleteWhere([Filter::near('place', 48, 11, 1)]));
$writer->commit();
outcome('left', fn () => Index::open($folder)->search('', filter: [Filter::ids('here', 'list')])[0]->fields['place']);

$add = fn (mixed $place) => fn () => $writer->add(1, ['place' => $place]);
foreach ([[91, 0], [0, -180.5], [NAN, 0], [0, INF], '48,11', 48.1, true, [48], [1, 2, 3], ['lat' => 1], ['lat' => 1, 'x' => 2], ['48', 11], [[48, 11], [49, 12]], []] as $place) {
    outcome('place', $add($place));
}
outcome('tokens', fn () => $writer->addTokens(1, ['place' => ['a']]));
foreach ([['geo' => true, 'keyword' => true], ['geo' => true, 'weight' => 2], ['geo' => true, 'indexed' => false, 'stored' => true], ['geo' => 1], ['geo' => false, 'numeric' => true], ['geo' => false]] as $options) {
    outcome(json_encode($options), fn () => json_encode(IndexWriter::open(new_folder(), ['f' => $options])->fields()['f']));
}
foreach ([[-90.5, 0, 1], [0, 181, 1], [NAN, 0, 1], [0, INF, 1], [0, 0, -1], [0, 0, NAN], [0, 0, INF], ['x', 0, 1], [0, 0]] as $near) {
    outcome('near', fn () => Filter::near('place', ...$near));
}
foreach ([[[49, 11], [48, 12]], [[48], [49, 12]], [[48, 11], [49, '12']], [[48, 11], [90.1, 12]], [[48, -190], [49, 12]], [48, 11]] as $box) {
    outcome('box', fn () => Filter::box('place', ...$box));
}
outcome('near text', fn () => $index->search('', filter: [Filter::near('text', 0, 0, 1)]));
outcome('near nothing', fn () => $index->search('', filter: [Filter::near('nosuch', 0, 0, 1)]));
outcome('a value', fn () => $index->search('', filter: ['place' => [48, 11]]));
outcome('a range', fn () => $index->search('', filter: [Filter::in('place', 48, 11)]));
outcome('asc', fn () => $index->search('', sort: ['place' => 'asc']));
outcome('from nowhere', fn () => $index->search('', sort: ['place' => [48, 181]]));
outcome('from text', fn () => $index->search('', sort: ['text' => [48, 11]]));
outcome('facets', fn () => $index->search('', facets: ['place']));
outcome('facets()', fn () => $index->facets('place'));
outcome('distinct', fn () => $index->search('', distinct: 'place'));
outcome('after', fn () => $index->search('', sort: ['place' => [48, 11]], after: ['5', 4]));
outcome('after', fn () => $index->search('', sort: ['place' => [48, 11]], after: [NAN, 4]));
outcome('terms', fn () => $index->terms('a', 'place'));
?>
--EXPECT--
fields: returned '{"text":{"weight":1},"place":{"geo":true,"stored":true},"tag":{"keyword":true}}'
several segments, pages: returned array (
  0 => 997,
  1 => true,
)
several segments, pages: returned array (
  0 => 997,
  1 => true,
)
several segments, pages: returned array (
  0 => 997,
  1 => true,
)
optimized, pages: returned array (
  0 => 997,
  1 => true,
)
optimized, pages: returned array (
  0 => 997,
  1 => true,
)
optimized, pages: returned array (
  0 => 997,
  1 => true,
)
no distance: returned array (
  0 => NULL,
  1 => NULL,
)
of near: returned 0.0
of sort: returned 0.0
json: returned array (
  0 => 
  array (
    0 => 'id',
    1 => 'score',
    2 => 'fields',
    3 => 'distance',
  ),
  1 => 
  array (
    0 => 'id',
    1 => 'score',
  ),
)
json of a hit: returned array (
  0 => 'id',
  1 => 'score',
  2 => 'fields',
  3 => 'distance',
)
serialized: returned array (
  0 => true,
  1 => true,
  2 => true,
)
stored: returned array (
  0 => true,
  1 => 
  array (
  ),
)
deleted: returned 1
left: returned array (
  0 => -90.0,
  1 => 180.0,
)
place: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must have a latitude from -90 to 90, 91 given
place: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must have a longitude from -180 to 180, -180.5 given
place: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must have a latitude from -90 to 90, NAN given
place: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must have a longitude from -180 to 180, INF given
place: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], string given
place: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], float given
place: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], bool given
place: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], an array of another form given
place: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], an array of another form given
place: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], an array of another form given
place: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], an array of another form given
place: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], both int|float, string given
place: TypeError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], both int|float, array given
place: ValueError: Postings\IndexWriter::add(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], an array of another form given
tokens: ValueError: Postings\IndexWriter::addTokens(): Argument #2 ($document) field 'place' must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], an array of another form given
{"geo":true,"keyword":true}: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': a geo field cannot be text, keyword or numeric, too: its values are points
{"geo":true,"weight":2}: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': a geo field cannot be text, keyword or numeric, too: its values are points
{"geo":true,"indexed":false,"stored":true}: ValueError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': it cannot be text, keyword, numeric or geo without being indexed
{"geo":1}: TypeError: Postings\IndexWriter::open(): Argument #2 ($fields) field 'f': 'geo' must be bool, int given
{"geo":false,"numeric":true}: returned '{"numeric":true}'
{"geo":false}: returned '{"weight":1}'
near: ValueError: Postings\Filter::near(): Argument #2 ($lat) must be a latitude from -90 to 90, -90.5 given
near: ValueError: Postings\Filter::near(): Argument #3 ($lng) must be a longitude from -180 to 180, 181 given
near: ValueError: Postings\Filter::near(): Argument #2 ($lat) must be a latitude from -90 to 90, NAN given
near: ValueError: Postings\Filter::near(): Argument #3 ($lng) must be a longitude from -180 to 180, INF given
near: ValueError: Postings\Filter::near(): Argument #4 ($metres) must be finite and not negative, -1 given
near: ValueError: Postings\Filter::near(): Argument #4 ($metres) must be finite and not negative, NAN given
near: ValueError: Postings\Filter::near(): Argument #4 ($metres) must be finite and not negative, INF given
near: TypeError: Postings\Filter::near(): Argument #2 ($lat) must be of type float, string given
near: ArgumentCountError: Postings\Filter::near() expects exactly 4 arguments, 3 given
box: ValueError: Postings\Filter::box(): Argument #3 ($northEast) must not be south of $southWest, at latitude 49; 48 given
box: ValueError: Postings\Filter::box(): Argument #2 ($southWest) must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], an array of another form given
box: TypeError: Postings\Filter::box(): Argument #3 ($northEast) must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], both int|float, string given
box: ValueError: Postings\Filter::box(): Argument #3 ($northEast) must have a latitude from -90 to 90, 90.1 given
box: ValueError: Postings\Filter::box(): Argument #2 ($southWest) must have a longitude from -180 to 180, -190 given
box: TypeError: Postings\Filter::box(): Argument #2 ($southWest) must be of type array, int given
near text: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'text': is no geo field; areas need one
near nothing: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'nosuch': there is none, only 'text', 'place', 'tag'
a value: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'place': is a geo field; filters are Filter::near(), box(), exists() and missing()
a range: ValueError: Postings\Index::search(): Argument #5 ($filter) field 'place': is a geo field; filters are Filter::near(), box(), exists() and missing()
asc: TypeError: Postings\Index::search(): Argument #6 ($sort) field 'place': must be [latitude, longitude] or ['lat' => latitude, 'lng' => longitude], string given
from nowhere: ValueError: Postings\Index::search(): Argument #6 ($sort) field 'place': must have a longitude from -180 to 180, 181 given
from text: ValueError: Postings\Index::search(): Argument #6 ($sort) field 'text': is text; hits are sorted by numeric and keyword fields, distances, ':score' and ':id'
facets: ValueError: Postings\Index::search(): Argument #11 ($facets) field 'place': must be a keyword or numeric field
facets(): ValueError: Postings\Index::facets(): Argument #1 ($field) field 'place': must be a keyword field
distinct: ValueError: Postings\Index::search(): Argument #12 ($distinct) field 'place': must be a keyword or numeric field
after: TypeError: Postings\Index::search(): Argument #13 ($after) must have int|float at index 0, string given
after: ValueError: Postings\Index::search(): Argument #13 ($after) cannot be used: what hits are to come after has other values than they are sorted by
terms: ValueError: Postings\Index::terms(): Argument #2 ($field) field 'place': must be a text or keyword field
