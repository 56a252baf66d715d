--TEST--
What the last release declared is still there, and calls that suited it still do
--INI--
postings.yioop=1
--FILE--
<?php
require __DIR__ . '/../reflect.inc';

$released = json_decode(file_get_contents(dirname(__DIR__, 2) . '/stubs/released.json'), true, flags: JSON_THROW_ON_ERROR);
$now = json_decode(json_encode(describe(true)), true);
var_dump(preg_match('/^\d+\.\d+\.\d+$/', $released['version']), count($released['api']) > 100);
foreach (broken($released['api'], $now) as $what) {
    echo "$what\n";
}
echo "each kind of break is seen\n";
$method = 'method Postings\Index::search';
$changes = [
    'no function' => fn (array &$api) => $api = array_diff_key($api, ['function Postings\intersect' => 0]),
    'no method' => fn (array &$api) => $api = array_diff_key($api, [$method => 0]),
    'another name' => fn (array &$api) => $api[$method]['parameters'][0][0] = 'words',
    'fewer parameters' => fn (array &$api) => array_pop($api[$method]['parameters']),
    'a narrower parameter' => fn (array &$api) => $api[$method]['parameters'][0][1] = 'int',
    'now required' => fn (array &$api) => $api[$method]['parameters'][1][2] = false,
    'another default' => fn (array &$api) => $api[$method]['parameters'][1][5] = '11',
    'one more, required' => fn (array &$api) => $api[$method]['parameters'][] = ['more', 'int', false, false, false, null],
    'another result' => fn (array &$api) => $api[$method]['returns'] = 'array',
    'no longer public' => fn (array &$api) => $api[$method]['modifiers'] = 'protected',
    'a case' => fn (array &$api) => $api['class Postings\Matching']['constants'] = array_slice($api['class Postings\Matching']['constants'], 1),
    'an interface' => fn (array &$api) => $api['class Postings\Hits']['interfaces'] = [],
    'a property' => fn (array &$api) => $api['class Postings\Hit']['properties'] = [],
    'one more, optional' => fn (array &$api) => $api[$method]['parameters'][] = ['more', 'int', true, false, false, '0'],
    'a wider parameter' => fn (array &$api) => $api[$method]['parameters'][0][1] = 'array|string',
    'one more method' => fn (array &$api) => $api['method Postings\Index::more'] = $api[$method],
];
foreach ($changes as $name => $change) {
    $api = $now;
    $change($api);
    echo "$name: ", implode('; ', broken($now, $api)) ?: 'nothing', "\n";
}

/** What a program that suits the old API may find missing or different in the new one. */
function broken(array $old, array $new): array
{
    $broken = [];
    foreach ($old as $name => $was) {
        $is = $new[$name] ?? null;
        if ($is === null) {
            $broken[] = "$name is gone";
            continue;
        }
        foreach (str_starts_with($name, 'class ') ? of_class($was, $is) : of_function($was, $is) as $what) {
            $broken[] = "$name: $what";
        }
    }
    return $broken;
}

function of_class(array $was, array $is): iterable
{
    foreach (['final', 'interface', 'parent'] as $key) {
        if ($was[$key] !== $is[$key] && !($key === 'final' && $was[$key])) {
            yield "$key is another";
        }
    }
    foreach (array_diff($was['interfaces'], $is['interfaces']) as $interface) {
        yield "no $interface";
    }
    foreach (array_diff($was['properties'], $is['properties']) as $property) {
        yield "no \$$property";
    }
    foreach ($was['constants'] as $constant => $value) {
        if (($is['constants'][$constant] ?? null) !== $value) {
            yield "$constant is gone or another";
        }
    }
}

function of_function(array $was, array $is): iterable
{
    foreach ($was['parameters'] as $at => [$name, $type, $optional, $variadic, $reference, $default]) {
        $other = $is['parameters'][$at] ?? null;
        if ($other === null || $other[0] !== $name) {
            yield "no \$$name at $at";
            continue;
        }
        if (!within($type, $other[1])) {
            yield "\$$name takes $other[1], no longer $type";
        }
        if ([$optional, $variadic, $reference] !== array_slice($other, 2, 3) || $default !== null && $default !== $other[5]) {
            yield "\$$name is passed or left out otherwise";
        }
    }
    foreach (array_slice($is['parameters'], count($was['parameters'])) as [$name, , $optional, $variadic]) {
        if (!$optional && !$variadic) {
            yield "\$$name is needed";
        }
    }
    if (!within($is['returns'], $was['returns'])) {
        yield "returns {$is['returns']}, no longer {$was['returns']}";
    }
    if (($was['modifiers'] ?? '') !== ($is['modifiers'] ?? '')) {
        yield "is {$is['modifiers']}";
    }
}

/** Whether one type, as alternatives, is all in another one. */
function within(?string $type, ?string $other): bool
{
    return in_array($other, [null, '', 'mixed'], true) || array_diff(explode('|', $type ?? 'mixed'), explode('|', $other)) === [];
}
?>
--EXPECT--
int(1)
bool(true)
each kind of break is seen
no function: function Postings\intersect is gone
no method: method Postings\Index::search is gone
another name: method Postings\Index::search: no $query at 0
fewer parameters: method Postings\Index::search: no $weighted at 22
a narrower parameter: method Postings\Index::search: $query takes int, no longer string
now required: method Postings\Index::search: $limit is passed or left out otherwise
another default: method Postings\Index::search: $limit is passed or left out otherwise
one more, required: method Postings\Index::search: $more is needed
another result: method Postings\Index::search: returns array, no longer Postings\Hits
no longer public: method Postings\Index::search: is protected
a case: class Postings\Matching: All is gone or another
an interface: class Postings\Hits: no ArrayAccess; class Postings\Hits: no Countable; class Postings\Hits: no IteratorAggregate; class Postings\Hits: no JsonSerializable; class Postings\Hits: no Traversable
a property: class Postings\Hit: no $id; class Postings\Hit: no $score; class Postings\Hit: no $docId; class Postings\Hit: no $fields; class Postings\Hit: no $distance
one more, optional: nothing
a wider parameter: nothing
one more method: nothing
