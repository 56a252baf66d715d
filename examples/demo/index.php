<?php

/** Fills an index with documents: the descriptions of all Debian packages, or your own. search.php searches it. */

declare(strict_types=1);

namespace Postings\Demo;

use Postings\{Analyzer, Index, IndexWriter};

require __DIR__ . '/Console.php';
require __DIR__ . '/Corpus.php';

const USAGE = <<<'TEXT'
    php -d extension=…/postings.so index.php --output FOLDER [--corpus FILE.tsv|FOLDER]
      --output  the folder of the index; an index there is replaced
      --corpus  a file of lines name<TAB>text, or a folder of text files (default: all packages that apt-cache knows)

    TEXT;

$options = Console::start(['output:', 'corpus:'], USAGE);
$output = $options['output'] ?? throw new \ValueError('--output FOLDER is missing; see --help');

printf("PHP %s, postings %s\n", PHP_VERSION, phpversion('postings'));

// Documents are counted first, for the bar.
echo stream_isatty(STDOUT) ? 'Counting documents …' : '';
$of = iterator_count(Corpus::of($options['corpus'] ?? null));
if ($of === 0) {
    throw new \RuntimeException('there are no documents' . (isset($options['corpus']) ? '' : '; run apt-get update first'));
}

// What the folder has from an earlier run is replaced, but only if it is an index: open() throws otherwise.
if (glob("$output/*") !== []) {
    Index::open($output);
    array_map('unlink', glob("$output/*"));
}
$writer = IndexWriter::open($output, Corpus::FIELDS, new Analyzer(language: 'english'));

$bytes = 0;
$reading = 0.0;
/** The documents, counting their bytes and the time that reading them takes. */
$documents = static function () use ($options, &$bytes, &$reading): \Generator {
    $before = hrtime(true);
    foreach (Corpus::of($options['corpus'] ?? null) as $name => $document) {
        $bytes += array_sum(array_map('strlen', array_filter($document, 'is_string')));
        $reading += (hrtime(true) - $before) / 1e9;
        yield $name => $document;
        $before = hrtime(true);
    }
};
$began = hrtime(true);
$progress = static fn (int $done) => Console::progress($done, $of, (hrtime(true) - $began) / 1e9);
[$count, $adding] = Console::step(static fn (): int => $writer->addAll($documents(), $progress));
[, $committing] = Console::step($writer->commit(...));
[, $optimizing] = Console::step(static fn (): int => $writer->optimize(reorder: true));
Console::done();

$size = array_sum(array_map('filesize', glob("$output/*")));
printf("%s documents, %s of text\n", number_format(count(Index::open($output))), Console::bytes($bytes));
printf("  read and parsed by PHP:    %s\n", Console::time($reading));
printf("  indexed:                   %s, %s/s\n", Console::time($adding - $reading + $committing), Console::bytes((int) ($bytes / ($adding - $reading + $committing))));
printf("  optimized and reordered:   %s\n", Console::time($optimizing));
printf("  index, with stored texts:  %s, in %s\n", Console::bytes($size), $output);
