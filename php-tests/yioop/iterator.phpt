--TEST--
The intersect iterator for Yioop: same documents, order and scores, native and stepping aside
--EXTENSIONS--
postings
--INI--
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/site.inc';

use seekquarry\yioop\library\index_bundle_iterators\IntersectIterator;
use seekquarry\yioop\library\index_bundle_iterators\PostingsIntersectIterator;
use seekquarry\yioop\library\index_bundle_iterators\WordIterator;

echo get_parent_class(IntersectIterator::class) == PostingsIntersectIterator::class ? "ours\n" : "Yioop's\n";

$found = 0;
$phrases = 0;
foreach (queries(240) as [$words, $quotes, $weight]) {
    $what = implode(' ', $words) . ' ' . json_encode($quotes) . " $weight";
    $expected = expected($words, $quotes, $weight);
    $found += count($expected);
    $phrases += $quotes ? count($expected) : 0;

    $calls = Postings\stats()['cpu_calls'];
    [$iterators, $map] = word_iterators($words);
    $iterator = new IntersectIterator($iterators, $map, $quotes, $weight);
    $native = drain($iterator);
    if ($difference = difference($expected, $native)) {
        echo "native: $what: $difference\n";
    }
    if ($native && Postings\stats()['cpu_calls'] == $calls) {
        echo "native: $what: the engine was not called\n";
    }
    $iterator->reset();
    if ($difference = difference($native, drain($iterator))) {
        echo "after reset: $what: $difference\n";
    }

    // One iterator of another kind, so that the iterators are moved themselves.
    [$iterators, $map] = word_iterators($words);
    $iterators[0] = new StandIn($iterators[0]);
    if ($difference = difference($expected, drain(new IntersectIterator($iterators, $map, $quotes, $weight)))) {
        echo "stepping aside: $what: $difference\n";
    }
}
echo $found > 5000 && $phrases > 500 ? "the same documents\n" : "only $found documents, $phrases with phrases\n";

// A repeated word, with an iterator for each time, as Yioop makes them: the map names the last of equal ones.
$differ = 0;
foreach ([['w0', 'w0'], ['w0', 'w0', 'w2'], ['w1', 'w2', 'w1'], ['w3', 'w1', 'w1']] as $words) {
    $iterators = fn() => array_map(fn($word) => word_iterators([$word])[0][0], $words);
    $map = array_map(fn($word) => max(array_keys($words, $word)), $words);
    $calls = Postings\stats()['cpu_calls'];
    $native = drain(new IntersectIterator($iterators(), $map));
    $differ += $native == [] || Postings\stats()['cpu_calls'] == $calls;
    $aside = $iterators();
    $aside[0] = new StandIn($aside[0]);
    $differ += difference(drain(new IntersectIterator($aside, $map)), $native) != '';
}
echo "$differ differ with repeated words\n";

// Forward to a place; where the next document is.
$differ = 0;
for ($round = 0; $round < 60; $round++) {
    $words = ['w' . draw(6), 'w' . draw(12)];
    [$iterators, $map] = word_iterators($words);
    $native = new IntersectIterator($iterators, $map);
    [$iterators, $map] = word_iterators($words);
    $aside = new IntersectIterator([new StandIn($iterators[0]), ...array_slice($iterators, 1)], $map);
    for ($step = 0; $step < 12; $step++) {
        $place = $native->currentGenDocOffsetWithWord();
        $other = $aside->currentGenDocOffsetWithWord();
        if ($aside->currentDocsWithWord() == -1) {
            $other = -1;
        }
        $differ += $place != $other;
        $differ += $native->currentDocsWithWord() != $aside->currentDocsWithWord();
        if ($place == -1) {
            break;
        }
        $to = [null, [$place[0], $place[1] + 16 * draw(300)], [$place[0] + draw(2), 16 * draw(600)]][draw(3)];
        $native->advance($to);
        $aside->advance($to);
    }
}
echo "$differ differ after advance\n";

// A site that filters a host.
$filter = new class {
    public function isFiltered($host)
    {
        return substr($host, 0, 7) == '0000003';
    }
};
[$iterators, $map] = word_iterators(['w0', 'w2'], $filter);
$kept = array_filter(expected(['w0', 'w2'], null, 1), fn($pair) => !$filter->isFiltered(substr($pair[0], 17)));
echo difference(array_values($kept), drain(new IntersectIterator($iterators, $map))) ?: "filtered\n";

// Words in the feed: iterators are moved until all have left it. (The ranks of a real feed change by the second.)
if (property_exists(WordIterator::class, 'with_feed')) {
    WordIterator::$with_feed = true;
}
$differ = 0;
foreach (queries(160) as [$words, $quotes, $weight]) {
    [$iterators, $map] = word_iterators($words);
    $differ += difference(expected($words, $quotes, $weight), drain(new IntersectIterator($iterators, $map, $quotes, $weight))) != '';
}
echo "$differ differ with a feed\n";
if (property_exists(WordIterator::class, 'with_feed')) {
    WordIterator::$with_feed = false;
}

// Words that are nowhere, alone and with others.
foreach ([['nowhere'], ['w0', 'nowhere'], ['nowhere', 'w0']] as $words) {
    [$iterators, $map] = word_iterators($words);
    $iterator = new IntersectIterator($iterators, $map, null, 2);
    echo json_encode([$iterator->currentDocsWithWord(), $iterator->currentGenDocOffsetWithWord()]), "\n";
}
?>
--EXPECT--
ours
the same documents
0 differ with repeated words
0 differ after advance
filtered
0 differ with a feed
[-1,-1]
[-1,-1]
[-1,-1]
