<?php

declare(strict_types=1);

namespace Postings\Scout;

use Illuminate\Support\ServiceProvider;
use Laravel\Scout\Builder;
use Laravel\Scout\EngineManager;

/** The driver `postings`: SCOUT_DRIVER=postings. */
final class PostingsServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->mergeConfigFrom(__DIR__ . '/../config/postings.php', 'scout.postings');
        if (!\method_exists(Builder::class, 'semantic')) {
            $this->app->bindIf(Builder::class, SemanticBuilder::class);
        }
    }

    public function boot(): void
    {
        $this->app->make(EngineManager::class)->extend('postings', fn () => new PostingsEngine(
            new Folder(
                $this->app['config']['scout.postings.path'],
                $this->app['config']['scout.postings.wait'],
                Folder::byIndex($this->app['config']['scout.postings.index-settings'] ?? []),
            ),
            $this->app['config']['scout.postings.search'] ?? [],
            (bool) $this->app['config']['scout.soft_delete'],
            new Embeddings($this->app['config']['scout.postings.model-settings'] ?? [], $this->embed()),
        ));
    }

    /** What turns texts into vectors, from the container if it is a class. */
    private function embed(): ?callable
    {
        $embed = $this->app['config']['scout.postings.embed'] ?? null;

        return \is_string($embed) && \class_exists($embed)
            ? fn (array $texts, array $settings) => $this->app->make($embed)($texts, $settings)
            : $embed;
    }
}
