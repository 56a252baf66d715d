<?php

/** Indexes a corpus into one file of compressed posting lists. search.php searches it. */

declare(strict_types=1);

namespace Postings\Demo;

use Postings\Codec;

require __DIR__ . '/Console.php';
require __DIR__ . '/Corpus.php';
require __DIR__ . '/IndexWriter.php';

const USAGE = <<<'TEXT'
    php -d extension=…/postings.so index.php --output FILE [--corpus FILE.tsv] [--codec NAME]
      --corpus  lines of name<TAB>text (default: the descriptions of all packages that apt-cache knows)
      --codec   the value of a case of Postings\Codec (qs)

    TEXT;

$options = Console::start(['output:', 'corpus:', 'codec:'], USAGE);
$codec = Codec::tryFrom($options['codec'] ?? 'qs') ?? throw new \ValueError('--codec must be one of ' . implode(', ', array_column(Codec::cases(), 'value')));
$output = $options['output'] ?? throw new \ValueError('--output FILE is missing; see --help');
if (!is_dir(dirname($output)) && !@mkdir(dirname($output), 0777, true)) {
    throw new \RuntimeException(dirname($output) . ' cannot be created');
}
echo Console::machine(), "\n";

// On a terminal one line is overwritten; in a log a line is added from time to time.
$overwrite = stream_isatty(STDOUT);
$shown = 0.0;
$progress = static function (string $line, bool $last = false) use (&$shown, $overwrite): void {
    $now = hrtime(true) / 1e9;
    if ($last || $now - $shown > ($overwrite ? 0.1 : 2.0)) {
        $shown = $now;
        echo $overwrite ? "\r\e[K$line" . ($last ? "\n" : '') : "$line\n";
    }
};

$writer = new IndexWriter();
$corpus = isset($options['corpus']) ? Corpus::tsv($options['corpus']) : Corpus::debian();
[, $seconds] = Console::step(static function () use ($writer, $corpus, $progress): void {
    foreach ($corpus as $name => $text) {
        $writer->add($name, $text);
        if (($writer->documents() & 0xFF) === 0) {
            $progress("Reading: {$writer->documents()} documents, {$writer->postings()} postings");
        }
    }
});
$all = $writer->documents();
if ($all === 0) {
    throw new \RuntimeException('the corpus has no documents' . (isset($options['corpus']) ? '' : '; run apt-get update first'));
}
$progress(sprintf('Read %s documents with %s postings in %s (PHP)', number_format($all), number_format($writer->postings()), Console::time($seconds)), true);

[$sums, $seconds, $place] = Console::step(
    static fn (): array => $writer->write(
        $output,
        $codec,
        static fn (int $done, int $of) => $progress(sprintf('Writing: %d of %d terms', $done, $of)),
    ),
);
$bits = static fn (int $bytes, int $postings): string => $postings === 0 ? 'none' : sprintf('%.2f bits per posting', 8 * $bytes / $postings);
$progress(sprintf('Encoded and wrote %s terms in %s (%s)', number_format($sums['terms']), Console::time($seconds), $place), true);
printf("  codec %s: %s\n", $codec->value, $output);
printf("  lists of 128 docIDs or more:    %9d postings, %s\n", $sums['long_listed'], $bits($sums['long_bytes'], $sums['long_listed']));
printf("  all %7d lists, with headers:%9d postings, %s\n", $sums['lists'], $sums['listed'], $bits($sums['list_bytes'], $sums['listed']));
printf("  terms in a single document:     %9d postings, in the dictionary\n", $writer->postings() - $sums['listed']);
printf(
    "  whole file (lists, dictionary, names and beginnings of texts): %s; peak memory %s\n",
    Console::bytes($sums['file_bytes']),
    Console::bytes(memory_get_peak_usage(true)),
);
