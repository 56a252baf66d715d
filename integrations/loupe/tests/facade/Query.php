<?php

declare(strict_types=1);

namespace Postings\Loupe\Tests\Facade;

use Loupe\Loupe\Configuration;

/** What a visitor typed in Loupe's language as Postings' query: words with typos, "phrases", -excluded, a prefix. */
final class Query
{
    /** As typed, without what is too much. */
    public readonly string $typed;
    public readonly string $query;
    /** Arguments of Index::search() and highlight(): typos, prefix. */
    public readonly array $options;

    public function __construct(string $typed, Configuration $configuration, bool $all)
    {
        // Words with where they begin, so that the rest can be cut off.
        $pattern = '/(-?"[^"]*"|(?<!\S)-\S+)|[\p{L}\p{N}]+(?:\'[\p{L}\p{N}]+)*/u';
        \preg_match_all($pattern, $typed, $matches, \PREG_SET_ORDER | \PREG_OFFSET_CAPTURE);
        $left = $configuration->getMaxQueryTokens();
        $parts = [];
        $end = \strlen($typed);
        foreach ($matches as $match) {
            [$text, $offset] = $match[0];
            $left -= \preg_match_all('/[\p{L}\p{N}]+/u', $text);
            if ($left < 0) {
                break;
            }
            $parts[] = [$text, isset($match[1])];
            $end = $offset + \strlen($text);
        }
        $this->typed = \count($parts) < \count($matches) ? \substr($typed, 0, $end) : $typed;

        $tolerance = $configuration->getTypoTolerance();
        $words = [];
        $most = $wanted = 0;
        $shortest = $configuration->getMinTokenLengthForPrefixSearch();
        foreach ($parts as $place => [$word, $asItIs]) {
            if ($asItIs) {
                $words[] = [$word, null, false];
                continue;
            }
            $wanted = \max($wanted, $tolerance->getLevenshteinDistanceForTerm($word));
            $edits = \min(2, $tolerance->getLevenshteinDistanceForTerm($word));
            $words[] = [$word, $edits, $place === \count($parts) - 1 && \mb_strlen($word) >= $shortest];
            $most = \max($most, $edits);
        }

        // `typos:` wants the first letter right, as Loupe does unless told otherwise; `~` does not.
        $first = $tolerance->firstCharTypoCountsDouble() && $wanted <= 2;
        $query = [];
        $together = false;
        foreach ($words as [$word, $edits, $prefix]) {
            $fuzzy = match (true) {
                $edits === null => $word,
                !$first => $edits > 0 ? "$word~$edits" : $word,
                $edits === $most => $word,
                default => $edits > 0 ? "$word~$edits" : "\"$word\"",
            };
            $typosToo = $all || $edits === 0 || $tolerance->isEnabledForPrefixSearch();
            if ($prefix && $first && $edits === $most && $typosToo) {
                $together = true;
            } elseif ($prefix) {
                // Typos of words, but not of prefixes; where all words are wanted, this cannot be said.
                $fuzzy = $all || $edits === 0 ? "$word*" : "$fuzzy $word*";
            }
            $query[] = $fuzzy;
        }
        $this->query = \implode(' ', $query);
        $this->options = ['typos' => $first ? $most : 0, 'prefix' => $together];
    }
}
