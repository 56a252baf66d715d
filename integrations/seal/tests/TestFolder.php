<?php

declare(strict_types=1);

namespace Postings\Seal\Tests;

use Postings\Seal\Folder;

/** A new folder for indexes, which is removed at the end. */
final class TestFolder
{
    public static function new(): Folder
    {
        $path = \sys_get_temp_dir() . '/postings-seal-' . \bin2hex(\random_bytes(8));
        \mkdir($path);
        \register_shutdown_function(static fn () => @\rmdir($path));

        return new Folder($path);
    }
}
