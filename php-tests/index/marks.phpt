--TEST--
highlight(), snippet() and matches() mark what a search with the same arguments finds
--FILE--
<?php
require __DIR__ . '/../index.inc';

$index = catalogue();
$show = fn (?string $html) => print(($html ?? 'null') . "\n");
$mark = fn (string $query, string $text, mixed ...$how) => $show($index->highlight($query, $text, '[', ']', ...$how));

echo "Phrases:\n";
$mark('"posting list"', 'Posting lists, lists of postings, a posting list');
$mark('"posting list" lists', 'Posting lists, lists of postings');
$mark('"posting list" "list of"', 'posting lists of words');
$mark('fast-codec', 'a fast codec, a codec that is fast');
$mark('"posting list"~2', 'a list, a posting; posting of a list. Posting x y z list');

echo "As in the search:\n";
$mark('runing sho', 'Running shoes', typos: 'auto', prefix: true);
$mark('runing sho', 'Running shoes');
$mark('pst', 'post posts', typos: 1);
$mark('searchi', 'Searching, searched', prefix: true);
$mark('tv', 'TV or television', synonyms: ['tv' => ['television']]);
$mark('-list codec*', 'lists, codec', syntax: false);
$mark('fast codec', 'a fast codec', maxWords: 1);
$mark('title:list body:fast', 'title: fast lists of the body', fields: ['title']);

echo "In a field:\n";
foreach ([null, 'title', 'body'] as $field) {
    $mark('title:list fast', 'fast lists', field: $field);
}
$mark('title:list fast', 'fast lists', field: 'body', fields: ['title']);
outcome('keyword', fn () => $index->highlight('x', 'y', field: 'lang'));
outcome('unknown', fn () => $index->snippet('x', 'y', field: 'nosuch'));
outcome('type', fn () => $index->matches('x', 'y', field: []));

echo "As it is, and nothing:\n";
$mark('list', '<i>list</i>', escape: false);
$mark('list', '<i>codec</i>', escape: false, orNull: true);
$mark('list', '<i>codec</i>');
foreach (['nothing', '', '-a', 'the~ …'] as $query) {
    $show($index->snippet($query, 'a <text>', orNull: true));
}
$show($index->snippet('text', 'a <text>', orNull: true, escape: false));

echo "Fragments:\n";
$text = 'One fish, two fish. Then came a red dog, & later a blue fish with a red hat; the end.';
foreach ([1, 2, 3, 100] as $fragments) {
    $show($index->snippet('dog hat fish', $text, 14, '[', ']', fragments: $fragments));
}
$show($index->snippet('dog hat', $text, 12, '[', ']', ' (...) ', fragments: 2));
$show($index->snippet('nothing', $text, 12, fragments: 3));
foreach ([0, -1, 101, PHP_INT_MAX] as $fragments) {
    outcome('fragments', fn () => $index->snippet('x', 'y', fragments: $fragments));
}

echo "Places:\n";
$places = fn (string $query, string $text, mixed ...$how) => print(json_encode(array_map(
    fn (array $place) => [$place['offset'], bin2hex(substr($text, $place['offset'], $place['length'])) . ' ' . mb_scrub_like(substr($text, $place['offset'], $place['length']))],
    $index->matches($query, $text, ...$how),
), JSON_UNESCAPED_UNICODE) . "\n");
$places('list "posting list"', 'A list of posting lists');
$places('wörter 検索', 'Für Wörter: 検索語');
$places('list', "\xff\xe6\xa4 list \xc3 a list\xff");
$places('"fast list"', "fast \xff list, fast\xff\xfflist");
$places('lits', 'lists', typos: 1);
$places('nothing', 'lists');

// What is marked is where matches() says, in any text.
mt_srand(7);
$failures = 0;
$pick = fn (array $of) => $of[mt_rand(0, count($of) - 1)];
for ($i = 0; $i < 300; $i++) {
    $text = $query = '';
    for ($j = mt_rand(0, 12); $j > 0; $j--) {
        $text .= $pick(['list ', 'lists, ', 'posting ', 'house ', 'hose ', 'running ', 'a ', 'b ', "\xff", '検索語', 'é ', '<b>']);
    }
    for ($j = mt_rand(1, 3); $j > 0; $j--) {
        $query .= $pick(['list ', '"posting list" ', 'house ', 'runing ', 'hou ', '"a b"~2 ', 'b^2 ', '検索 ', '"b a" ', 'listing-house ']);
    }
    $how = ['typos' => $pick(['auto', 0, 1, 2]), 'prefix' => (bool) mt_rand(0, 1), 'syntax' => (bool) mt_rand(0, 9)];
    $plain = $index->highlight($query, $text, '', '', escape: false);
    $html = '';
    $done = 0;
    foreach ($index->matches($query, $text, ...$how) as ['offset' => $offset, 'length' => $length]) {
        $html .= mb_scrub_like(substr($text, $done, $offset - $done)) . '[' . mb_scrub_like(substr($text, $offset, $length)) . ']';
        $failures += $offset < $done || $length < 1;
        $done = $offset + $length;
    }
    $html .= mb_scrub_like(substr($text, $done));
    $failures += $plain !== mb_scrub_like($text);
    $failures += $html !== $index->highlight($query, $text, '[', ']', ...$how, escape: false);
    $failures += ($done === 0) !== ($index->highlight($query, $text, ...$how, orNull: true) === null);
}
outcome('any text', fn () => $failures);

/** The text with U+FFFD in place of what is not UTF-8. */
function mb_scrub_like(string $text): string
{
    return json_decode(json_encode($text, JSON_INVALID_UTF8_SUBSTITUTE));
}
?>
--EXPECT--
Phrases:
[Posting lists], lists of postings, a [posting list]
[Posting lists], [lists] of postings
[posting lists of] words
a [fast codec], a codec that is fast
a list, a posting; [posting] of a [list]. [Posting] x y z list
As in the search:
[Running] [shoes]
Running shoes
[post] [posts]
[Searching], searched
[TV] or [television]
[lists], [codec]
a [fast] codec
title: fast [lists] of the body
In a field:
[fast] [lists]
[fast] [lists]
[fast] lists
fast lists
keyword: ValueError: Postings\Index::highlight(): Argument #7 ($field) field 'lang': must be a text field
unknown: ValueError: Postings\Index::snippet(): Argument #10 ($field) field 'nosuch': there is none, only 'title', 'body', 'lang', 'price'
type: TypeError: Postings\Index::matches(): Argument #3 ($field) must be of type ?string, array given
As it is, and nothing:
<i>[list]</i>
null
&lt;i&gt;codec&lt;/i&gt;
null
null
null
null
a <<mark>text</mark>>
Fragments:
…[fish], two [fish]…
…[fish], two [fish]… red [dog], &amp;…
…[fish], two [fish]… red [dog], &amp;… red [hat]; the…
…[fish], two [fish]… red [dog], &amp;… blue [fish] with… red [hat]; the…
 (...) red [dog], &amp; (...)  red [hat]; the (...) 
One fish,…
fragments: ValueError: Postings\Index::snippet(): Argument #7 ($fragments) must be from 1 to 100, 0 given
fragments: ValueError: Postings\Index::snippet(): Argument #7 ($fragments) must be from 1 to 100, -1 given
fragments: ValueError: Postings\Index::snippet(): Argument #7 ($fragments) must be from 1 to 100, 101 given
fragments: ValueError: Postings\Index::snippet(): Argument #7 ($fragments) must be from 1 to 100, 9223372036854775807 given
Places:
[[2,"6c697374 list"],[10,"706f7374696e67206c69737473 posting lists"]]
[[5,"57c3b672746572 Wörter"],[14,"e6a49ce7b4a2 検索"]]
[[4,"6c697374 list"],[13,"6c697374 list"]]
[[0,"6661737420ff206c697374 fast � list"],[13,"66617374ffff6c697374 fast��list"]]
[[0,"6c69737473 lists"]]
[]
any text: returned 0
