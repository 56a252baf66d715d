<?php

declare(strict_types=1);

namespace Postings\Scout;

use Illuminate\Database\Eloquent\SoftDeletes;
use Illuminate\Support\Collection;
use Illuminate\Support\LazyCollection;
use Laravel\Scout\Builder;
use Laravel\Scout\Engines\Engine;
use Postings\Hits;
use Postings\Index;

/**
 * Scout's engine on Postings. What search(), and so raw(), returns is Postings\Hits, after semantic() and hybrid() Ranked;
 * null if nothing was ever added.
 *
 * `options()` of a query are arguments of Postings\Index::search() by name, in place of those of the configuration; a
 * callback gets the index, the query and all arguments, and returns hits. After semantic() and hybrid() there are two more:
 * `vector`, that of the query, which is made of its text if it is not given; and `fusion`, 'rrf' or 'scores'.
 */
final class PostingsEngine extends Engine implements IndexSettings, SemanticSearch
{
    /** @param array<string, mixed> $search arguments of every search */
    public function __construct(
        private readonly Folder $folder,
        private readonly array $search = [],
        private readonly bool $softDelete = false,
        private readonly Embeddings $embeddings = new Embeddings(),
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
        $known = $documents = [];
        foreach ($models as $model) {
            $attributes = $model->toSearchableArray();
            if ($attributes !== []) {
                $known[] = $model;
                $documents[] = [$model->getScoutKey(), [...$attributes, ...$model->scoutMetadata()]];
            }
        }
        if ($documents === []) {
            return;
        }
        $has = Embeddings::has($known[0]);
        $vectors = $has ? $this->embeddings->ofModels($known) : [];
        $settings = $this->embeddings->settings($known[0]);
        foreach ($documents as $at => [, $attributes]) {
            if ($has) {
                unset($attributes[$settings['attribute']]);
            }
            $documents[$at][1] = (new Attributes($attributes))->values();
            if (isset($vectors[$at])) {
                $documents[$at][1][Attributes::vector($settings['attribute'])] = $vectors[$at];
            }
        }
        $fields = \array_replace(...\array_column($documents, 1));
        $writer = $this->folder->writer(self::indexOf($known[0]), $fields, $settings);
        foreach ($documents as [$key, $values]) {
            $writer->add($key, $values);
        }
        $writer->commit();
        $writer->close();
    }

    public function delete($models): void
    {
        $name = $models->isEmpty() ? null : self::indexOf($models->first());
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

    public function search(Builder $builder): Hits|Ranked|null
    {
        return $this->hits($builder, $builder->limit, 0);
    }

    public function paginate(Builder $builder, $perPage, $page): Hits|Ranked|null
    {
        return $this->hits($builder, (int) $perPage, ((int) $page - 1) * (int) $perPage);
    }

    private function hits(Builder $builder, ?int $limit, int $offset): Hits|Ranked|null
    {
        $index = $this->folder->index($builder->index ?: $builder->model->searchableAs());
        if ($index === null) {
            return null;
        }
        $semantic = ($builder->semanticSearch ?? false) || ($builder->hybridSearch ?? null) !== null;
        $arguments = [...$this->search, ...$builder->options ?? []];
        $fusion = $arguments['fusion'] ?? 'rrf';
        unset($arguments['vector'], $arguments['fusion']);
        $arguments = [...$arguments, 'limit' => $limit ?? \count($index), 'offset' => $offset, 'total' => true];
        $arguments['filter'] = [...$arguments['filter'] ?? [], ...Conditions::filters($index, $builder)];
        if ($semantic) {
            return $this->byMeaning($index, $builder, $arguments, $fusion, $limit);
        }
        $sort = Conditions::order($index, $builder);
        if ($sort !== []) {
            $arguments['sort'] = $sort;
        }
        if ($builder->callback) {
            return ($builder->callback)($index, (string) $builder->query, $arguments);
        }

        return $index->search((string) $builder->query, ...$arguments);
    }

    /** @param array<string, mixed> $arguments */
    private function byMeaning(Index $index, Builder $builder, array $arguments, mixed $fusion, ?int $limit): mixed
    {
        $model = $builder->model;
        if (!Embeddings::has($model)) {
            throw new SearchException($model::class . ' has no vectors, because it has no toSearchableEmbedding().');
        }
        if ($builder->orders !== [] || \array_intersect_key($arguments, ['sort' => 1, 'distinct' => 1, 'after' => 1]) !== []) {
            throw new SearchException('What is found by meaning is in the order of similarity, and in no other.');
        }
        if ($fusion !== 'rrf' && $fusion !== 'scores') {
            throw new SearchException("The option fusion must be 'rrf' or 'scores'.");
        }
        $minimum = $builder->minimumSimilarity ?? null;
        if ($minimum !== null && !\is_numeric($minimum)) {
            throw new SearchException('The minimum of similarity must be a number.');
        }
        if ($arguments['limit'] < 0 || $arguments['offset'] < 0) {
            throw new SearchException('There are no pages before the first, and none with fewer than no models.');
        }
        $field = Attributes::vector($this->embeddings->settings($model)['attribute']);
        $vector = $this->embeddings->ofQuery($builder);
        $query = (string) $builder->query;
        if ($builder->callback) {
            return ($builder->callback)($index, $query, [...$arguments, 'nearest' => [$field => $vector]]);
        }
        $field = isset($index->fields()[$field]) ? $field : null;
        $search = new VectorSearch($index, $field, $vector, $arguments, $minimum === null ? null : (float) $minimum);
        $page = (int) $model->getPerPage();

        return match (true) {
            $builder->hybridSearch === null => $search->semantic($limit, $arguments['offset'], $page),
            $fusion === 'rrf' => $search->byRanks($query, $builder->hybridSearch, $limit ?? $page, $arguments['offset']),
            default => $search->byScores($query, $builder->hybridSearch, $limit ?? $page, $arguments['offset']),
        };
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

    /** The index that models are written to: newer Scouts may read another one. */
    private static function indexOf(object $model): string
    {
        return \method_exists($model, 'indexableAs') ? $model->indexableAs() : $model->searchableAs();
    }

    /** Removes all models from the index; its fields stay. */
    public function flush($model): void
    {
        $name = self::indexOf($model);
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
