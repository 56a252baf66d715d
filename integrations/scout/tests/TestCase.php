<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Illuminate\Config\Repository;
use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager as Capsule;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Events\Dispatcher;
use Illuminate\Support\Facades\Facade;
use Laravel\Scout\Builder;
use Laravel\Scout\EngineManager;
use PHPUnit\Framework\TestCase as Base;
use Postings\Scout\Folder;
use Postings\Scout\PostingsEngine;
use Postings\Scout\SemanticBuilder;

/** As much of an application as Scout needs: configuration, events, and a database in memory. */
abstract class TestCase extends Base
{
    protected Container $app;
    protected string $folder;

    protected function setUp(): void
    {
        parent::setUp();
        $this->folder = sys_get_temp_dir() . '/postings-scout-' . bin2hex(random_bytes(8));
        mkdir($this->folder);
        $this->app = new Container();
        Container::setInstance($this->app);
        Facade::setFacadeApplication($this->app);
        $this->app->instance('config', new Repository([
            'scout' => ['driver' => 'postings', 'prefix' => '', 'queue' => false, 'soft_delete' => true],
        ]));
        $this->app->instance('events', new Dispatcher($this->app));
        $this->app->bind(\Illuminate\Contracts\Events\Dispatcher::class, fn () => $this->app['events']);
        $this->app->singleton(EngineManager::class, fn ($app) => new EngineManager($app));
        $this->app->make(EngineManager::class)->extend('postings', fn () => $this->engine());
        if (!method_exists(Builder::class, 'semantic')) {
            $this->app->bind(Builder::class, SemanticBuilder::class);
        }

        $capsule = new Capsule($this->app);
        $capsule->addConnection(['driver' => 'sqlite', 'database' => ':memory:']);
        $capsule->setEventDispatcher($this->app['events']);
        $capsule->setAsGlobal();
        $capsule->bootEloquent();
        $this->app->instance('db', $capsule->getDatabaseManager());
        $capsule->schema()->create('users', function (Blueprint $table) {
            $table->id();
            $table->string('name');
            $table->string('email')->nullable();
            $table->timestamp('email_verified_at')->nullable();
            $table->string('password')->nullable();
            $table->string('remember_token')->nullable();
            $table->timestamps();
        });
        Model::clearBootedModels();
        Model::preventAccessingMissingAttributes(false);
    }

    protected function engine(): PostingsEngine
    {
        return new PostingsEngine(new Folder($this->folder), ['prefix' => true], softDelete: true);
    }

    /** A container that the service provider can do with, instead of that of setUp(). */
    protected function application(): Container
    {
        $app = new class($this->folder) extends Container {
            public function __construct(private readonly string $folder)
            {
            }

            public function storagePath(string $path): string
            {
                return "$this->folder/$path";
            }
        };
        $app->instance('config', $this->app['config']);
        $app->instance('events', $this->app['events']);
        Container::setInstance($app);

        return $app;
    }

    protected function tearDown(): void
    {
        foreach (glob("$this->folder/*") as $index) {
            \Postings\Index::drop($index);
        }
        rmdir($this->folder);
        Container::setInstance(null);
        parent::tearDown();
    }
}
