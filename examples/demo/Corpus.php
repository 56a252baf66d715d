<?php

declare(strict_types=1);

namespace Postings\Demo;

/** The documents: yields one at a time, as name => values of fields. */
final class Corpus
{
    /** What IndexWriter::open() is told of the fields. Stored fields come back with the hits. */
    public const FIELDS = [
        'name' => ['weight' => 3, 'stored' => true],
        'summary' => ['weight' => 2, 'stored' => true],
        'text' => ['stored' => true],
        'section' => ['keyword' => true, 'stored' => true],
        'size' => ['numeric' => true, 'stored' => true],
    ];

    private const APT_HELPER = '/usr/lib/apt/apt-helper';

    /**
     * The documents of a file of lines `name<TAB>text`, of a folder of text files, or by default Debian's packages.
     *
     * @return \Generator<string, array<string, string|int>>
     */
    public static function of(?string $path): \Generator
    {
        return match (true) {
            $path === null => self::debian(),
            is_dir($path) => self::folder($path),
            default => self::tsv($path),
        };
    }

    /**
     * All packages that this Debian machine knows: `apt-cache dumpavail` has their names and short descriptions, apt's
     * Translation files (`apt-get -o Acquire::Languages=en update` gets them) the long ones.
     *
     * @return \Generator<string, array<string, string|int>>
     */
    public static function debian(): \Generator
    {
        $long = [];
        foreach (glob('/var/lib/apt/lists/*_i18n_Translation-en*') as $path) {
            foreach (self::records(self::APT_HELPER . ' cat-file ' . escapeshellarg($path)) as $record) {
                $long[$record['Description-md5'] ?? ''] = $record['Description-en'] ?? '';
            }
        }
        foreach (self::records('apt-cache dumpavail') as $record) {
            // The first line is the short description; installed packages have the long one after it.
            [$summary, $text] = explode("\n", $record['Description'] ?? '', 2) + [1 => ''];
            $translated = $long[$record['Description-md5'] ?? ''] ?? '';
            yield $record['Package'] => [
                'name' => $record['Package'],
                'summary' => $summary,
                'text' => self::paragraphs($translated === '' ? $text : (explode("\n", $translated, 2)[1] ?? '')),
                'section' => $record['Section'] ?? 'unknown',
                'size' => (int) ($record['Installed-Size'] ?? 0),
            ];
        }
    }

    /**
     * A line without a tab is all text, and its name is its line number.
     *
     * @return \Generator<string, array<string, string|int>>
     */
    public static function tsv(string $path): \Generator
    {
        $file = @fopen($path, 'r') ?: throw new \RuntimeException("$path cannot be read");
        for ($number = 1; ($line = fgets($file)) !== false; ++$number) {
            $parts = explode("\t", rtrim($line, "\r\n"), 2);
            $name = isset($parts[1]) ? $parts[0] : "line $number";
            yield $name => ['name' => $name, 'text' => $parts[1] ?? $parts[0], 'size' => strlen($line) >> 10];
        }
        fclose($file);
    }

    /**
     * The files of a folder and of those in it, except hidden ones and those with a NUL in their first 8 KiB, which are
     * not text. The section is the folder.
     *
     * @return \Generator<string, array<string, string|int>>
     */
    public static function folder(string $folder): \Generator
    {
        $visible = static fn (\SplFileInfo $file): bool => $file->getFilename()[0] !== '.';
        $tree = new \RecursiveDirectoryIterator($folder, \FilesystemIterator::SKIP_DOTS);
        foreach (new \RecursiveIteratorIterator(new \RecursiveCallbackFilterIterator($tree, $visible), \RecursiveIteratorIterator::LEAVES_ONLY, \RecursiveIteratorIterator::CATCH_GET_CHILD) as $file) {
            $text = $file->isFile() ? @file_get_contents($file->getPathname()) : false;
            if ($text === false || str_contains(substr($text, 0, 8192), "\0")) {
                continue;
            }
            $name = substr($file->getPathname(), strlen(rtrim($folder, '/')) + 1);
            yield $name => ['name' => $name, 'text' => $text, 'section' => dirname($name), 'size' => strlen($text) >> 10];
        }
    }

    /**
     * The records that a command prints in the format of Debian's control files.
     *
     * @return \Generator<int, array<string, string>> field => value, its lines separated by "\n"
     */
    private static function records(string $command): \Generator
    {
        $pipe = popen("LC_ALL=C $command", 'r') ?: throw new \RuntimeException("$command cannot be run");
        $record = [];
        $field = '';
        while (($line = fgets($pipe)) !== false) {
            $line = rtrim($line, "\n");
            if ($line === '') {
                if (isset($record['Package'])) {
                    yield $record;
                }
                $record = [];
            } elseif ($line[0] === ' ') {
                $record[$field] .= "\n" . substr($line, 1);
            } else {
                [$field, $value] = explode(':', $line, 2) + [1 => ''];
                $record[$field] = ltrim($value);
            }
        }
        if (isset($record['Package'])) {
            yield $record;
        }
        if (pclose($pipe) !== 0) {
            throw new \RuntimeException("$command failed; name other documents: CORPUS=");
        }
    }

    /** A long description as text: a line with a dot alone separates paragraphs. */
    private static function paragraphs(string $description): string
    {
        return preg_replace('/^ ?\.$/m', '', $description);
    }
}
