<?php

declare(strict_types=1);

namespace Postings\Loupe\Tests\Facade;

use Loupe\Loupe\Configuration;
use Loupe\Loupe\Exception\InvalidDocumentException;
use Loupe\Loupe\Exception\PrimaryKeyNotFoundException;
use Loupe\Loupe\Internal\LoupeTypes;
use Postings\Analyzer;

/**
 * Which fields of Postings an attribute of Loupe is: `a` its words, `a|k` its values as keywords (numbers, too, for
 * facets), `a|n` its numbers, `a|p` its point. Lists and texts that are empty are named in `|empty`.
 */
final class Schema
{
    public const DOCUMENT = '|document';
    public const EMPTY = '|empty';
    private const NAME = '/^[^\s:"\'|-][^\s:|]*$/u';

    /**
     * @param array<string, string> $types of attributes that are filtered or sorted by
     * @param list<string> $names of attributes that are searched, if all are
     */
    public function __construct(
        private readonly Configuration $configuration,
        private array $types = [],
        private array $names = [],
    ) {
    }

    public function state(): array
    {
        return ['types' => $this->types, 'names' => $this->names];
    }

    public function type(string $attribute): ?string
    {
        return $this->types[$attribute] ?? null;
    }

    /** Whether its values are numbers, or lists of them. */
    public function isNumeric(string $attribute): bool
    {
        return \in_array($this->type($attribute), [LoupeTypes::TYPE_NUMBER, LoupeTypes::TYPE_ARRAY_NUMBER], true);
    }

    /** @return list<string> the attributes that are searched */
    public function searched(): array
    {
        $searched = $this->configuration->getSearchableAttributes();

        return $searched === ['*'] ? $this->names : $searched;
    }

    public function id(array $document): string
    {
        return (string) $document[$this->configuration->getPrimaryKey()];
    }

    /** Learns the types of a document's attributes; throws what Loupe throws if they are others than before. */
    public function accept(array $document): void
    {
        $key = $this->configuration->getPrimaryKey();
        if (!\array_key_exists($key, $document)) {
            throw PrimaryKeyNotFoundException::becauseDoesNotExist($key);
        }
        $relevant = $this->configuration->getDocumentSchemaRelevantAttributes();
        $types = $this->types;
        foreach ($document as $attribute => $value) {
            $type = LoupeTypes::getTypeFromValue($value);
            if (!\in_array($attribute, $this->names, true) && \preg_match(self::NAME, $attribute)) {
                $this->names[] = $attribute;
            }
            if (!\in_array($attribute, $relevant, true)) {
                continue;
            }
            Configuration::validateAttributeName($attribute);
            $known = $types[$attribute] ?? $type;
            if (!LoupeTypes::typeMatchesType($known, $type)) {
                $id = $this->id($document);
                throw InvalidDocumentException::becauseDoesNotMatchSchema($this->types, $document, $id);
            }
            $types[$attribute] = LoupeTypes::typeIsNarrowerThanType($known, $type) ? $type : $known;
        }
        $this->types = $types;
    }

    /** @return array<string, array<string, mixed>> for IndexWriter::open() */
    public function fields(): array
    {
        $fields = [];
        $ordered = $this->configuration->getSearchableAttributes() !== ['*'];
        $factor = $ordered ? Configuration::ATTRIBUTE_RANKING_ORDER_FACTOR : 1;
        foreach ($this->searched() as $place => $attribute) {
            $fields[$attribute] = ['weight' => $factor ** $place];
        }
        foreach ($this->types as $attribute => $type) {
            $fields["$attribute|k"] = ['keyword' => true];
            if ($this->isNumeric($attribute)) {
                $fields["$attribute|n"] = ['numeric' => true];
            }
            if ($type === LoupeTypes::TYPE_GEO) {
                $fields["$attribute|p"] = ['geo' => true];
            }
        }

        return $fields + [self::EMPTY => ['keyword' => true], self::DOCUMENT => ['stored' => true, 'indexed' => false]];
    }

    /** @return array<string, mixed> for IndexWriter::add() */
    public function document(array $document): array
    {
        $stored = \json_encode($document, \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION);
        $values = [self::DOCUMENT => $stored, self::EMPTY => []];
        foreach ($this->searched() as $attribute) {
            $values[$attribute] = self::text($document[$attribute] ?? null);
        }
        foreach ($this->types as $attribute => $type) {
            $value = $document[$attribute] ?? null;
            if ($value === '' || $value === []) {
                $values[self::EMPTY][] = $attribute;
            } elseif ($type === LoupeTypes::TYPE_GEO) {
                $point = $value === null ? null : ['lat' => (float) $value['lat'], 'lng' => (float) $value['lng']];
                $values["$attribute|p"] = $point;
            } elseif ($value !== null) {
                $list = \is_array($value) ? $value : [$value];
                $values["$attribute|k"] = \array_values(\array_map(self::keyword(...), $list));
                if ($this->isNumeric($attribute)) {
                    $values["$attribute|n"] = $value;
                }
            }
        }

        return $values;
    }

    public function analyzer(array $documents): Analyzer
    {
        $languages = $this->configuration->getLanguages();
        $language = $languages[0] ?? null;
        if (\count($languages) !== 1) {
            $text = '';
            foreach ($documents as $document) {
                foreach ($this->searched() as $attribute) {
                    $text .= \implode(' ', (array) self::text($document[$attribute] ?? null)) . "\n";
                }
            }
            $language = Analyzer::detect($text);
        }

        return new Analyzer($language, fold: true, stopWords: $this->configuration->getStopWords());
    }

    private static function text(mixed $value): mixed
    {
        $known = static fn (mixed $one) => \is_string($one) || \is_int($one) || \is_float($one);

        return match (true) {
            \is_array($value) => \array_values(\array_filter($value, $known)),
            \is_bool($value) => null,
            default => $value,
        };
    }

    private static function keyword(mixed $value): string
    {
        return match (true) {
            \is_int($value), \is_float($value) => \var_export((float) $value, true),
            \is_bool($value) => $value ? 'true' : 'false',
            default => LoupeTypes::convertToString($value),
        };
    }
}
