<?php

declare(strict_types=1);

namespace Postings\Loupe\Tests\Facade;

use Loupe\Loupe\Configuration;
use Loupe\Loupe\Exception\SortFormatException;
use Loupe\Loupe\Internal\Engine;
use Loupe\Loupe\Internal\Filter\Parser;
use Loupe\Loupe\Internal\Search\AbstractQueryParameters;
use Loupe\Loupe\Internal\Search\AbstractQueryResult;
use Loupe\Loupe\SearchParameters;
use Loupe\Loupe\SearchResult;
use Postings\Filter;
use Postings\Index;

/** A search of Loupe: its parameters as arguments of Index::search(), and what comes back as its result. */
final class Search
{
    private readonly Configuration $configuration;

    public function __construct(
        private readonly Index $index,
        private readonly Schema $schema,
        private readonly Engine $engine,
    ) {
        $this->configuration = $engine->getConfiguration();
    }

    /** @param class-string<AbstractQueryResult> $class */
    public function answer(AbstractQueryParameters $parameters, string $class, int $most): AbstractQueryResult
    {
        $began = \hrtime(true);
        $search = $parameters instanceof SearchParameters ? $parameters : null;
        $all = $search?->getMatchingStrategy() === 'all';
        $query = new Query($parameters->getQuery(), $this->configuration, $all);
        [$limit, $offset] = self::page($parameters, $most);
        $facets = $this->facets($search?->getFacets() ?? []);
        $distinct = $search?->getDistinct();
        $fields = \array_values($parameters->getAttributesToSearchOn());
        $arguments = $query->options + [
            'matching' => $all ? 'all' : 'any',
            // Loupe counts whether a word is there, and not how often.
            'k1' => 0.0,
            'filter' => $this->filter($parameters->getFilter()),
            'fields' => $fields === ['*'] ? null : $fields,
        ];
        $sort = $this->sort($search?->getSort() ?? []);
        $facets = \array_fill_keys($facets, $search?->getMaxValuesPerFacet());
        // The number of different values is that of their facets, and of hits without one.
        if ($distinct !== null) {
            $facets["$distinct|k"] = \max(1, \count($this->index));
        }
        $hits = $this->index->search(
            $query->query,
            $limit,
            $offset,
            ...$arguments,
            sort: $sort,
            total: true,
            facets: $facets,
            distinct: $distinct === null ? null : "$distinct|k",
        );
        $total = $hits->total;
        if ($distinct !== null) {
            $with = ['filter' => [...$arguments['filter'], Filter::exists("$distinct|k")]];
            $with = $this->index->count($query->query, ...$with + \array_diff_key($arguments, ['k1' => 0]));
            $total = \count($hits->facets["$distinct|k"]) + $total - $with;
        }
        $total = \min($total, $most);
        $found = new Hits($this->index, $this->configuration, $this->schema->searched(), $query);
        $result = new $class(
            $found->all($hits, $parameters),
            $query->typed,
            \intdiv(\hrtime(true) - $began, 1_000_000),
            $limit,
            $limit === 0 ? 0 : \intdiv($offset, $limit) + 1,
            $limit === 0 ? 0 : (int) \ceil($total / $limit),
            $total,
        );

        return $search === null ? $result : $this->withFacets($result, $search->getFacets(), $hits->facets ?? []);
    }

    /** @return array{int, int} limit and offset */
    private static function page(AbstractQueryParameters $parameters, int $most): array
    {
        [$limit, $offset] = [$parameters->getLimit(), $parameters->getOffset()];
        if ($parameters->getHitsPerPage() !== null || $parameters->getPage() !== null) {
            $limit = $parameters->getHitsPerPage() ?? AbstractQueryParameters::MAX_LIMIT;
            $offset = (($parameters->getPage() ?? 1) - 1) * $limit;
        }
        $limit = \min($limit, $most);

        return [$limit, \min($offset, $most - $limit)];
    }

    private function filter(string $filter): array
    {
        $root = (new Parser($this->engine))->getAst($filter)->getRoot();

        return $root->isEmpty() ? [] : [(new Conditions($this->schema))->group($root)];
    }

    /**
     * @param array<string> $sort
     *
     * @return array<string, mixed>
     */
    private function sort(array $sort): array
    {
        $keys = [];
        foreach ($sort as $key) {
            if (!\preg_match('/^(.*):(asc|desc)$/', $key, $match)) {
                throw SortFormatException::becauseFormat();
            }
            [, $name, $order] = $match;
            if ($name === '_relevance') {
                $keys[':score'] = $order;
                continue;
            }
            $number = '\s*([-\d.]+)';
            [$attribute, $value] = match (1) {
                \preg_match("/^_geoPoint\((\w+),$number,$number\)$/", $name, $match) => [
                    $match[1],
                    [(float) $match[2], (float) $match[3]],
                ],
                // The least number of a list ascending, the greatest descending, as for Postings.
                \preg_match('/^(?:min|max)\((\w+)\)$/', $name, $match) => [$match[1], null],
                default => [$name, null],
            };
            if (!\in_array($attribute, $this->configuration->getSortableAttributes(), true)) {
                throw SortFormatException::becauseNotSortable($name);
            }
            if ($this->schema->type($attribute) !== null) {
                $field = match (true) {
                    \is_array($value) => "$attribute|p",
                    $this->schema->isNumeric($attribute) => "$attribute|n",
                    default => "$attribute|k",
                };
                $keys[$field] = \is_array($value) ? $value : $order;
            }
        }

        return $keys;
    }

    /**
     * @param list<string> $attributes
     *
     * @return list<string>
     */
    private function facets(array $attributes): array
    {
        $fields = [];
        foreach (\array_intersect($attributes, $this->configuration->getFilterableAttributes()) as $attribute) {
            if ($this->schema->type($attribute) !== null) {
                $fields[] = "$attribute|k";
                if ($this->schema->isNumeric($attribute)) {
                    $fields[] = "$attribute|n";
                }
            }
        }

        return $fields;
    }

    private function withFacets(SearchResult $result, array $attributes, array $found): SearchResult
    {
        $distribution = $stats = [];
        foreach ($attributes as $attribute) {
            $counts = $found["$attribute|k"] ?? [];
            \ksort($counts, $this->schema->isNumeric($attribute) ? \SORT_NUMERIC : \SORT_STRING);
            $distribution[$attribute] = $counts;
            if ($this->schema->isNumeric($attribute)) {
                ['min' => $min, 'max' => $max] = $found["$attribute|n"];
                $stats[$attribute] = $min === null ? [] : ['min' => $min, 'max' => $max];
            }
        }

        return $result->withFacetDistribution($distribution)->withFacetStats($stats);
    }
}
