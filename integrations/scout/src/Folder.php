<?php

declare(strict_types=1);

namespace Postings\Scout;

use Postings\Analyzer;
use Postings\Index;
use Postings\IndexException;
use Postings\IndexWriter;

/** A folder with the index of each model, in a folder of the name that its searchableAs() returns. */
final class Folder
{
    /** @var array<string, Index> */
    private array $indexes = [];

    /**
     * @param int $wait milliseconds to wait for another process that writes in the index
     * @param array<string, array{language?: ?string, fold?: bool, weights?: array<string, int|float>}> $settings by index
     */
    public function __construct(
        private readonly string $path,
        private readonly int $wait = 10000,
        private array $settings = [],
    ) {
    }

    /**
     * Settings by the name of the index, if they are given by model.
     *
     * @param array<string, array<string, mixed>> $settings
     * @return array<string, array<string, mixed>>
     */
    public static function byIndex(array $settings): array
    {
        $byIndex = [];
        foreach ($settings as $name => $of) {
            $byIndex[\class_exists($name) ? (new $name())->searchableAs() : $name] = $of;
        }

        return $byIndex;
    }

    /** The index as of its last commit, by whichever process; null if nothing was ever added. */
    public function index(string $name): ?Index
    {
        if (!isset($this->indexes[$name])) {
            if (!Index::exists($this->path($name))) {
                return null;
            }
            $this->indexes[$name] = Index::open($this->path($name));
        }
        $this->indexes[$name]->reload();

        return $this->indexes[$name];
    }

    /**
     * A writer of an index that has fields for these attributes; it is made, or gets those that are new.
     *
     * @param array<string, mixed> $attributes by the names of their fields: see Attributes::values()
     * @param array{dimensions?: int, metric?: string} $vectors
     */
    public function writer(string $name, array $attributes, array $vectors = []): IndexWriter
    {
        $weights = $this->settings[$name]['weights'] ?? [];
        $wanted = Attributes::fields([Attributes::DELETED . '|num' => true] + $attributes, $weights, $vectors);
        for ($tries = 0; ; ++$tries) {
            try {
                return $this->open($name, $wanted);
            } catch (\ValueError $error) {
                // Meanwhile, another process has made the index, or added fields.
                if ($tries === 99) {
                    throw $error;
                }
            }
        }
    }

    /** @param array<string, array<string, mixed>> $wanted fields */
    private function open(string $name, array $wanted): IndexWriter
    {
        $path = $this->path($name);
        if (!Index::exists($path)) {
            $settings = $this->settings[$name] ?? [];
            $analyzer = new Analyzer($settings['language'] ?? null, fold: $settings['fold'] ?? true, parts: true);

            return IndexWriter::open($path, fields: $wanted, analyzer: $analyzer, wait: $this->wait);
        }
        $writer = IndexWriter::open($path, wait: $this->wait);
        $known = $writer->fields();
        foreach ($wanted as $field => $options) {
            if (isset($options['vector'], $known[$field]) && \array_diff_assoc($options, $known[$field]) !== []) {
                throw new SearchException(\sprintf(
                    'The index "%s" has vectors of %d dimensions compared by %s in %s, not of %d compared by %s. Delete it, and '
                        . 'import the models again.',
                    $name,
                    $known[$field]['vector'],
                    $known[$field]['metric'],
                    $field,
                    $options['vector'],
                    $options['metric'],
                ));
            }
        }
        if (\array_diff_key($wanted, $known) === []) {
            return $writer;
        }
        $analyzer = $writer->analyzer();
        $writer->close();

        return IndexWriter::open($path, fields: $known + $wanted, analyzer: $analyzer, wait: $this->wait);
    }

    public function drop(string $name): void
    {
        unset($this->indexes[$name]);
        if (Index::exists($this->path($name))) {
            Index::drop($this->path($name));
        }
    }

    /** @param array<string, mixed> $settings */
    public function set(string $name, array $settings): void
    {
        $this->settings[$name] = $settings;
    }

    private function path(string $name): string
    {
        if ($name === '' || \preg_match('{^\.{1,2}$|[/\\\\\0]}', $name)) {
            throw new IndexException('"' . $name . '" cannot be the name of an index: it is the name of a folder.');
        }

        return $this->path . '/' . $name;
    }
}
