<?php

declare(strict_types=1);

namespace Postings\Seal;

use CmsIg\Seal\Schema\Field;

/**
 * How values of SEAL's fields are filtered and sorted: by which fields of the index, and by which values in them.
 *
 * Texts are keywords under the path of their field, single numbers, dates and booleans numbers. A list of numbers has
 * keywords for equality, and its least and greatest number for comparisons: one of them is above 3 if the greatest is.
 * Points stay as they are.
 */
final class Values
{
    /** @return array<string, 'keyword'|'numeric'|'geo'> kinds by name */
    public static function fields(Field\AbstractField $field, string $path): array
    {
        return match (true) {
            $field instanceof Field\GeoPointField => [$path => 'geo'],
            self::isText($field) => [$path => 'keyword'],
            $field->multiple => ["$path|is" => 'keyword', "$path|min" => 'numeric', "$path|max" => 'numeric'],
            default => [$path => 'numeric'],
        };
    }

    /** @return array<string, mixed> values by the names of fields() */
    public static function of(Field\AbstractField $field, string $path, mixed $value): array
    {
        if (self::isText($field) || $field instanceof Field\GeoPointField || !$field->multiple) {
            return [$path => $value];
        }

        return $value === [] || $value === null ? [] : [
            "$path|is" => \array_map(self::keyword(...), $value),
            "$path|min" => \min($value),
            "$path|max" => \max($value),
        ];
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
