<?php

declare(strict_types=1);

namespace Postings\Scout;

use Postings\Filter;
use Postings\Hits;
use Postings\Index;

/** A search by meaning, alone or together with words. */
final class VectorSearch
{
    /** How many hits of each list a fusion by ranks takes. It is the same for all pages, so that they fit together. */
    private const LIST = 1000;

    /** As docs/meaning.md, and Scout's other engines, have it. */
    private const RRF_K = 60;

    /**
     * @param ?string $field where the vectors are; null if no model has one yet
     * @param string|list<int|float> $vector
     * @param array<string, mixed> $arguments of Index::search()
     */
    public function __construct(
        private readonly Index $index,
        private readonly ?string $field,
        private readonly string|array $vector,
        private readonly array $arguments,
        private readonly ?float $minimum,
    ) {
    }

    /**
     * The models of the most similar meaning. All that have a vector are counted, or all that are as similar as wanted.
     *
     * @param int $page models to return unless $limit is given; with a minimum of similarity all
     */
    public function semantic(?int $limit, int $offset, int $page): Ranked
    {
        if ($this->field === null) {
            return new Ranked();
        }
        $filter = [...$this->arguments['filter'], Filter::exists($this->field)];
        $total = $this->index->count('', filter: $filter);
        if ($this->minimum === null) {
            $hits = $this->nearest($limit ?? $page, $offset);

            return new Ranked($hits->ids(), self::scores($hits, 0, \count($hits)), $total);
        }
        for ($known = \max(self::LIST, $offset + ($limit ?? $page)); ; $known *= 4) {
            $hits = $this->nearest($known);
            $similar = $this->similar($hits);
            if ($similar < \count($hits) || \count($hits) >= $total) {
                break;
            }
        }
        $end = \min($similar, $limit === null ? $similar : $offset + $limit);
        $length = \max(0, $end - $offset);

        return new Ranked(\array_slice($hits->ids(), $offset, $length), self::scores($hits, $offset, $length), $similar);
    }

    /**
     * By ranks: the sum of weight / (60 + rank), among the first of both lists.
     *
     * @param array{text_weight: int|float, semantic_weight: int|float} $weights
     */
    public function byRanks(string $query, array $weights, int $limit, int $offset): Ranked
    {
        $words = $this->index->search($query, ...['limit' => self::LIST, 'offset' => 0] + $this->arguments);
        $lists = [[$words, \count($words), $weights['text_weight']]];
        if ($this->field !== null) {
            $nearest = $this->nearest(self::LIST);
            $lists[] = [$nearest, $this->similar($nearest), $weights['semantic_weight']];
        }
        $scores = $ids = [];
        foreach ($lists as [$hits, $length, $weight]) {
            $names = $hits->ids();
            foreach (\array_slice($hits->docIds(), 0, $length) as $at => $document) {
                $ids[$document] = $names[$at];
                $scores[$document] = ($scores[$document] ?? 0.0) + $weight / (self::RRF_K + $at + 1);
            }
        }
        // Sorting is stable: equal ones stay in the order in which they were added.
        \ksort($scores);
        \arsort($scores);
        $page = \array_slice($scores, $offset, $limit, true);

        return new Ranked(
            \array_map(static fn (int $document) => $ids[$document], \array_keys($page)),
            \array_values($page),
            \count($scores),
            $words->facets,
        );
    }

    /**
     * By scores: the sum of weight times score and weight times similarity, of all models.
     *
     * @param array{text_weight: int|float, semantic_weight: int|float} $weights
     */
    public function byScores(string $query, array $weights, int $limit, int $offset): Ranked
    {
        if ($this->minimum !== null) {
            throw new SearchException('There is no minimum of similarity where scores are added up.');
        }
        $arguments = ['limit' => $limit, 'offset' => $offset] + $this->arguments;
        if ($this->field === null) {
            $hits = $this->index->search($query, ...$arguments);

            return new Ranked($hits->ids(), self::scores($hits, 0, \count($hits)), $hits->total, $hits->facets);
        }
        $hits = $this->index->search($query, ...[
            ...$arguments,
            'nearest' => [$this->field => $this->vector],
            'fusion' => ['text' => $weights['text_weight'], $this->field => $weights['semantic_weight']],
        ]);
        // The hits' own total is that of the words. All with a vector are found, too, so add those without words.
        $filter = [...$this->arguments['filter'], Filter::exists($this->field)];
        $both = $this->index->search($query, ...[...$this->arguments, 'limit' => 0, 'facets' => [], 'filter' => $filter]);
        $total = $hits->total + $this->index->count('', filter: $filter) - $both->total;

        return new Ranked($hits->ids(), self::scores($hits, 0, \count($hits)), $total, $hits->facets);
    }

    private function nearest(int $limit, int $offset = 0): Hits
    {
        return $this->index->nearest($this->field, $this->vector, $limit, $offset, $this->arguments['filter']);
    }

    /** How many of the nearest are as similar as wanted. */
    private function similar(Hits $hits): int
    {
        if ($this->minimum === null) {
            return \count($hits);
        }
        [$low, $high] = [0, \count($hits)];
        while ($low < $high) {
            $middle = ($low + $high) >> 1;
            [$low, $high] = $hits[$middle]->score >= $this->minimum ? [$middle + 1, $high] : [$low, $middle];
        }

        return $low;
    }

    /** @return list<float> */
    private static function scores(Hits $hits, int $offset, int $length): array
    {
        $scores = [];
        for ($at = $offset; $at < $offset + $length; ++$at) {
            $scores[] = $hits[$at]->score;
        }

        return $scores;
    }
}
