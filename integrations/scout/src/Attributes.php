<?php

declare(strict_types=1);

namespace Postings\Scout;

/**
 * How a model's attributes lie in an index. Attribute `a` is searched as the text field `a`; `where` and `orderBy` use the
 * keyword field `a|raw`, with the first 1,000 bytes of what is text, and the numeric field `a|num` for what is a number and no
 * list. A model's vector is in the field `a|vector`. Fields are added when a model has them for the first time.
 */
final class Attributes
{
    /** Scout's own attribute, which says whether a model is in the bin. */
    public const DELETED = '__soft_deleted';

    /** The longest keyword, in bytes. */
    private const LONGEST = 1000;

    /** @param array<string, mixed> $attributes as toSearchableArray() returns them */
    public function __construct(private readonly array $attributes)
    {
    }

    /**
     * The values of a document, by field.
     *
     * @return array<string, int|float|list<string>>
     */
    public function values(): array
    {
        $values = [];
        foreach ($this->attributes as $name => $value) {
            $name = self::name($name);
            $leaves = \iterator_to_array(self::leaves($value), false);
            $number = \count($leaves) === 1 ? self::number($leaves[0]) : null;
            if ($number !== null) {
                $values["$name|num"] = $number;
            }
            foreach ($leaves as $leaf) {
                if (!\is_bool($leaf)) {
                    $values[$name][] = self::text($leaf);
                }
                $values["$name|raw"][] = self::keyword($leaf);
            }
        }

        return $values;
    }

    /**
     * Fields for these values.
     *
     * @param array<string, mixed> $values by field name
     * @param array<string, int|float> $weights by attribute
     * @param array{dimensions?: int, metric?: string} $vectors
     * @return array<string, array<string, bool|int|float|string>>
     */
    public static function fields(array $values, array $weights, array $vectors = []): array
    {
        $fields = [];
        foreach ($values as $name => $value) {
            $fields[$name] = match (true) {
                \str_ends_with($name, '|vector') => [
                    'vector' => $vectors['dimensions'] ?? (\is_string($value) ? \intdiv(\strlen($value), 4) : \count($value)),
                    'metric' => $vectors['metric'] ?? 'cosine',
                ],
                \str_ends_with($name, '|num') => ['numeric' => true],
                \str_ends_with($name, '|raw') => ['keyword' => true],
                default => ['weight' => $weights[$name] ?? 1],
            };
        }

        return $fields;
    }

    /** The name of an attribute as names of fields are: without white space and ':', and not with '-' or '"' in front. */
    public static function name(string|int $attribute): string
    {
        return \preg_replace(['/[\s:|]/u', '/^(?=[-"])/'], ['_', '_'], (string) $attribute);
    }

    /** The field with vectors. */
    public static function vector(string $attribute): string
    {
        return self::name($attribute) . '|vector';
    }

    /** A value as a whole. */
    public static function keyword(mixed $value): string
    {
        return \mb_strcut(\is_bool($value) ? ($value ? '1' : '0') : self::text($value), 0, self::LONGEST);
    }

    /** The number that a value is; null if it is none. Dates are seconds since 1970. */
    public static function number(mixed $value): int|float|null
    {
        return match (true) {
            \is_bool($value) => (int) $value,
            \is_int($value), \is_float($value) && \is_finite($value) => $value,
            $value instanceof \DateTimeInterface => (float) $value->format('U.u'),
            $value instanceof \BackedEnum && \is_int($value->value) => $value->value,
            default => null,
        };
    }

    private static function text(mixed $value): string
    {
        return match (true) {
            $value instanceof \DateTimeInterface => $value->format(\DATE_ATOM),
            $value instanceof \BackedEnum => (string) $value->value,
            default => (string) $value,
        };
    }

    /** What is in a value: itself, or what is in all of its parts. Null is nothing. */
    private static function leaves(mixed $value): iterable
    {
        if ($value instanceof \JsonSerializable && !$value instanceof \DateTimeInterface) {
            $value = $value->jsonSerialize();
        }
        if ($value instanceof \Traversable) {
            $value = \iterator_to_array($value, false);
        }
        if (\is_array($value)) {
            foreach ($value as $part) {
                yield from self::leaves($part);
            }
        } elseif ($value !== null) {
            yield $value;
        }
    }
}
