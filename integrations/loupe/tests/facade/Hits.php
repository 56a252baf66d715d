<?php

declare(strict_types=1);

namespace Postings\Loupe\Tests\Facade;

use Loupe\Loupe\Configuration;
use Loupe\Loupe\Internal\Search\AbstractQueryParameters;
use Loupe\Loupe\SearchParameters;
use Loupe\Matcher\Formatter;
use Loupe\Matcher\FormatterOptions;
use Loupe\Matcher\Matcher;
use Loupe\Matcher\Tokenizer\TokenCollection;
use Loupe\Matcher\Tokenizer\Tokenizer;
use Postings\Hit;
use Postings\Index;

/** Hits of Postings as those of Loupe: attributes that are asked for, distances, and texts with matches marked. */
final class Hits
{
    private readonly Tokenizer $tokenizer;
    private readonly Formatter $formatter;

    /** @param list<string> $searched */
    public function __construct(
        private readonly Index $index,
        private readonly Configuration $configuration,
        private readonly array $searched,
        private readonly Query $query,
    ) {
        $this->tokenizer = new Tokenizer();
        $this->formatter = new Formatter(new Matcher($this->tokenizer, $configuration->getStopWords()));
    }

    /** @return array<string, mixed> */
    public static function document(Hit $hit): array
    {
        $stored = $hit->fields[Schema::DOCUMENT];

        return \json_decode(\is_array($stored) ? $stored[0] : $stored, true, flags: \JSON_THROW_ON_ERROR);
    }

    /** @return array<string, mixed> */
    public static function displayed(Hit $hit, Configuration $configuration): array
    {
        $names = $configuration->getDisplayedAttributes();
        $document = self::document($hit);

        return $names === ['*'] ? $document : \array_intersect_key($document, \array_flip($names));
    }

    /**
     * @param iterable<Hit> $hits
     *
     * @return list<array<string, mixed>>
     */
    public function all(iterable $hits, AbstractQueryParameters $parameters): array
    {
        $found = [];
        $best = null;
        $names = $parameters->getAttributesToRetrieve();
        $distances = \preg_grep('/^_geoDistance\(/', $names);
        foreach ($hits as $hit) {
            $best ??= $hit->score;
            $document = self::displayed($hit, $this->configuration);
            foreach ($distances as $name) {
                $document[$name] = (int) \round($hit->distance);
            }
            $one = \in_array('*', $names, true) ? $document : \array_intersect_key($document, \array_flip($names));
            if ($parameters instanceof SearchParameters) {
                if ($parameters->showRankingScore()) {
                    $one['_rankingScore'] = $best > 0 ? \round($hit->score / $best, 5) : 0.0;
                }
                $one += $this->marked($one, $document, $parameters);
            }
            $found[] = $one;
        }

        return $found;
    }

    /** @return array<string, mixed> `_formatted`, `_matchesPosition`: by Loupe's formatter, of what Postings marks */
    private function marked(array $hit, array $document, SearchParameters $parameters): array
    {
        $highlighted = $parameters->getAttributesToHighlight();
        $highlighted = $highlighted === ['*'] ? $this->searched : $highlighted;
        $cropped = $parameters->getAttributesToCrop();
        $formats = $highlighted !== [] || $cropped !== [];
        if ($parameters->getQuery() === '' || (!$formats && !$parameters->showMatchesPosition())) {
            return [];
        }
        $options = (new FormatterOptions())
            ->withCropMarker($parameters->getCropMarker())
            ->withCropMaxFragments($parameters->getCropMaxFragments())
            ->withHighlightStartTag($parameters->getHighlightStartTag())
            ->withHighlightEndTag($parameters->getHighlightEndTag());
        if ($parameters->shouldPrioritizeMatches()) {
            $options = $options->withEnableMatchPrioritization();
        }
        unset($hit['_rankingScore']);
        $formatted = $hit + \array_intersect_key($document, \array_flip($highlighted));
        $positions = [];
        foreach (\array_intersect($this->searched, \array_keys($formatted)) as $name) {
            $own = isset($cropped[$name]) ? $options->withEnableCrop()->withCropLength($cropped[$name]) : $options;
            $own = \in_array($name, $highlighted, true) ? $own->withEnableHighlight() : $own;
            $texts = (array) $formatted[$name];
            $found = [];
            foreach (\array_filter($texts, 'is_string') as $key => $text) {
                $result = $this->formatter->format($text, $parameters->getQuery(), $own, $this->matches($text, $name));
                $texts[$key] = $result->getFormattedText();
                $found[$key] = $result->getMatchesArray();
            }
            $positions[$name] = \is_array($formatted[$name]) ? \array_filter($found) : $found[0] ?? [];
            $formatted[$name] = \is_array($formatted[$name]) ? $texts : $texts[0];
        }

        return ($formats ? ['_formatted' => $formatted] : [])
            + ($parameters->showMatchesPosition() ? ['_matchesPosition' => \array_filter($positions)] : []);
    }

    /** The words of a text that Postings marks. */
    private function matches(string $text, string $field): TokenCollection
    {
        $matches = [];
        foreach ($this->index->matches($this->query->query, $text, $field, ...$this->query->options) as $place) {
            $start = \mb_strlen(\substr($text, 0, $place['offset']));
            $end = $start + \mb_strlen(\substr($text, $place['offset'], $place['length']));
            foreach ($this->tokenizer->tokenize($text)->all() as $token) {
                if ($token->getOriginalStartPosition() >= $start && $token->getOriginalStartPosition() < $end) {
                    $matches[] = $token;
                }
            }
        }

        return new TokenCollection($matches);
    }
}
