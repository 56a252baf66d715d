<?php

declare(strict_types=1);

namespace Postings\Scout;

use Illuminate\Database\Eloquent\SoftDeletes;
use Illuminate\Support\Collection;
use Illuminate\Support\LazyCollection;
use Laravel\Scout\Builder;
use Laravel\Scout\Engines\Engine;
use Postings\Filter;
use Postings\Hits;
use Postings\Index;

/**
 * Scout's engine on Postings. What search(), and so raw(), returns is Postings\Hits; null if nothing was ever added.
 *
 * `options()` of a query are arguments of Postings\Index::search() by name, in place of those of the configuration; a
 * callback gets the index, the query and all arguments, and returns hits.
 */
final class PostingsEngine extends Engine implements IndexSettings
{
    /** @param array<string, mixed> $search arguments of every search */
    public function __construct(
        private readonly Folder $folder,
        private readonly array $search = [],
        private readonly bool $softDelete = false,
    ) {
    }

    public function update($models): void
    {
        if ($models->isEmpty()) {
            return;
        }
        if ($this->softDelete && \in_array(SoftDeletes::class, \class_uses_recursive($models->first()), true)) {
            $models->each->pushSoftDeleteMetadata();
        }
        $documents = [];
        foreach ($models as $model) {
            $attributes = $model->toSearchableArray();
            if ($attributes !== []) {
                $values = new Attributes([...$attributes, ...$model->scoutMetadata()]);
                $documents[] = [$model->getScoutKey(), $values->values()];
            }
        }
        if ($documents === []) {
            return;
        }
        $fields = \array_replace(...\array_column($documents, 1));
        $writer = $this->folder->writer($models->first()->searchableAs(), $fields);
        foreach ($documents as [$key, $values]) {
            $writer->add($key, $values);
        }
        $writer->commit();
        $writer->close();
    }

    public function delete($models): void
    {
        $name = $models->isEmpty() ? null : $models->first()->searchableAs();
        if ($name === null || $this->folder->index($name) === null) {
            return;
        }
        $writer = $this->folder->writer($name, []);
        foreach ($models as $model) {
            $writer->delete($model->getScoutKey());
        }
        $writer->commit();
        $writer->close();
    }

    public function search(Builder $builder): ?Hits
    {
        return $this->hits($builder, $builder->limit, 0);
    }

    public function paginate(Builder $builder, $perPage, $page): ?Hits
    {
        return $this->hits($builder, (int) $perPage, ((int) $page - 1) * (int) $perPage);
    }

    private function hits(Builder $builder, ?int $limit, int $offset): ?Hits
    {
        $index = $this->folder->index($builder->index ?: $builder->model->searchableAs());
        if ($index === null) {
            return null;
        }
        $arguments = [
            ...$this->search,
            ...$builder->options ?? [],
            'limit' => $limit ?? \count($index),
            'offset' => $offset,
            'total' => true,
        ];
        $arguments['filter'] = [...$arguments['filter'] ?? [], ...self::filters($index, $builder)];
        $sort = self::order($index, $builder);
        if ($sort !== []) {
            $arguments['sort'] = $sort;
        }
        if ($builder->callback) {
            return ($builder->callback)($index, (string) $builder->query, $arguments);
        }

        return $index->search((string) $builder->query, ...$arguments);
    }

    /** @return list<Filter> */
    private static function filters(Index $index, Builder $builder): array
    {
        $fields = $index->fields();
        $filters = [];
        foreach ($builder->wheres as $name => $value) {
            $filters[] = self::any($fields, $name, [$value]);
        }
        foreach ($builder->whereIns as $name => $values) {
            $filters[] = self::any($fields, $name, $values);
        }
        foreach ($builder->whereNotIns ?? [] as $name => $values) {
            $filters[] = Filter::not(self::any($fields, $name, $values));
        }

        return $filters;
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
    private static function order(Index $index, Builder $builder): array
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

    public function mapIds($results): Collection
    {
        return new Collection($results?->ids() ?? []);
    }

    public function map(Builder $builder, $results, $model)
    {
        $ids = $results?->ids() ?? [];

        return $ids === []
            ? $model->newCollection()
            : self::inOrder($model->getScoutModelsByIds($builder, $ids), $ids);
    }

    public function lazyMap(Builder $builder, $results, $model): LazyCollection
    {
        $ids = $results?->ids() ?? [];

        return $ids === []
            ? LazyCollection::empty()
            : self::inOrder($model->queryScoutModelsByIds($builder, $ids)->cursor(), $ids);
    }

    /**
     * The models that were found, in the order of their hits.
     *
     * @template T of Collection|LazyCollection
     * @param T $models
     * @param list<int|string> $ids
     * @return T
     */
    private static function inOrder(Collection|LazyCollection $models, array $ids): Collection|LazyCollection
    {
        $places = \array_flip($ids);

        return $models
            ->filter(static fn ($found) => isset($places[$found->getScoutKey()]))
            ->sortBy(static fn ($found) => $places[$found->getScoutKey()])
            ->values();
    }

    public function getTotalCount($results): int
    {
        return $results?->total ?? 0;
    }

    /** Removes all models from the index; its fields stay. */
    public function flush($model): void
    {
        $name = $model->searchableAs();
        if ($this->folder->index($name) !== null) {
            $writer = $this->folder->writer($name, []);
            $writer->clear();
            $writer->commit();
            $writer->close();
        }
    }

    /** @param array<string, mixed> $options as one of the configuration's `index-settings` */
    public function createIndex($name, array $options = []): void
    {
        unset($options['primaryKey']);
        $this->updateIndexSettings($name, $options);
    }

    public function deleteIndex($name): void
    {
        $this->folder->drop($name);
    }

    /**
     * Makes the index with these settings, if there is none. The language of an existing one stays; to change it, delete the
     * index and import the models again.
     *
     * @param array<string, mixed> $settings
     */
    public function updateIndexSettings($name, array $settings = []): void
    {
        $this->folder->set($name, $settings);
        $writer = $this->folder->writer($name, []);
        $writer->commit();
        $writer->close();
    }

    /**
     * What newer Scouts' `scout:sync-index-settings` asks: whether a model is in the bin can be filtered by as it is.
     *
     * @param array<string, mixed> $settings
     * @return array<string, mixed>
     */
    public function configureSoftDeleteFilter(array $settings = []): array
    {
        return $settings;
    }
}
