<?php

declare(strict_types=1);

namespace Postings\Demo;

/** What the demo's two programs share: options, timing, and reporting where a step ran. */
final class Console
{
    /**
     * Reads the options, sets the memory limit and checks that the extension is loaded.
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

    /**
     * Runs one step.
     *
     * @return array{mixed, float, string} its result, its time in seconds, and where the extension did its work
     */
    public static function step(callable $step): array
    {
        $before = \Postings\stats();
        $began = hrtime(true);
        $result = $step();
        $seconds = (hrtime(true) - $began) / 1e9;
        return [$result, $seconds, self::place($before, \Postings\stats())];
    }

    public static function time(float $seconds): string
    {
        return match (true) {
            $seconds < 1e-3 => sprintf('%.1f µs', $seconds * 1e6),
            $seconds < 1 => sprintf('%.2f ms', $seconds * 1e3),
            default => sprintf('%.2f s', $seconds),
        };
    }

    public static function bytes(int $bytes): string
    {
        return $bytes < 1 << 20 ? sprintf('%.1f KiB', $bytes / 1024) : sprintf('%.1f MiB', $bytes / (1 << 20));
    }

    /** One line: versions, the OpenCL devices found, and the settings. */
    public static function machine(): string
    {
        $names = array_map(
            static fn (array $d): string => "$d[platform] / $d[name]" . ($d['selected'] ? ' (selected)' : ''),
            \Postings\devices(),
        );
        return sprintf(
            'PHP %s, postings %s; OpenCL devices: %s; postings.device=%s postings.offload=%s',
            PHP_VERSION,
            phpversion('postings'),
            $names === [] ? 'none' : implode(', ', $names),
            ini_get('postings.device'),
            ini_get('postings.offload'),
        );
    }

    private static function place(array $before, array $after): string
    {
        $cpu = $after['cpu_calls'] - $before['cpu_calls'];
        $device = $after['device_calls'] - $before['device_calls'];
        $failed = $after['device_failures'] - $before['device_failures'];
        $parts = [];
        if ($device > 0) {
            $parts[] = sprintf(
                'device (%s, %s sent, %s read)',
                $device === 1 ? '1 call' : "$device calls",
                self::bytes($after['bytes_to_device'] - $before['bytes_to_device']),
                self::bytes($after['bytes_from_device'] - $before['bytes_from_device']),
            );
        }
        if ($cpu > 0) {
            $parts[] = 'CPU (' . ($cpu === 1 ? '1 call' : "$cpu calls") . ')';
        }
        if ($failed > 0) {
            $parts[] = "$failed failed on the device";
        }
        return $parts === [] ? 'CPU' : implode(', ', $parts);
    }
}
