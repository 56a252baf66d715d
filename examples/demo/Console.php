<?php

declare(strict_types=1);

namespace Postings\Demo;

/** What the demo's two programs share: options, progress, and how things are shown. */
final class Console
{
    private static float $shown = 0;

    /**
     * Reads the options and checks that the extension is loaded.
     *
     * @param array<string> $options names of options as getopt() takes them ("query:" has a value)
     *
     * @return array<string, string|array<string>|false>
     */
    public static function start(array $options, string $usage): array
    {
        ini_set('memory_limit', '1G');
        set_exception_handler(static function (\Throwable $e): never {
            fwrite(STDERR, $e::class . ': ' . $e->getMessage() . "\n");
            exit(1);
        });
        $given = getopt('h', [...$options, 'help'], $rest);
        if (isset($given['h']) || isset($given['help']) || $rest < $_SERVER['argc']) {
            fwrite(STDERR, $usage);
            exit(isset($given['h']) || isset($given['help']) ? 0 : 2);
        }
        if (!extension_loaded('postings')) {
            fwrite(STDERR, "The extension is not loaded. Run: php -d extension=/path/to/postings.so …\n");
            exit(1);
        }
        return $given;
    }

    /** @return array{mixed, float} the result of a step, and its time in seconds */
    public static function step(callable $step): array
    {
        $began = hrtime(true);
        $result = $step();
        return [$result, (hrtime(true) - $began) / 1e9];
    }

    /** On a terminal a bar that overwrites itself; otherwise a line every two seconds. */
    public static function progress(int $done, ?int $of, float $seconds): void
    {
        $terminal = stream_isatty(STDOUT);
        if ($seconds - self::$shown < ($terminal ? 0.1 : 2.0)) {
            return;
        }
        self::$shown = $seconds;
        $line = sprintf('%s documents, %s per second', number_format($done), number_format($done / $seconds));
        if ($of !== null) {
            $part = min(1, $done / max(1, $of));
            $line = sprintf('%3d %% %s', 100 * $part, $line);
            if ($terminal) {
                $full = (int) (30 * $part);
                $line = '[' . str_repeat('#', $full) . str_repeat('.', 30 - $full) . "] $line";
            }
        }
        echo $terminal ? "\r\e[K$line" : "  $line\n";
    }

    /** Ends the line of progress(). */
    public static function done(): void
    {
        echo stream_isatty(STDOUT) ? "\r\e[K" : '';
    }

    /** What stands before and after a word that is to stand out: bold on a terminal, otherwise asterisks. */
    public static function marks(): array
    {
        return stream_isatty(STDOUT) ? ["\e[1m", "\e[0m"] : ['*', '*'];
    }

    /** A text of somebody else's for one line of a terminal: without line ends and control characters. */
    public static function plain(string $text): string
    {
        return trim(preg_replace('/[\x00-\x20\x7f]+|\xc2[\x80-\x9f]/', ' ', $text));
    }

    public static function time(float $seconds): string
    {
        return match (true) {
            $seconds < 1e-3 => sprintf('%.0f µs', $seconds * 1e6),
            $seconds < 1 => sprintf('%.2f ms', $seconds * 1e3),
            default => sprintf('%.2f s', $seconds),
        };
    }

    public static function bytes(int $bytes): string
    {
        return $bytes < 1 << 20 ? sprintf('%.1f KiB', $bytes / 1024) : sprintf('%.1f MiB', $bytes / (1 << 20));
    }
}
