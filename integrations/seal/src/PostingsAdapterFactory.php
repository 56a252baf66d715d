<?php

declare(strict_types=1);

namespace Postings\Seal;

use CmsIg\Seal\Adapter\AdapterFactoryInterface;
use CmsIg\Seal\Adapter\AdapterInterface;

/**
 * Makes the adapter of a DSN: `postings:///var/lib/search?language=english&typos=auto&prefix=1`, or
 * `postings://var/search` for a folder below the working directory. README.md lists the options.
 */
class PostingsAdapterFactory implements AdapterFactoryInterface
{
    public function createAdapter(array $dsn): AdapterInterface
    {
        return new PostingsAdapter(self::folder($dsn));
    }

    /** @param array{host?: string, path?: string, query?: array<string, string>} $dsn */
    public static function folder(array $dsn): Folder
    {
        $query = $dsn['query'] ?? [];
        $options = [];
        foreach ($query as $name => $value) {
            $options[$name] = match ($name) {
                'language' => $value,
                'fold', 'prefix' => \filter_var($value, \FILTER_VALIDATE_BOOL),
                'typos' => 'auto' === $value ? 'auto' : (int) $value,
                'wait' => (int) $value,
                default => throw new \InvalidArgumentException(
                    'Unknown option "' . $name . '" of a postings:// DSN; there are language, fold, typos, prefix and wait.',
                ),
            };
        }

        return new Folder(($dsn['host'] ?? '') . ($dsn['path'] ?? ''), ...$options);
    }

    public static function getName(): string
    {
        return 'postings';
    }
}
