<?php

declare(strict_types=1);

namespace Loupe\Loupe;

use Loupe\Loupe\Internal\Engine;

/** Loupe's factory, with Postings as the engine. An index in memory is a folder that goes with the process. */
final class LoupeFactory implements LoupeFactoryInterface
{
    public function create(string $dataDir, Configuration $configuration): Loupe
    {
        return new Loupe(new Engine($configuration, $dataDir));
    }

    public function createInMemory(Configuration $configuration): Loupe
    {
        $path = \sys_get_temp_dir() . '/postings-loupe-' . \bin2hex(\random_bytes(8));
        \register_shutdown_function(static function () use ($path): void {
            \array_map('unlink', [...\glob("$path/index/*"), ...\glob("$path/*.json")]);
            \array_map('rmdir', \array_filter(["$path/index", $path], 'is_dir'));
        });

        return $this->create($path, $configuration);
    }
}
