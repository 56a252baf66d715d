<?php

declare(strict_types=1);

namespace Postings\Scout;

use Illuminate\Support\ServiceProvider;
use Laravel\Scout\EngineManager;

/** The driver `postings`: SCOUT_DRIVER=postings. */
final class PostingsServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->mergeConfigFrom(__DIR__ . '/../config/postings.php', 'scout.postings');
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
        ));
    }
}
