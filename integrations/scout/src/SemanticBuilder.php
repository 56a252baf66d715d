<?php

declare(strict_types=1);

namespace Postings\Scout;

use Laravel\Scout\Builder;

/** semantic() and hybrid() as Scout 11.6 has them, for older Scouts, whose builder it takes the place of. */
final class SemanticBuilder extends Builder
{
    /** @var bool */
    public $semanticSearch = false;

    /** @var int|float|null */
    public $minimumSimilarity;

    /** @var ?array{text_weight: int|float, semantic_weight: int|float} */
    public $hybridSearch;

    /**
     * Finds the models of the most similar meaning, whatever their words.
     *
     * @param int|float|null $minSimilarity leaves out models that are less similar
     * @return $this
     */
    public function semantic($minSimilarity = null)
    {
        $this->needsWords('Semantic');
        $this->semanticSearch = true;
        $this->minimumSimilarity = $minSimilarity;
        $this->hybridSearch = null;

        return $this;
    }

    /**
     * Finds models by their words and by their meaning.
     *
     * @param int|float $textWeight
     * @param int|float $semanticWeight
     * @param int|float|null $minSimilarity leaves out models that are less similar, unless their words match
     * @return $this
     */
    public function hybrid($textWeight = 1, $semanticWeight = 1, $minSimilarity = null)
    {
        $this->needsWords('Hybrid');
        foreach ([$textWeight, $semanticWeight] as $weight) {
            if (!\is_numeric($weight) || $weight <= 0) {
                throw new SearchException('Weights of a hybrid search must be positive numbers.');
            }
        }
        $this->semanticSearch = false;
        $this->minimumSimilarity = $minSimilarity;
        $this->hybridSearch = ['text_weight' => $textWeight, 'semantic_weight' => $semanticWeight];

        return $this;
    }

    private function needsWords(string $kind): void
    {
        if (\trim((string) $this->query) === '') {
            throw new SearchException("$kind searches need a query that is not empty.");
        }
    }

    protected function engine()
    {
        $engine = parent::engine();
        if (($this->semanticSearch || $this->hybridSearch !== null) && !$engine instanceof SemanticSearch) {
            throw new SearchException($engine::class . ' does not search by meaning.');
        }

        return $engine;
    }
}
