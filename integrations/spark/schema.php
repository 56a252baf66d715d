<?php

declare(strict_types=1);

use Postings\{Analyzer, IndexWriter};

/**
 * Opens the index in a folder with the schema of build.py: the arguments of IndexWriter::open() by name, as JSON has them. An
 * analyzer, also that of a field, is the arguments of its constructor by name.
 *
 * @param array{fields: array<string, array<string, mixed>>, analyzer?: array<string, mixed>, positions?: bool} $schema
 */
function open_writer(string $folder, array $schema, int $memory, int $threads): IndexWriter
{
    foreach ($schema['fields'] as $name => $options) {
        if (isset($options['analyzer'])) {
            $schema['fields'][$name]['analyzer'] = new Analyzer(...$options['analyzer']);
        }
    }
    if (isset($schema['analyzer'])) {
        $schema['analyzer'] = new Analyzer(...$schema['analyzer']);
    }
    return IndexWriter::open($folder, ...$schema, memory: $memory, threads: $threads);
}
