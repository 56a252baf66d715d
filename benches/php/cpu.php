<?php

declare(strict_types=1);

/** What this process has used of the processors, in milliseconds: others may be busy. */
function cpu(): float
{
    $usage = getrusage();
    $seconds = $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'];

    return $seconds * 1e3 + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e3;
}
