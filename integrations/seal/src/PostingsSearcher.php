<?php

declare(strict_types=1);

namespace Postings\Seal;

use CmsIg\Seal\Adapter\SearcherInterface;
use CmsIg\Seal\Search\Condition;
use CmsIg\Seal\Search\Result;
use CmsIg\Seal\Search\Search;
use Postings\Filter;
use Postings\Hits;

final class PostingsSearcher implements SearcherInterface
{
    public function __construct(private readonly Folder $folder)
    {
    }

    public function search(Search $search): Result
    {
        $index = $this->folder->index($search->index);
        $query = '';
        $hits = $index->search(
            // Conditions may say what was typed.
            filter: $this->filters($search, $search->filters, $query),
            query: $query,
            limit: $search->limit ?? \count($index),
            offset: $search->offset,
            sort: $search->sortBys,
            total: true,
            typos: $this->folder->typos,
            prefix: $this->folder->prefix,
        );

        return new Result(self::documents($hits), $hits->total);
    }

    /** @return \Generator<int, array<string, mixed>> */
    private static function documents(Hits $hits): \Generator
    {
        foreach ($hits as $hit) {
            yield \json_decode($hit->fields[Folder::SOURCE], true, flags: \JSON_THROW_ON_ERROR);
        }
    }

    /**
     * @param object[] $conditions
     * @return list<Filter|array<string, mixed>>
     */
    private function filters(Search $search, array $conditions, string &$query): array
    {
        $filters = [];
        foreach ($conditions as $condition) {
            if ($condition instanceof Condition\SearchCondition) {
                $query = $condition->query;
            } else {
                $filters[] = $this->filter($search, $condition, $query);
            }
        }

        return $filters;
    }

    private function filter(Search $search, object $condition, string &$query): Filter
    {
        return match (true) {
            $condition instanceof Condition\IdentifierCondition => Filter::ids([$condition->identifier]),
            $condition instanceof Condition\EqualCondition => $this->is($search, $condition->field, [$condition->value]),
            $condition instanceof Condition\InCondition => $this->is($search, $condition->field, $condition->values),
            $condition instanceof Condition\NotEqualCondition => Filter::not($this->is($search, $condition->field, [$condition->value])),
            $condition instanceof Condition\NotInCondition => Filter::not($this->is($search, $condition->field, $condition->values)),
            $condition instanceof Condition\GreaterThanCondition => Filter::above(...self::bound($condition)),
            $condition instanceof Condition\GreaterThanEqualCondition => Filter::atLeast(...self::bound($condition)),
            $condition instanceof Condition\LessThanCondition => Filter::below(...self::bound($condition)),
            $condition instanceof Condition\LessThanEqualCondition => Filter::atMost(...self::bound($condition)),
            $condition instanceof Condition\GeoDistanceCondition => Filter::near(
                $condition->field,
                $condition->latitude,
                $condition->longitude,
                $condition->distance,
            ),
            $condition instanceof Condition\GeoBoundingBoxCondition => Filter::box(
                $condition->field,
                [$condition->southLatitude, $condition->westLongitude],
                [$condition->northLatitude, $condition->eastLongitude],
            ),
            $condition instanceof Condition\AndCondition => Filter::all(...$this->filters($search, $condition->conditions, $query)),
            $condition instanceof Condition\OrCondition => Filter::any(...$this->filters($search, $condition->conditions, $query)),
            default => throw new \LogicException($condition::class . ' is not implemented.'),
        };
    }

    /** @param array<string|int|float|bool> $values */
    private function is(Search $search, string $path, array $values): Filter
    {
        if ($path === $search->index->getIdentifierField()->name) {
            return Filter::ids(\array_map(\strval(...), $values));
        }
        $isText = Values::isText($search->index->getFieldByPath($path));

        return Filter::is($path, \array_map($isText ? Values::keyword(...) : self::number(...), $values));
    }

    /** @return array{string, int|float} field and number */
    private static function bound(object $condition): array
    {
        return [$condition->field, self::number($condition->value)];
    }

    /** A number as the index has it; dates are seconds since 1970. */
    private static function number(string|int|float|bool $value): int|float
    {
        return match (true) {
            \is_bool($value) => (int) $value,
            \is_string($value) => \is_numeric($value) ? $value + 0 : (int) \strtotime($value),
            default => $value,
        };
    }
}
