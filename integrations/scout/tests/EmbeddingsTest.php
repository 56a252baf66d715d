<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Laravel\Scout\Builder;
use Laravel\Scout\EngineManager;
use Postings\Scout\Embeddings;
use Postings\Scout\PostingsServiceProvider;
use Postings\Scout\SearchException;

/** Where vectors come from, and how the index keeps them. */
final class EmbeddingsTest extends ArticleTestCase
{
    public function test_texts_are_embedded_by_the_application(): void
    {
        $this->embedded = [];
        $articles = Article::all()->each(fn ($article) => $article->embedding = ['text']);
        $more = collect(range(1, 60))->map(fn ($id) => (new Article([
            'title' => 'sea', 'lang' => 'en', 'year' => 1, 'embedding' => ['text'],
        ]))->forceFill(['id' => 1000 + $id]));
        $articles->concat($more)->searchable();
        self::assertSame([100, 20], array_map('count', $this->embedded), 'in batches');
        $scores = [];
        foreach ($articles as $article) {
            $scores[$article->id] = self::cosine(self::embed($article->title), self::embed('ship'));
        }
        $raw = Article::search('ship')->semantic()->take(500)->raw();
        self::assertSame(['ship'], end($this->embedded));
        self::assertSame(120, $raw->total);
        foreach ($raw->ids() as $at => $id) {
            $expected = $scores[$id] ?? self::cosine(self::embed('sea'), self::embed('ship'));
            self::assertEqualsWithDelta($expected, $raw->scores[$at], 1e-6);
        }
    }

    public function test_settings_of_the_model_name_attribute_metric_and_dimensions(): void
    {
        $settings = ['attribute' => 'sense', 'metric' => 'euclidean', 'dimensions' => 4];
        $this->settings = [Article::class => ['embedding' => $settings]];
        $manager = new EngineManager($this->app);
        $manager->extend('postings', fn () => $this->engine());
        $this->app->instance(EngineManager::class, $manager);
        Article::all()->searchable();
        self::assertSame(['vector' => 4, 'metric' => 'euclidean', 'bits' => 32], $this->index()->fields()['sense|vector']);
        $raw = self::search('x')->semantic()->take(1)->raw();
        $square = static fn ($a, $b) => ($a - $b) ** 2;
        $nearest = min(array_map(
            static fn ($article) => array_sum(array_map($square, $article->embedding, self::VECTOR)),
            Article::all()->whereNotNull('embedding')->all(),
        ));
        self::assertEqualsWithDelta(1 / (1 + $nearest), $raw->scores[0], 1e-6);
        // A vector is no text, and not searched as one.
        self::assertArrayNotHasKey('sense', $this->index()->fields());
    }

    public function test_other_vectors_need_another_index(): void
    {
        foreach ([['dimensions' => 3], ['metric' => 'dot']] as $settings) {
            $this->settings = [Article::class => ['embedding' => $settings]];
            try {
                $this->engine()->update(Article::all());
                self::fail();
            } catch (SearchException $exception) {
                self::assertStringContainsString('has vectors of 4 dimensions compared by cosine', $exception->getMessage());
            }
        }
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage('must have 4 numbers');
        self::search('x')->options(['vector' => [1, 2]])->semantic()->keys();
    }

    public function test_the_provider_gives_older_scouts_the_builder_and_embeds_by_a_class(): void
    {
        $app = $this->application();
        $embed = new class {
            public function __invoke(array $texts, array $settings): array
            {
                return array_map(static fn () => $settings['vector'], $texts);
            }
        };
        $app['config']->set('scout.postings', [
            'path' => $this->folder,
            'embed' => $embed::class,
            'model-settings' => [Article::class => ['embedding' => ['vector' => self::VECTOR]]],
        ]);
        $app->singleton(EngineManager::class, fn ($app) => new EngineManager($app));
        $provider = new PostingsServiceProvider($app);
        $provider->register();
        $provider->boot();
        self::assertSame(array_keys(self::similar()), self::keys(Article::search('x')->semantic()->take(100)));
        $app['config']->set('scout.postings.embed', fn (array $texts) => [pack('g*', ...self::VECTOR)]);
        $app->make(EngineManager::class)->forgetEngines();
        self::assertSame(array_keys(self::similar()), self::keys(Article::search('x')->semantic()->take(100)), 'packed');
        $app['config']->set('scout.postings.embed', fn (array $texts) => []);
        $app->make(EngineManager::class)->forgetEngines();
        $this->expectException(SearchException::class);
        Article::search('x')->semantic()->keys();
    }

    public function test_texts_are_embedded_by_laravels_sdk_if_it_is_there(): void
    {
        $code = <<<'PHP'
            namespace Laravel\Ai {
                final class Embeddings
                {
                    public array $embeddings = [];

                    private function __construct(private array $asked)
                    {
                    }

                    public static function for(array $texts): self
                    {
                        return new self([$texts]);
                    }

                    public function cache(): self
                    {
                        return $this;
                    }

                    public function dimensions(int $dimensions): self
                    {
                        return new self([...$this->asked, $dimensions]);
                    }

                    public function generate(?string $provider, ?string $model): self
                    {
                        $this->embeddings = [[...$this->asked, $provider, $model]];

                        return $this;
                    }
                }
            }
            namespace {
                require $argv[1];
                $model = new class {
                };
                foreach ([[], ['dimensions' => 8, 'provider' => 'own', 'model' => 'small']] as $settings) {
                    $embeddings = new Postings\Scout\Embeddings([$model::class => ['embedding' => $settings]]);
                    echo json_encode($embeddings->ofQuery(new Laravel\Scout\Builder($model, 'a text')));
                }
            }
            PHP;
        $extension = 'extension=' . getenv('POSTINGS_EXTENSION');
        $command = [PHP_BINARY, '-d', $extension, '-r', $code, '--', dirname(__DIR__, 2) . '/bootstrap.php'];
        self::assertSame(
            '[["a text"],null,null][["a text"],8,"own","small"]',
            shell_exec(implode(' ', array_map(escapeshellarg(...), $command))),
        );
    }
}
