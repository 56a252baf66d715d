<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Postings\Scout\Folder;
use Postings\Scout\PostingsEngine;
use Postings\Scout\Ranked;
use Postings\Scout\SearchException;
use Postings\Scout\SemanticSearch;

/** semantic(), compared with a look at every article. */
final class SemanticSearchTest extends ArticleTestCase
{
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
        $builder->wheres = [
            ['field' => 'lang', 'operator' => '!=', 'value' => 'de'],
            ['field' => 'none', 'operator' => '>', 'value' => 1],
        ];
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
        $none = self::search('x')->semantic($minimum)->take(0)->raw();
        self::assertSame([0, count($expected)], [count($none), $none->total]);
        self::assertSame(array_slice($expected, 4, 4), array_map(static fn ($model) => $model->id, $page->items()));
    }

    public static function minimums(): array
    {
        return [[-1.0], [-0.5], [0.0], [0.3], [0.6], [0.9], [1.1]];
    }

    public function test_what_cannot_be_is_refused(): void
    {
        $refused = [
            'order' => fn () => self::search('x')->semantic()->orderBy('year')->get(),
            'order ' => fn () => self::search('x')->hybrid()->orderBy('year')->get(),
            'ORDER' => fn () => self::search('x')->options(['vector' => self::VECTOR, 'sort' => ['year|num' => 'asc']])
                ->hybrid()->get(),
            'fusion' => fn () => self::search('x')->options(['vector' => self::VECTOR, 'fusion' => 'sum'])->hybrid()->get(),
            'minimum' => fn () => self::search('x')->semantic('high')->get(),
            'no minimum' => fn () => self::search('x')->options(['vector' => self::VECTOR, 'fusion' => 'scores'])
                ->hybrid(1, 1, 0.5)->get(),
            'toSearchableEmbedding' => fn () => Product::search('x')->within('articles')->semantic()->get(),
            'pages' => fn () => self::search('x')->semantic()->paginate(5, 'page', -1),
            'Pages' => fn () => self::search('x')->hybrid()->take(-1)->get(),
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
