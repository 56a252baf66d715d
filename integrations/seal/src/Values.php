<?php

declare(strict_types=1);

namespace Postings\Seal;

use CmsIg\Seal\Schema\Field;

/** As what values of SEAL's fields are filtered and sorted: texts as keywords, numbers, dates and booleans as numbers. */
final class Values
{
    /** @return 'keyword'|'numeric'|'geo' */
    public static function kind(Field\AbstractField $field): string
    {
        return match (true) {
            $field instanceof Field\GeoPointField => 'geo',
            self::isText($field) => 'keyword',
            default => 'numeric',
        };
    }

    public static function isText(Field\AbstractField $field): bool
    {
        return $field instanceof Field\TextField || $field instanceof Field\IdentifierField;
    }

    /** A number as a keyword: 3.0 is 3. */
    public static function keyword(mixed $value): string
    {
        return (string) (\is_bool($value) ? (int) $value : $value);
    }
}
