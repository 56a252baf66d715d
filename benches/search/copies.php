<?php
// What does a copy of an index cost while its writer is open, and what does it cost to join two indexes, beside indexing the texts
// again? On the passages of the searches' benchmark.
//
//     php -d extension=modules/postings.so benches/search/copies.php [--data DIR] [--passages 200000] [--other DIR]
//
// Copies: milliseconds of the first one, of one without changes, and of those after a commit that replaced 1,000 documents and
// deleted 100; the median and the most of 20. --other is a folder on another file system, where files are copied. Joining: half of
// the passages as an index to which the other half is added, as texts and as an index; with the commit, the best of 3.
declare(strict_types=1);

use Postings\{Index, IndexWriter};

$options = getopt('', ['data:', 'passages:', 'other:']);
$data = $options['data'] ?? 'target/search-bench';
$count = (int) ($options['passages'] ?? 200_000);
$passages = @file("$data/passages.txt", FILE_IGNORE_NEW_LINES) ?: exit("$data/passages.txt is not there: make bench-search makes it\n");
$top = "$data/copies";
$folder = function (string $name) use ($top): string {
    Index::drop("$top/$name");

    return "$top/$name";
};
/** Milliseconds. */
$time = function (callable $run): float {
    $start = hrtime(true);
    $run();

    return (hrtime(true) - $start) / 1e6;
};
/** An index of some of the passages, as one segment. */
$make = function (string $name, int $from, int $to) use ($folder, $passages): IndexWriter {
    $writer = IndexWriter::open($folder($name), ['body' => []]);
    for ($id = $from; $id < $to; $id++) {
        $writer->add($id, $passages[$id]);
    }
    $writer->optimize();

    return $writer;
};

$copies = function (string $to, string $how) use ($make, $time, $passages, $top): void {
    Index::drop($to);
    $writer = $make('whole', 0, count($passages));
    $index = Index::open("$top/whole");
    $size = array_sum(array_column($index->files(), 'bytes'));
    printf("%s: %s documents, %.0f MB\n", $how, number_format(count($index)), $size / 1e6);
    printf("  first %.1f ms, without changes %.1f ms\n", $time(fn () => $index->snapshot($to)), $time(fn () => $index->snapshot($to)));
    $times = [];
    for ($round = 0; $round < 20; $round++) {
        for ($i = 0; $i < 1000; $i++) {
            $writer->add($round * 1009 + $i * 997 % count($passages), $passages[$i]);
        }
        for ($i = 0; $i < 100; $i++) {
            $writer->delete(count($passages) - 1 - $round * 100 - $i);
        }
        $writer->commit();
        $index->reload();
        $times[] = $round % 2 === 0 ? $time(fn () => $index->snapshot($to)) : $time(fn () => $writer->snapshot($to));
    }
    sort($times);
    $copy = Index::open($to);
    if ($copy->generation() !== $index->generation() || count($copy) !== count($index)) {
        exit("the copy is another index\n");
    }
    printf("  after a commit %.1f ms, at most %.1f ms\n", $times[10], end($times));
    $writer->close();
    Index::drop($to);
};
$copies("$top/copy", 'By links');
if (isset($options['other'])) {
    $copies($options['other'] . '/postings-copies', 'On another file system');
}
Index::drop("$top/whole");

$half = intdiv($count, 2);
$make('second', $half, 2 * $half)->close();
$texts = $index = INF;
$hits = [];
for ($run = 0; $run < 3; $run++) {
    $writer = $make('joined', 0, $half);
    $texts = min($texts, $time(function () use ($writer, $passages, $half) {
        for ($id = $half; $id < 2 * $half; $id++) {
            $writer->add($id, $passages[$id]);
        }
        $writer->commit();
    }));
    $hits[] = Index::open("$top/joined")->search('search engine', limit: 1000)->ids();
    $writer->close();
    $writer = $make('joined', 0, $half);
    $index = min($index, $time(function () use ($writer, $top) {
        $writer->addIndex("$top/second");
        $writer->commit();
    }));
    $hits[] = Index::open("$top/joined")->search('search engine', limit: 1000)->ids();
    $writer->close();
}
if (count(array_unique(array_map(serialize(...), $hits))) !== 1) {
    exit("other hits\n");
}
printf("Joining %s and %s passages: as texts %.0f ms, as an index %.1f ms, 1/%.0f of that\n", number_format($half), number_format($half), $texts, $index, $texts / $index);
array_map(fn (string $name) => Index::drop("$top/$name"), ['joined', 'second']);
rmdir($top);
