<?php

declare(strict_types=1);

namespace Postings\Demo;

/** Yields documents one at a time, and splits texts into words. */
final class Corpus
{
    /**
     * The descriptions of all packages that this Debian machine knows, from `apt-cache dumpavail`.
     *
     * @return \Generator<string, string> name => text
     */
    public static function debian(): \Generator
    {
        $pipe = @popen('LC_ALL=C apt-cache dumpavail', 'r');
        if ($pipe === false) {
            throw new \RuntimeException('apt-cache cannot be run; name a corpus with --corpus FILE');
        }
        $name = null;
        $text = null;
        $inText = false;
        while (($line = fgets($pipe)) !== false) {
            if ($line === "\n") {
                if ($name !== null && $text !== null) {
                    yield $name => $text;
                }
                $name = $text = null;
                $inText = false;
            } elseif (str_starts_with($line, 'Package: ')) {
                $name = rtrim(substr($line, 9));
                $inText = false;
            } elseif (str_starts_with($line, 'Description: ')) {
                $text = rtrim(substr($line, 13));
                $inText = true;
            } elseif ($line[0] !== ' ') {
                $inText = false;
            } elseif ($text !== null && $inText) {
                $text .= rtrim($line);
            }
        }
        $status = pclose($pipe);
        if ($name !== null && $text !== null) {
            yield $name => $text;
        }
        if ($status !== 0) {
            throw new \RuntimeException("apt-cache dumpavail ended with status $status; name a corpus with --corpus FILE");
        }
    }

    /**
     * A file of lines `name<TAB>text`. A line without a tab is all text, and its name is its line number.
     *
     * @return \Generator<string, string> name => text
     */
    public static function tsv(string $path): \Generator
    {
        $file = @fopen($path, 'r');
        if ($file === false) {
            throw new \RuntimeException("$path cannot be read");
        }
        for ($number = 1; ($line = fgets($file)) !== false; ++$number) {
            $parts = explode("\t", rtrim($line, "\r\n"), 2);
            yield isset($parts[1]) ? $parts[0] : "line $number" => $parts[1] ?? $parts[0];
        }
        fclose($file);
    }

    /**
     * The distinct words of a text: sequences of letters and digits, in lower case. Bytes above 127 count as letters, so
     * words in UTF-8 stay whole.
     *
     * @return list<string>
     */
    public static function words(string $text): array
    {
        preg_match_all('/[a-z0-9\x80-\xff]+/', strtolower($text), $matches);
        // Array keys such as "42" have become integers: convert them back.
        return array_map('strval', array_keys(array_flip($matches[0])));
    }
}
