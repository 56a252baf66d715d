<?php

declare(strict_types=1);

namespace Postings\Scout;

use Laravel\Scout\Builder;

/**
 * Where the vectors of models and of queries come from: the model's toSearchableEmbedding() and the option `vector`, or for
 * texts a function of the application, or Laravel's AI SDK.
 */
final class Embeddings
{
    /** How many texts are embedded at a time. */
    private const BATCH = 100;

    /** @var ?\Closure(list<string>, array<string, mixed>): array<mixed> */
    private readonly ?\Closure $embed;

    /**
     * @param array<class-string, array{embedding?: array<string, mixed>}> $settings by model
     * @param ?callable(list<string>, array<string, mixed>): array<mixed> $embed
     */
    public function __construct(private readonly array $settings = [], ?callable $embed = null)
    {
        $this->embed = $embed === null ? null : $embed(...);
    }

    /**
     * What is configured for a model, with `attribute` and `metric`.
     *
     * @return array{attribute: string, metric: string, dimensions?: int, ...}
     */
    public function settings(object $model): array
    {
        $settings = $this->settings[$model::class]['embedding'] ?? [];
        $settings['attribute'] ??= \method_exists($model, 'searchableEmbeddingColumn')
            ? $model->searchableEmbeddingColumn()
            : 'embedding';
        $settings['metric'] ??= 'cosine';

        return $settings;
    }

    /** Whether models of this class have vectors. */
    public static function has(object $model): bool
    {
        return \method_exists($model, 'toSearchableEmbedding');
    }

    /**
     * The vectors of models of one class; null for those without.
     *
     * @param array<int, object> $models
     * @return array<int, string|list<int|float>|null> by the models' keys
     */
    public function ofModels(array $models): array
    {
        $vectors = $texts = [];
        foreach ($models as $at => $model) {
            $value = $model->toSearchableEmbedding();
            if (\is_string($value) && \trim($value) !== '') {
                $texts[$at] = $value;
            } elseif ($value !== null && (!\is_array($value) || $value === [])) {
                throw new SearchException($model::class . '::toSearchableEmbedding() must return a text, a vector or null.');
            }
            $vectors[$at] = $value;
        }
        foreach (\array_chunk($texts, self::BATCH, true) as $batch) {
            $made = $this->make(\array_values($batch), $this->settings(\reset($models)));
            $vectors = \array_replace($vectors, \array_combine(\array_keys($batch), $made));
        }

        return $vectors;
    }

    /** @return string|list<int|float> the vector of a query */
    public function ofQuery(Builder $builder): string|array
    {
        return $builder->options['vector']
            ?? $this->make([(string) $builder->query], $this->settings($builder->model))[0];
    }

    /**
     * @param non-empty-list<string> $texts
     * @param array<string, mixed> $settings
     * @return non-empty-list<string|list<int|float>>
     */
    private function make(array $texts, array $settings): array
    {
        if ($this->embed !== null) {
            $vectors = ($this->embed)($texts, $settings);
        } elseif (\class_exists('Laravel\Ai\Embeddings')) {
            $pending = \Laravel\Ai\Embeddings::for($texts)->cache();
            if (isset($settings['dimensions'])) {
                $pending = $pending->dimensions($settings['dimensions']);
            }
            $vectors = $pending->generate($settings['provider'] ?? null, $settings['model'] ?? null)->embeddings;
        } else {
            throw new SearchException(
                'Nothing turns texts into vectors: set scout.postings.embed, install laravel/ai, or give vectors.',
            );
        }
        if (!\is_array($vectors) || \count($vectors) !== \count($texts)) {
            throw new SearchException(\count($texts) . ' texts did not become as many vectors.');
        }

        return \array_values($vectors);
    }
}
