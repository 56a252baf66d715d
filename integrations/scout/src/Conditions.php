<?php

declare(strict_types=1);

namespace Postings\Scout;

use Laravel\Scout\Builder;
use Postings\Filter;
use Postings\Index;

/** What a builder's `where`, `whereIn`, `whereNotIn` and `orderBy` are in an index. */
final class Conditions
{
    /** @return list<Filter> */
    public static function filters(Index $index, Builder $builder): array
    {
        $fields = $index->fields();
        $filters = [];
        foreach ($builder->wheres as $name => $value) {
            // Newer Scouts have a list of conditions with operators, older ones values by attribute.
            $filters[] = \is_int($name) && \is_array($value) && isset($value['field'], $value['operator'])
                ? self::compare($fields, $value['field'], $value['operator'], $value['value'])
                : self::any($fields, (string) $name, [$value]);
        }
        foreach ($builder->whereIns as $name => $values) {
            $filters[] = self::any($fields, (string) $name, $values);
        }
        foreach ($builder->whereNotIns ?? [] as $name => $values) {
            $filters[] = Filter::not(self::any($fields, (string) $name, $values));
        }

        return $filters;
    }

    /** @param array<string, mixed> $fields */
    private static function compare(array $fields, string $attribute, mixed $operator, mixed $value): Filter
    {
        if ($operator === '=' || $operator === '!=') {
            $is = self::any($fields, $attribute, [$value]);

            return $operator === '=' ? $is : Filter::not($is);
        }
        $compare = match ($operator) {
            '<' => Filter::below(...),
            '<=' => Filter::atMost(...),
            '>' => Filter::above(...),
            '>=' => Filter::atLeast(...),
            default => throw new SearchException("There is no operator [$operator], only =, !=, <, <=, > and >=."),
        };
        $bound = Attributes::number($value) ?? (\is_numeric($value) ? $value + 0 : null);
        if ($bound === null) {
            throw new SearchException("[$attribute] can only be $operator a number or a date.");
        }
        $number = Attributes::name($attribute) . '|num';

        return isset($fields[$number]) ? $compare($number, $bound) : Filter::any();
    }

    /**
     * That an attribute has one of these values. What no model has is in none.
     *
     * @param array<string, mixed> $fields
     * @param iterable<mixed> $values
     */
    private static function any(array $fields, string $attribute, iterable $values): Filter
    {
        [$keyword, $number] = [Attributes::name($attribute) . '|raw', Attributes::name($attribute) . '|num'];
        $alternatives = [];
        foreach ($values as $value) {
            if ($value === null) {
                $alternatives[] = isset($fields[$keyword]) ? Filter::missing($keyword) : Filter::all();
                continue;
            }
            if (isset($fields[$number]) && ($is = Attributes::number($value)) !== null) {
                $alternatives[] = Filter::in($number, $is, $is);
            }
            if (isset($fields[$keyword])) {
                $alternatives[] = Filter::is($keyword, Attributes::keyword($value));
            }
        }

        return Filter::any(...$alternatives);
    }

    /**
     * Numbers come first, then texts in the order of their bytes.
     *
     * @return array<string, string>
     */
    public static function order(Index $index, Builder $builder): array
    {
        $fields = $index->fields();
        $sort = [];
        foreach ($builder->orders as $order) {
            $name = Attributes::name($order['column']);
            $known = \array_filter(["$name|num", "$name|raw"], static fn ($field) => isset($fields[$field]));
            if ($known === [] && \count($index) > 0) {
                throw new \InvalidArgumentException(
                    'Cannot order by ' . $order['column'] . ', which is in no array that toSearchableArray() has returned.',
                );
            }
            foreach ($known as $field) {
                $sort[$field] ??= $order['direction'];
            }
        }

        return $sort;
    }
}
