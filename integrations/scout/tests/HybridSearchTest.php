<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Laravel\Scout\EngineManager;
use Postings\Index;

/** hybrid(), compared with a search for words and a look at every article. */
final class HybridSearchTest extends ArticleTestCase
{
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
        // What is similar is counted however many there are: y / sqrt(1 + y²) reaches 0.3 from .3145 on.
        $similar = Article::search('sea')->options(['vector' => [0, 1, 0, 0]])->semantic(0.3)->take(3)->raw();
        self::assertSame([2300 - 314, [2300, 2299, 2298]], [$similar->total, $similar->ids()]);
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

    public function test_a_callback_gets_the_vector(): void
    {
        $found = Article::search('ship', function (Index $index, string $query, array $arguments) {
            return $index->search($query, ...[...$arguments, 'limit' => 100, 'fusion' => ['text' => 0, 'embedding|vector' => 1]]);
        })->options(['vector' => self::VECTOR])->hybrid();
        self::assertSame(array_slice(array_keys(self::similar()), 0, 20), array_slice(self::keys($found), 0, 20));
    }
}
