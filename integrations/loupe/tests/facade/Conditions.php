<?php

declare(strict_types=1);

namespace Postings\Loupe\Tests\Facade;

use Loupe\Loupe\Internal\Filter\Ast\Concatenator;
use Loupe\Loupe\Internal\Filter\Ast\Filter as Comparison;
use Loupe\Loupe\Internal\Filter\Ast\GeoBoundingBox;
use Loupe\Loupe\Internal\Filter\Ast\GeoDistance;
use Loupe\Loupe\Internal\Filter\Ast\Group;
use Loupe\Loupe\Internal\Filter\Ast\Node;
use Loupe\Loupe\Internal\LoupeTypes;
use Postings\Filter;

/** A filter of Loupe, as its own parser reads it, as one of Postings. */
final class Conditions
{
    public function __construct(private readonly Schema $schema)
    {
    }

    /** AND binds more tightly than OR. */
    public function group(Group $group): Filter
    {
        $alternatives = [[]];
        foreach ($group->getChildren() as $node) {
            if ($node instanceof Concatenator) {
                if (!$node->isConjunctive()) {
                    $alternatives[] = [];
                }
            } else {
                $alternatives[\count($alternatives) - 1][] = $this->node($node);
            }
        }

        return Filter::any(...\array_map(static fn (array $all) => Filter::all(...$all), $alternatives));
    }

    private function node(Node $node): Filter
    {
        return match (true) {
            $node instanceof Group => $this->group($node),
            $node instanceof GeoDistance
                => Filter::near("{$node->attributeName}|p", $node->lat, $node->lng, $node->distance),
            $node instanceof GeoBoundingBox => Filter::box(
                "{$node->attributeName}|p",
                [$node->getBbox()->getSouth(), $node->getBbox()->getWest()],
                [$node->getBbox()->getNorth(), $node->getBbox()->getEast()],
            ),
            $node instanceof Comparison => $this->comparison($node),
        };
    }

    private function comparison(Comparison $node): Filter
    {
        $operator = $node->operator->isNegative() ? $node->operator->opposite() : $node->operator;
        $found = $this->positive($node->attribute, $operator->value, $node->value->getValue());

        return $node->operator->isNegative() ? Filter::not($found) : $found;
    }

    private function positive(string $attribute, string $operator, mixed $value): Filter
    {
        if ($this->schema->type($attribute) === null) {
            return $value === LoupeTypes::VALUE_NULL ? Filter::all() : Filter::any();
        }
        if ($value === LoupeTypes::VALUE_NULL) {
            return Filter::all(Filter::missing("$attribute|k"), Filter::not([Schema::EMPTY => $attribute]));
        }
        if ($value === LoupeTypes::VALUE_EMPTY) {
            return Filter::is(Schema::EMPTY, $attribute);
        }
        if ($operator === 'BETWEEN') {
            return $this->number('in', $attribute, ...$value);
        }
        if ($operator === '=' || $operator === 'IN') {
            return Filter::any(...\array_map(fn (mixed $one) => $this->equal($attribute, $one), (array) $value));
        }
        $method = ['>' => 'above', '>=' => 'atLeast', '<' => 'below', '<=' => 'atMost'][$operator];

        return $this->number($method, $attribute, $value);
    }

    private function equal(string $attribute, bool|float|string $value): Filter
    {
        return \is_float($value) ? $this->number('is', $attribute, $value) : Filter::is("$attribute|k", $value);
    }

    private function number(string $method, string $attribute, float|string|bool ...$numbers): Filter
    {
        return $this->schema->isNumeric($attribute) ? Filter::$method("$attribute|n", ...$numbers) : Filter::any();
    }
}
