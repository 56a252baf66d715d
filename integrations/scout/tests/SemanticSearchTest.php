<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Illuminate\Database\Capsule\Manager as Capsule;
use Illuminate\Database\Schema\Blueprint;
use Laravel\Scout\Builder;
use Laravel\Scout\EngineManager;
use Postings\Index;
use Postings\Scout\Embeddings;
use Postings\Scout\Folder;
use Postings\Scout\PostingsEngine;
use Postings\Scout\PostingsServiceProvider;
use Postings\Scout\Ranked;
use Postings\Scout\SearchException;
use Postings\Scout\SemanticSearch;

/** semantic() and hybrid(), compared with a look at every article. */
final class SemanticSearchTest extends TestCase
{
    private const WORDS = ['sea', 'ship', 'sail', 'port', 'land', 'crew'];
    private const COUNT = 60;
    private const VECTOR = [0.9, -0.3, 0.2, 0.4];

    /** @var array<class-string, array<string, mixed>> */
    private array $settings = [];

    /** What was embedded. @var list<list<string>> */
    private array $embedded = [];

    protected function setUp(): void
    {
        parent::setUp();
        Capsule::schema()->create('articles', function (Blueprint $table) {
            $table->id();
            $table->string('title');
            $table->string('lang');
            $table->integer('year');
            $table->text('embedding')->nullable();
            $table->softDeletes();
        });
        mt_srand(7);
        $articles = new \Illuminate\Database\Eloquent\Collection();
        for ($id = 1; $id <= self::COUNT; ++$id) {
            $words = array_rand(array_flip(self::WORDS), mt_rand(2, 4));
            $articles->push(Article::withoutSyncingToSearch(fn () => Article::create([
                'title' => implode(' ', $words),
                'lang' => $id % 3 === 0 ? 'de' : 'en',
                'year' => 1945 + mt_rand(0, 9),
                // Some have none, and some the same one.
                'embedding' => match (true) {
                    $id % 10 === 5 => null,
                    $id % 10 === 6 => [1, 1, 0, 0],
                    default => array_map(static fn () => mt_rand(-100, 100) / 100, self::VECTOR),
                },
            ])));
        }
        $articles->searchable();
    }

    protected function engine(): PostingsEngine
    {
        $embed = function (array $texts, array $settings): array {
            $this->embedded[] = $texts;

            return array_map(static fn (string $text) => self::embed($text), $texts);
        };

        return new PostingsEngine(new Folder($this->folder), softDelete: true, embeddings: new Embeddings($this->settings, $embed));
    }

    /** Counts letters. @return list<float> */
    private static function embed(string $text): array
    {
        return array_map(static fn (string $letter) => 0.5 + substr_count($text, $letter), ['s', 'e', 'a', 'h']);
    }

    private static function search(string $query): Builder
    {
        return Article::search($query)->options(['vector' => self::VECTOR, 'matching' => 'any']);
    }

    /** @param list<float> $vector */
    private static function cosine(array $vector, array $other = self::VECTOR): float
    {
        $dot = static fn (array $a, array $b) => array_sum(array_map(static fn ($x, $y) => $x * $y, $a, $b));

        return $dot($vector, $other) / sqrt($dot($vector, $vector) * $dot($other, $other));
    }

    /** The cosines of articles, best first. @return array<int, float> */
    private static function similar(?callable $where = null): array
    {
        $scores = [];
        foreach (Article::all() as $article) {
            if ($article->embedding !== null && ($where === null || $where($article))) {
                $scores[$article->id] = self::cosine($article->embedding);
            }
        }
        // Those with the same vector have cosines that may differ in the last bit.
        uksort($scores, static fn ($a, $b) => abs($scores[$a] - $scores[$b]) > 1e-12 ? $scores[$b] <=> $scores[$a] : $a <=> $b);

        return $scores;
    }

    /** @return list<int> */
    private static function keys(Builder $builder): array
    {
        return $builder->keys()->all();
    }

    private function index(): Index
    {
        return Index::open("$this->folder/articles");
    }

    public function test_semantic_search_finds_the_nearest(): void
    {
        $expected = self::similar();
        self::assertCount(54, $expected);
        self::assertSame(array_keys($expected), self::keys(self::search('x')->semantic()->take(100)));
        self::assertSame(array_slice(array_keys($expected), 0, 7), self::keys(self::search('x')->semantic()), 'a page');
        self::assertSame(array_key_first($expected), self::search('x')->semantic()->first()->id);
        $raw = self::search('x')->semantic()->take(3)->raw();
        self::assertInstanceOf(Ranked::class, $raw);
        self::assertSame([54, 3], [$raw->total, count($raw)]);
        self::assertEqualsWithDelta(array_slice(array_values($expected), 0, 3), $raw->scores, 1e-6);
    }

    public function test_conditions_hold_before_similarity(): void
    {
        $keys = self::keys(self::search('x')->where('lang', 'de')->semantic()->take(100));
        self::assertSame(array_keys(self::similar(static fn ($article) => $article->lang === 'de')), $keys);
        $keys = self::keys(self::search('x')->semantic()->whereIn('id', [1, 2])->whereNotIn('lang', ['de'])->take(100));
        self::assertSame([], $keys, 'id is in no array');
        Article::find(array_key_first(self::similar()))->delete();
        $expected = array_keys(self::similar());
        self::assertCount(53, $expected);
        self::assertSame($expected, self::keys(self::search('x')->semantic()->take(100)));
        self::assertCount(54, self::keys(self::search('x')->semantic()->withTrashed()->take(100)));
        $page = self::search('x')->semantic()->onlyTrashed()->paginate(5);
        self::assertSame([1, 1], [$page->total(), count($page->items())]);
    }

    public function test_conditions_of_newer_scouts_have_operators(): void
    {
        foreach (['<' => -1, '<=' => -1, '>' => 1, '>=' => 1, '=' => 0, '!=' => 0] as $operator => $sign) {
            $builder = self::search('x')->semantic()->take(100);
            $builder->wheres = [['field' => 'year', 'operator' => $operator, 'value' => 1950]];
            $expected = self::similar(static fn ($article) => match ($operator) {
                '=' => $article->year === 1950,
                '!=' => $article->year !== 1950,
                default => ($article->year <=> 1950) === $sign || $article->year === 1950 && strlen($operator) === 2,
            });
            self::assertSame(array_keys($expected), self::keys($builder), $operator);
        }
        $builder = Article::search('');
        $builder->wheres = [['field' => 'lang', 'operator' => '!=', 'value' => 'de'], ['field' => 'none', 'operator' => '>', 'value' => 1]];
        self::assertSame([], self::keys($builder));
        foreach ([['lang', '~', 'de'], ['lang', '<', 'de']] as [$field, $operator, $value]) {
            $builder->wheres = [['field' => $field, 'operator' => $operator, 'value' => $value]];
            try {
                $builder->keys();
                self::fail($operator);
            } catch (SearchException $exception) {
                self::assertStringContainsString($operator, $exception->getMessage());
            }
        }
    }

    public function test_pages_fit_together_and_have_exact_totals(): void
    {
        $models = [];
        for ($page = 1; $page <= 6; ++$page) {
            $found = self::search('x')->semantic()->paginate(10, 'page', $page);
            self::assertSame([54, 6], [$found->total(), $found->lastPage()]);
            array_push($models, ...$found->items());
        }
        self::assertSame(array_keys(self::similar()), array_map(static fn ($model) => $model->id, $models));
        self::assertSame(54, self::search('x')->semantic()->paginate(10, 'page', 9)->total());
        self::assertSame([], self::search('x')->semantic()->paginate(10, 'page', 9)->items());
        $few = self::search('x')->semantic()->query(fn ($query) => $query->where('year', '<', 1950))->paginate(5);
        $expected = count(array_filter(array_keys(self::similar()), static fn ($id) => Article::find($id)->year < 1950));
        self::assertSame($expected, $few->total(), 'counted by the database');
        self::assertTrue(self::search('x')->semantic()->simplePaginate(10, 'page', 5)->hasMorePages());
        self::assertFalse(self::search('x')->semantic()->simplePaginate(10, 'page', 6)->hasMorePages());
        $lazy = self::search('x')->semantic()->take(9)->cursor()->map(fn ($model) => $model->id)->all();
        self::assertSame(array_slice(array_keys(self::similar()), 0, 9), $lazy);
    }

    /** @dataProvider minimums */
    public function test_a_minimum_of_similarity_leaves_out_the_others(float $minimum): void
    {
        $expected = array_keys(array_filter(self::similar(), static fn (float $cosine) => $cosine >= $minimum));
        self::assertSame($expected, self::keys(self::search('x')->semantic($minimum)), 'all of them');
        self::assertSame(array_slice($expected, 0, 2), self::keys(self::search('x')->semantic(minSimilarity: $minimum)->take(2)));
        $page = self::search('x')->semantic($minimum)->paginate(4, 'page', 2);
        self::assertSame(count($expected), $page->total());
        self::assertSame(array_slice($expected, 4, 4), array_map(static fn ($model) => $model->id, $page->items()));
    }

    public static function minimums(): array
    {
        return [[-1.0], [-0.5], [0.0], [0.3], [0.6], [0.9], [1.1]];
    }

    /** The sum of weight / (60 + rank), by two searches. @return list<int> */
    private static function fused(string $query, int|float $text, int|float $semantic, ?float $minimum = null): array
    {
        $words = self::keys(self::search($query));
        $near = array_filter(self::similar(), static fn (float $cosine) => $minimum === null || $cosine >= $minimum);
        $scores = array_fill_keys(range(1, self::COUNT), 0);
        foreach ($words as $at => $id) {
            $scores[$id] += $text / (61 + $at);
        }
        foreach (array_keys($near) as $at => $id) {
            $scores[$id] += $semantic / (61 + $at);
        }
        $scores = array_filter($scores);
        arsort($scores);

        return array_keys($scores);
    }

    /** @dataProvider weights */
    public function test_hybrid_search_fuses_ranks(int|float $text, int|float $semantic, ?float $minimum): void
    {
        $expected = self::fused('ship port', $text, $semantic, $minimum);
        $found = static fn () => self::search('ship port')->hybrid($text, $semantic, $minimum);
        self::assertSame($expected, self::keys($found()->take(100)));
        self::assertSame(array_slice($expected, 0, 7), self::keys($found()), 'a page');
        $models = [];
        for ($page = 1; $page <= 7; ++$page) {
            $paginator = $found()->paginate(9, 'page', $page);
            self::assertSame(count($expected), $paginator->total());
            array_push($models, ...$paginator->items());
        }
        self::assertSame($expected, array_map(static fn ($model) => $model->id, $models));
    }

    public static function weights(): array
    {
        return [[1, 1, null], [1, 3, null], [3, 1, null], [0.5, 20, null], [1, 1, 0.5], [1, 2, 1.5]];
    }

    public function test_equal_weights_are_the_fusion_of_the_index(): void
    {
        $hits = $this->index()->search(
            'ship port',
            limit: 100,
            matching: 'any',
            nearest: ['embedding|vector' => self::VECTOR],
            filter: ['__soft_deleted|num' => 0],
        );
        $raw = self::search('ship port')->hybrid()->take(100)->raw();
        self::assertSame($hits->ids(), $raw->ids());
        foreach ($raw->scores as $at => $score) {
            self::assertEqualsWithDelta($hits[$at]->score, $score, 1e-9);
        }
    }

    public function test_scores_are_added_up_if_wanted(): void
    {
        $cosines = self::similar();
        $scores = [];
        foreach (self::search('ship port')->raw() as $hit) {
            $scores[$hit->id] = 0.5 * $hit->score;
        }
        self::assertNotCount(self::COUNT, $scores);
        foreach ($cosines as $id => $cosine) {
            $scores[$id] = ($scores[$id] ?? 0) + 2 * $cosine;
        }
        $hybrid = static fn () => tap(self::search('ship port')->hybrid(0.5, 2), function ($builder) {
            $builder->options['fusion'] = 'scores';
        });
        $raw = $hybrid()->take(100)->raw();
        self::assertSame(count($scores), $raw->total);
        foreach ($raw->ids() as $at => $id) {
            self::assertEqualsWithDelta($scores[$id], $raw->scores[$at], 1e-5);
        }
        arsort($scores);
        self::assertEqualsWithDelta(array_values($scores), $raw->scores, 1e-5);
        $page = $hybrid()->paginate(10, 'page', 2);
        self::assertSame(count($scores), $page->total());
        self::assertSame(array_slice($raw->ids(), 10, 10), array_map(static fn ($model) => $model->id, $page->items()));
    }

    public function test_facets_are_those_of_the_words(): void
    {
        $facets = ['facets' => ['lang|raw'], 'vector' => self::VECTOR];
        $words = Article::search('ship')->options($facets)->raw()->facets;
        self::assertNotEmpty($words['lang|raw']);
        self::assertSame($words, Article::search('ship')->options($facets)->hybrid()->raw()->facets);
        self::assertSame($words, Article::search('ship')->options($facets + ['fusion' => 'scores'])->hybrid()->raw()->facets);
    }

    public function test_texts_are_embedded_by_the_application(): void
    {
        $this->embedded = [];
        $articles = Article::all()->each(fn ($article) => $article->embedding = ['text']);
        $more = collect(range(1, 60))->map(fn ($id) => (new Article(['title' => 'sea', 'lang' => 'en', 'year' => 1, 'embedding' => ['text']]))
            ->forceFill(['id' => 1000 + $id]));
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
            self::assertEqualsWithDelta($scores[$id] ?? self::cosine(self::embed('sea'), self::embed('ship')), $raw->scores[$at], 1e-6);
        }
    }

    public function test_settings_of_the_model_name_attribute_metric_and_dimensions(): void
    {
        $this->settings = [Article::class => ['embedding' => ['attribute' => 'sense', 'metric' => 'euclidean', 'dimensions' => 4]]];
        $manager = new EngineManager($this->app);
        $manager->extend('postings', fn () => $this->engine());
        $this->app->instance(EngineManager::class, $manager);
        Article::all()->searchable();
        self::assertSame(['vector' => 4, 'metric' => 'euclidean'], $this->index()->fields()['sense|vector']);
        $raw = self::search('x')->semantic()->take(1)->raw();
        $best = min(array_map(
            static fn ($article) => sqrt(array_sum(array_map(static fn ($a, $b) => ($a - $b) ** 2, $article->embedding, self::VECTOR))),
            Article::all()->whereNotNull('embedding')->all(),
        ));
        self::assertEqualsWithDelta(1 / (1 + $best ** 2), $raw->scores[0], 1e-6);
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

    public function test_what_cannot_be_is_refused(): void
    {
        $refused = [
            'order' => fn () => self::search('x')->semantic()->orderBy('year')->get(),
            'order ' => fn () => self::search('x')->hybrid()->orderBy('year')->get(),
            'ORDER' => fn () => self::search('x')->options(['vector' => self::VECTOR, 'sort' => ['year|num' => 'asc']])->hybrid()->get(),
            'fusion' => fn () => self::search('x')->options(['vector' => self::VECTOR, 'fusion' => 'sum'])->hybrid()->get(),
            'minimum' => fn () => self::search('x')->semantic('high')->get(),
            'no minimum' => fn () => self::search('x')->options(['vector' => self::VECTOR, 'fusion' => 'scores'])
                ->hybrid(1, 1, 0.5)->get(),
            'toSearchableEmbedding' => fn () => Product::search('x')->within('articles')->semantic()->get(),
            'query' => fn () => Article::search('')->semantic(),
            'Query' => fn () => Article::search(' ')->hybrid(),
            'weights' => fn () => Article::search('x')->hybrid(0, 1),
            'Weights' => fn () => Article::search('x')->hybrid(1, -1),
            'must return' => fn () => (new Article(['title' => '', 'lang' => '', 'year' => 1, 'embedding' => ['text']]))
                ->forceFill(['id' => 1])->searchable(),
        ];
        foreach ($refused as $why => $search) {
            try {
                $search();
                self::fail("$why is not refused");
            } catch (SearchException $exception) {
                self::assertStringContainsStringIgnoringCase(trim($why), $exception->getMessage());
            }
        }
        self::assertCount(self::COUNT, $this->index(), 'nothing was added');
        $nothing = new PostingsEngine(new Folder($this->folder), softDelete: true);
        $this->expectException(SearchException::class);
        $this->expectExceptionMessage('laravel/ai');
        $nothing->search(Article::search('x')->semantic());
    }

    public function test_a_callback_gets_the_vector(): void
    {
        $found = Article::search('ship', function (Index $index, string $query, array $arguments) {
            return $index->search($query, ...[...$arguments, 'limit' => 100, 'fusion' => ['text' => 0, 'embedding|vector' => 1]]);
        })->options(['vector' => self::VECTOR])->hybrid();
        self::assertSame(array_slice(array_keys(self::similar()), 0, 20), array_slice(self::keys($found), 0, 20));
    }

    public function test_without_vectors_words_decide(): void
    {
        $engine = $this->app->make(EngineManager::class)->engine();
        $engine->deleteIndex('articles');
        self::assertSame([], self::keys(self::search('ship')->semantic()));
        self::assertSame(0, self::search('ship')->hybrid()->paginate(5)->total());
        Article::all()->each(fn ($article) => $article->embedding = null)->searchable();
        $words = self::keys(self::search('ship'));
        self::assertNotEmpty($words);
        self::assertSame([], self::keys(self::search('ship')->semantic(0.1)));
        foreach (['rrf', 'scores'] as $fusion) {
            $found = self::search('ship')->options(['vector' => self::VECTOR, 'fusion' => $fusion])->hybrid()->take(100);
            self::assertSame([$words, count($words)], [self::keys($found), $found->raw()->total]);
        }
    }

    /** Both lists have more hits than are fused. */
    public function test_long_lists_are_cut_at_a_thousand(): void
    {
        $models = collect(range(1, 2300))->map(fn ($id) => (new Article([
            'title' => str_repeat('sea ', 1 + $id % 40), 'lang' => 'en', 'year' => 1, 'embedding' => [1, $id / 1000, 0, 0],
        ]))->forceFill(['id' => $id]));
        $models->searchable();
        $search = fn (int $limit) => Article::search('sea')->options(['vector' => [0, 1, 0, 0]])->hybrid(1, 2)->take($limit)->raw();
        $words = array_slice(self::keys(Article::search('sea')), 0, 1000);
        $near = range(2300, 1301);
        $all = $search(5000);
        self::assertSame(count(array_unique([...$words, ...$near])), $all->total);
        self::assertEqualsCanonicalizing(array_unique([...$words, ...$near]), $all->ids());
        self::assertSame(array_slice($all->ids(), 0, 20), $search(20)->ids());
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

    public function test_the_engine_has_the_interface_that_scout_asks_for(): void
    {
        self::assertInstanceOf(SemanticSearch::class, $this->engine());
        if (interface_exists(\Laravel\Scout\Contracts\SupportsSemanticSearch::class)) {
            self::assertInstanceOf(\Laravel\Scout\Contracts\SupportsSemanticSearch::class, $this->engine());
        }
        $this->app['config']->set('scout.driver', 'null');
        $this->expectException(\Exception::class);
        Article::search('x')->semantic()->get();
    }
}
