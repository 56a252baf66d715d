--TEST--
Native memory that runs out ends in an exception or in PHP's own error, not in a killed process
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
if (PHP_OS_FAMILY !== 'Linux') die('skip needs ulimit -v');
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';

/** Runs code in a process with so many MiB of address space. */
function limited(int $mib, string $code): array
{
    $prefix = ['sh', '-c', 'ulimit -v ' . $mib * 1024 . '; exec "$0" "$@"'];
    return child($code, ['memory_limit' => -1, 'postings.offload' => 'never'], prefix: $prefix);
}

// Every copy of an argument that the extension makes. The docIDs are 64 MiB as an array and 16 MiB as a copy; all fail
// their checks, so that nothing else is made of them.
$array = '$ids = range(1, 1 << 22); $ids[(1 << 22) - 1] = 0; ';
$run = fn ($call) => "try { $call; } catch (ValueError \$e) { echo 'copied'; } catch (Error \$e) { echo get_class(\$e), ': ', \$e->getMessage(); }";
$cases = [
    'encode' => $array . $run('Postings\PostingList::encode($ids)'),
    'simple9_encode' => $array . $run('Postings\simple9_encode($ids)'),
    'qs_encode' => $array . $run('Postings\qs_encode($ids)'),
    'pack_posting' => $array . $run('Postings\Yioop\pack_posting(1, $ids)'),
    'proximity' => $array . $run('Postings\Yioop\proximity([$ids], true)'),
    'batch' => '$none = array_fill(0, 1 << 22, []); $none[] = 0; '
        . str_replace('ValueError', 'TypeError', $run('Postings\intersect_batch($none)')),
];
foreach ($cases as $what => $code) {
    $seen = ['no array' => 0, 'no copy' => 0, 'copied' => 0, 'else' => 0];
    for ($mib = 80; $mib <= 400; $mib += 10) {
        [$status, $output] = limited($mib, $code);
        $outcome = match (true) {
            $status === 0 && $output === 'copied' => 'copied',
            $status === 0 && preg_match('/^Error: out of memory: cannot allocate \d+ bytes$/', $output) === 1 => 'no copy',
            $status !== 0 && preg_match('/Out of memory/', $output) === 1 => 'no array',
            default => 'else',
        };
        $seen[$outcome]++;
        if ($outcome === 'else') {
            echo "$what, $mib MiB: status $status: $output\n";
        }
        if ($outcome === 'copied') {
            break;
        }
    }
    echo $what, ': ', implode(', ', array_keys(array_filter($seen))), "\n";
}
// Operations that succeed with enough memory: with less they end in one of those ways.
$list = '$p = ""; for ($i = 0; $i < 1 << 21; $i += 1 << 14) $p .= pack("V*", ...range(9 * $i, 9 * ($i + (1 << 14) - 1), 9)); ';
$encoded = $list . '$l = Postings\PostingList::encode($p); $p = null; ';
$cases = [
    'encode' => $list . 'Postings\PostingList::encode($p);',
    'encode, Simple-9' => $list . 'Postings\PostingList::encode($p, Postings\Codec::Simple9);',
    'fromBytes' => $encoded . '$b = $l->toBytes(); $m = Postings\PostingList::fromBytes($b);',
    'unserialize' => $encoded . '$s = serialize($l); $m = unserialize($s);',
    'intersect' => $encoded . '$all[] = $l->intersect($l); $all[] = Postings\intersect($l, $l);',
    'intersect_batch' => $encoded . 'Postings\intersect_batch([[$l], [$l, $l]]);',
    'simple9_encode' => $list . '$w = Postings\simple9_encode($p);',
    'qs_encode' => $list . '$w = Postings\qs_encode($p);',
];
foreach ($cases as $what => $code) {
    for ($mib = 80, $status = 1; $mib <= 400 && $status !== 0; $mib += 7) {
        [$status, $output] = limited($mib, $code);
        if ($status !== 0 && (!in_array($status, [1, 255], true) || preg_match('/out of memory/i', $output) !== 1)) {
            echo "$what, $mib MiB: status $status: $output\n";
        }
    }
    echo $what, ': ', $status === 0 ? 'done' : 'never', "\n";
}
// Results, until the memory ends.
foreach (['toBytes()', 'toPacked()', '__serialize()', 'toArray()'] as $method) {
    [$status, $output] = limited(300, '$p = ""; for ($i = 0; $i < 1 << 20; $i += 1 << 14) $p .= pack("V*", ...range($i, $i + (1 << 14) - 1)); '
        . "\$l = Postings\PostingList::encode(\$p); while (true) \$all[] = \$l->$method;");
    echo $method, ': ', $status !== 0 && str_contains($output, 'Out of memory') ? 'PHP ends' : "$status: $output", "\n";
}
?>
--EXPECT--
encode: no array, no copy, copied
simple9_encode: no array, no copy, copied
qs_encode: no array, no copy, copied
pack_posting: no array, no copy, copied
proximity: no array, no copy, copied
batch: no array, no copy, copied
encode: done
encode, Simple-9: done
fromBytes: done
unserialize: done
intersect: done
intersect_batch: done
simple9_encode: done
qs_encode: done
toBytes(): PHP ends
toPacked(): PHP ends
__serialize(): PHP ends
toArray(): PHP ends
