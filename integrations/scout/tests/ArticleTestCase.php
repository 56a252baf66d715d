<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Illuminate\Database\Capsule\Manager as Capsule;
use Illuminate\Database\Schema\Blueprint;
use Laravel\Scout\Builder;
use Postings\Index;
use Postings\Scout\Embeddings;
use Postings\Scout\Folder;
use Postings\Scout\PostingsEngine;

/** Articles with vectors, and how similar they are by a look at each. */
abstract class ArticleTestCase extends TestCase
{
    protected const WORDS = ['sea', 'ship', 'sail', 'port', 'land', 'crew'];
    protected const COUNT = 60;
    protected const VECTOR = [0.9, -0.3, 0.2, 0.4];

    /** @var array<class-string, array<string, mixed>> */
    protected array $settings = [];

    /** What was embedded. @var list<list<string>> */
    protected array $embedded = [];

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
    protected static function embed(string $text): array
    {
        return array_map(static fn (string $letter) => 0.5 + substr_count($text, $letter), ['s', 'e', 'a', 'h']);
    }

    protected static function search(string $query): Builder
    {
        return Article::search($query)->options(['vector' => self::VECTOR, 'matching' => 'any']);
    }

    /** @param list<float> $vector */
    protected static function cosine(array $vector, array $other = self::VECTOR): float
    {
        $dot = static fn (array $a, array $b) => array_sum(array_map(static fn ($x, $y) => $x * $y, $a, $b));

        return $dot($vector, $other) / sqrt($dot($vector, $vector) * $dot($other, $other));
    }

    /** The cosines of articles, best first. @return array<int, float> */
    protected static function similar(?callable $where = null): array
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
    protected static function keys(Builder $builder): array
    {
        return $builder->keys()->all();
    }

    protected function index(): Index
    {
        return Index::open("$this->folder/articles");
    }
}
