<?php

declare(strict_types=1);

namespace Postings\Shards\Tests {
    /**
     * The time that shards go by: that of the machine, or one that passes only where FakeTransport waits. By the latter, tests of what is
     * slow and what is silent do not depend on how busy the machine is.
     */
    final class Clock
    {
        private static ?float $now = null;

        /** From now on, time passes by pass() alone. */
        public static function stop(): void
        {
            self::$now = \microtime(true);
        }

        public static function go(): void
        {
            self::$now = null;
        }

        public static function now(): float
        {
            return self::$now ?? \microtime(true);
        }

        public static function pass(float $seconds): void
        {
            if (self::$now === null) {
                usleep((int) (1e6 * $seconds));
            } else {
                self::$now += $seconds;
            }
        }
    }
}

namespace Postings\Shards {
    // In a namespace, PHP calls its functions rather than those of the same names outside.
    function microtime(bool $asFloat): float
    {
        return Tests\Clock::now();
    }
}
