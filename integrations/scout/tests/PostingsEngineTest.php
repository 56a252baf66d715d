<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Illuminate\Database\Capsule\Manager as Capsule;
use Illuminate\Database\Schema\Blueprint;
use Laravel\Scout\Console\SyncIndexSettingsCommand;
use Laravel\Scout\EngineManager;
use Postings\Index;
use Postings\Scout\IndexSettings;

final class PostingsEngineTest extends TestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        Product::$more = [];
        Capsule::schema()->create('products', function (Blueprint $table) {
            $table->id();
            $table->string('name');
            $table->string('brand')->nullable();
            $table->float('price')->nullable();
            $table->boolean('used')->nullable();
            $table->text('tags')->nullable();
            $table->timestamp('sold_at')->nullable();
            $table->timestamps();
            $table->softDeletes();
        });
        foreach ([
            ['name' => 'Red lamp', 'brand' => 'Acme', 'price' => 20.5, 'used' => false, 'tags' => ['light', 'sale']],
            ['name' => 'Blue lamp', 'brand' => 'Best', 'price' => 9, 'used' => true, 'tags' => ['light']],
            ['name' => 'Desk', 'brand' => 'Acme', 'price' => 120, 'used' => false, 'sold_at' => '2026-01-02 03:04:05'],
            ['name' => 'Chair', 'brand' => null, 'price' => 60, 'used' => true, 'tags' => ['sale']],
        ] as $product) {
            Product::create($product);
        }
    }

    /** @return list<int> */
    private static function keys($builder): array
    {
        return $builder->keys()->all();
    }

    private function index(): Index
    {
        return Index::open("$this->folder/products");
    }

    public function test_models_are_found_by_words_beginnings_and_in_order(): void
    {
        self::assertSame([1, 2], self::keys(Product::search('lamp')->orderBy('brand')));
        self::assertSame([1, 2], self::keys(Product::search('lam')->orderBy('price', 'desc')));
        self::assertSame(['Desk'], Product::search('desk')->get()->pluck('name')->all());
        self::assertSame([], self::keys(Product::search('nothing')));
        self::assertSame([1], self::keys(Product::search('acme lamp')));
        self::assertCount(4, Product::search('')->get());
    }

    public function test_where_compares_numbers_texts_booleans_lists_and_null(): void
    {
        self::assertSame([1, 3], self::keys(Product::search('')->where('brand', 'Acme')));
        self::assertSame([2], self::keys(Product::search('')->where('price', 9)));
        self::assertSame([2], self::keys(Product::search('')->where('price', 9.0)));
        self::assertSame([2], self::keys(Product::search('')->where('price', '9')));
        self::assertSame([2, 4], self::keys(Product::search('')->where('used', true)));
        self::assertSame([1, 2], self::keys(Product::search('')->where('tags', 'light')));
        self::assertSame([4], self::keys(Product::search('')->where('brand', null)));
        self::assertSame([1, 2, 4], self::keys(Product::search('')->where('sold_at', null)));
        self::assertSame([], self::keys(Product::search('')->where('colour', 'red')));
        self::assertSame([1, 2, 3], self::keys(Product::search('')->whereIn('brand', ['Acme', 'Best'])));
        self::assertSame([], self::keys(Product::search('')->whereIn('brand', [])));
        self::assertSame([2, 4], self::keys(Product::search('')->whereNotIn('brand', ['Acme'])));
        self::assertSame([1], self::keys(Product::search('')->whereIn('brand', ['Acme'])->where('price', 20.5)));
    }

    public function test_order_of_any_attribute(): void
    {
        self::assertSame([2, 1, 4, 3], self::keys(Product::search('')->orderBy('price')));
        self::assertSame([3, 4, 1, 2], self::keys(Product::search('')->orderBy('price', 'desc')));
        self::assertSame([2, 4, 3, 1], self::keys(Product::search('')->orderBy('name')));
        self::assertSame([3, 1, 2, 4], self::keys(Product::search('')->orderBy('brand')->orderBy('price', 'desc')));
        $this->expectException(\InvalidArgumentException::class);
        self::keys(Product::search('')->orderBy('colour'));
    }

    public function test_pages_have_exact_totals(): void
    {
        $page = Product::search('')->orderBy('price')->paginate(3, 'page', 2);
        self::assertSame([4, 2, 'Desk'], [$page->total(), $page->lastPage(), $page->first()->name]);
        $page = Product::search('lamp')->where('brand', 'Best')->paginate(10);
        self::assertSame([1, 'Blue lamp'], [$page->total(), $page->first()->name]);
        self::assertSame(['Red lamp'], Product::search('lamp')->orderBy('price', 'desc')->take(1)->get()->pluck('name')->all());
    }

    public function test_cursors_map_lazily_in_the_order_of_the_hits(): void
    {
        $models = Product::search('')->orderBy('price', 'desc')->cursor();
        self::assertInstanceOf(\Illuminate\Support\LazyCollection::class, $models);
        self::assertSame([3, 4, 1, 2], $models->pluck('id')->all());
    }

    public function test_changes_and_deletions_are_seen_at_once(): void
    {
        Product::find(1)->update(['name' => 'Green lamp']);
        self::assertSame([], self::keys(Product::search('red')));
        self::assertSame([1], self::keys(Product::search('green')));
        Product::find(1)->forceDelete();
        self::assertSame([2], self::keys(Product::search('lamp')));
    }

    public function test_what_is_in_the_bin_is_found_only_if_asked_for(): void
    {
        Product::find(2)->delete();
        self::assertSame([1], self::keys(Product::search('lamp')));
        self::assertSame([1, 2], self::keys(Product::search('lamp')->withTrashed()->orderBy('price', 'desc')));
        self::assertSame([2], self::keys(Product::search('lamp')->onlyTrashed()));
        Product::withTrashed()->find(2)->restore();
        self::assertSame([1, 2], self::keys(Product::search('lamp')->orderBy('price', 'desc')));
    }

    public function test_a_new_attribute_needs_no_rebuild(): void
    {
        Product::$more = ['colour' => 'crimson', 'stock' => 7];
        Product::find(3)->touch();
        self::assertSame([3], self::keys(Product::search('crimson')));
        self::assertSame([3], self::keys(Product::search('')->where('stock', 7)));
        self::assertSame([3], self::keys(Product::search('desk')->orderBy('stock')));
        self::assertSame([1, 2, 4], self::keys(Product::search('')->where('stock', null)));
    }

    public function test_a_long_text_is_searched_and_filtered(): void
    {
        Product::find(4)->update(['name' => $name = str_repeat('word ', 5000) . 'needle']);
        self::assertSame([4], self::keys(Product::search('needle')));
        self::assertSame([4], self::keys(Product::search('')->where('name', $name)));
    }

    public function test_flush_empties_and_import_fills(): void
    {
        Product::removeAllFromSearch();
        self::assertSame([[], 0], [self::keys(Product::search('lamp')), count($this->index())]);
        Product::makeAllSearchable();
        self::assertSame([1, 2], self::keys(Product::search('lamp')->orderBy('price', 'desc')));
    }

    public function test_options_and_callbacks_reach_the_index(): void
    {
        $hits = Product::search('lamp desk')->options(['matching' => 'any', 'facets' => ['brand|raw']])->raw();
        self::assertSame([3, ['Acme' => 2, 'Best' => 1]], [$hits->total, $hits->facets['brand|raw']]);
        $found = Product::search('lamp', function (Index $index, string $query, array $arguments) {
            return $index->search($query, ...[...$arguments, 'filter' => ['brand|raw' => 'Best']]);
        });
        self::assertSame([2], self::keys($found));
    }

    public function test_an_index_that_does_not_exist_finds_nothing(): void
    {
        $engine = $this->app->make(EngineManager::class)->engine();
        $engine->deleteIndex('products');
        self::assertSame([], self::keys(Product::search('lamp')));
        self::assertSame(0, Product::search('lamp')->paginate(5)->total());
        $engine->createIndex('products', ['language' => 'english']);
        self::assertSame('english', $this->index()->analyzer()->options()['language']);
        Product::makeAllSearchable();
        self::assertSame([1, 2], self::keys(Product::search('lamps')->orderBy('price', 'desc')));
        $this->expectException(\Postings\IndexException::class);
        $engine->deleteIndex('../elsewhere');
    }

    public function test_the_provider_registers_the_driver_with_its_configuration(): void
    {
        $app = $this->application();
        $app['config']->set('scout.postings', ['index-settings' => [Product::class => ['language' => 'english']]]);
        $app->singleton(EngineManager::class, fn ($app) => new EngineManager($app));
        $provider = new \Postings\Scout\PostingsServiceProvider($app);
        $provider->register();
        $provider->boot();
        self::assertSame("$this->folder/search", $app['config']['scout.postings.path']);
        self::assertSame(10000, $app['config']['scout.postings.wait']);
        Product::makeAllSearchable();
        self::assertSame([1, 2], self::keys(Product::search('lamps')->orderBy('price', 'desc')));
        self::assertSame([1, 2], self::keys(Product::search('lmap')->orderBy('price', 'desc')), 'typos by configuration');
        Index::drop("$this->folder/search/products");
        rmdir("$this->folder/search");
    }

    /** Two processes add models, each with attributes of its own, at the same time. */
    public function test_the_command_synchronises_settings(): void
    {
        if (!class_exists(\Symfony\Component\Console\Command\Command::class)) {
            self::markTestSkipped('there is no symfony/console');
        }
        $this->app['config']->set('scout.postings.index-settings', [Product::class => ['language' => 'english']]);
        Index::drop("$this->folder/products");
        // Its output needs a whole application.
        $command = new class extends SyncIndexSettingsCommand {
            /** @var list<string> */
            public array $said = [];

            public function info($string, $verbosity = null)
            {
                $this->said[] = $string;
            }

            public function error($string, $verbosity = null)
            {
                $this->said[] = "error: $string";
            }
        };
        $command->handle($this->app->make(EngineManager::class));
        self::assertSame(['Settings for the [products] index synced successfully.'], $command->said);
        self::assertSame('english', $this->index()->analyzer()->options()['language']);
        // Newer Scouts ask before, and of the soft deletes.
        self::assertInstanceOf(IndexSettings::class, $this->engine());
        self::assertSame(['language' => 'german'], $this->engine()->configureSoftDeleteFilter(['language' => 'german']));
    }

    public function test_the_engine_has_the_interface_of_newer_scouts(): void
    {
        $code = <<<'PHP'
            namespace Laravel\Scout\Contracts {
                interface UpdatesIndexSettings
                {
                    public function updateIndexSettings(string $name, array $options = []);
                    public function configureSoftDeleteFilter(array $settings = []): array;
                }
            }
            namespace {
                require $argv[1];
                echo is_subclass_of(Postings\Scout\PostingsEngine::class, Laravel\Scout\Contracts\UpdatesIndexSettings::class)
                    ? 'yes' : 'no';
            }
            PHP;
        $extension = 'extension=' . getenv('POSTINGS_EXTENSION');
        $command = [PHP_BINARY, '-d', $extension, '-r', $code, '--', dirname(__DIR__, 2) . '/bootstrap.php'];
        self::assertSame('yes', shell_exec(implode(' ', array_map(escapeshellarg(...), $command))));
    }

    public function test_two_workers_lose_nothing(): void
    {
        $worker = static fn (int $number) => <<<PHP
            foreach (range(1, 20) as \$at) {
                \$folder = new Postings\\Scout\\Folder(\$argv[1]);
                \$values = (new Postings\\Scout\\Attributes(['name' => 'worker', "a{$number}_\$at" => \$at]))->values();
                \$writer = \$folder->writer('both', \$values);
                \$writer->add(1000 * $number + \$at, \$values);
                \$writer->commit();
                \$writer->close();
            }
            PHP;
        $extension = realpath((string) ini_get('extension_dir')) . '/postings.so';
        $extension = getenv('POSTINGS_EXTENSION') ?: $extension;
        $processes = [];
        foreach ([1, 2] as $number) {
            $code = 'require ' . var_export(dirname(__DIR__, 2) . '/bootstrap.php', true) . ';' . $worker($number);
            $command = [PHP_BINARY, '-d', "extension=$extension", '-r', $code, '--', $this->folder];
            $processes[] = proc_open($command, [2 => ['redirect', 1]], $pipes);
        }
        self::assertSame([0, 0], array_map('proc_close', $processes));
        $index = Index::open("$this->folder/both");
        self::assertCount(40, $index);
        self::assertSame(1, $index->count('', filter: ['a2_7|num' => 7]));
    }
}
