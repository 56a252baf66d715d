<?php

declare(strict_types=1);

/*
 * Random documents, filters, words and orders: a line for each search, to be compared between engines.
 *
 *     LOUPE_DIR=… [SUITE_ENGINE=library] php -d extension=… integrations/loupe/tests/random.php SEED
 */

use Loupe\Loupe\Config\TypoTolerance;
use Loupe\Loupe\Configuration;
use Loupe\Loupe\LoupeFactory;
use Loupe\Loupe\SearchParameters;

require __DIR__ . '/bootstrap.php';
mt_srand((int) $argv[1]);
$one = static fn (mixed ...$of) => $of[mt_rand(0, count($of) - 1)];

$documents = [];
for ($id = 1; $id <= 80; $id++) {
    $word = static fn () => $one('red', 'blue', 'big', 'small', 'shoe', 'hat', 'tie', 'sock');
    $words = array_map($word, range(1, mt_rand(1, 5)));
    $documents[] = [
        'id' => $id,
        'text' => implode(' ', $words),
        'word' => $one('x', 'y', 'z', '', null, "it's"),
        'list' => $one([], null, ['p'], ['p', 'q'], ['q', 'r'], ['r']),
        'number' => $one(1, 2, 3, 4.5, -1, 0, null),
        'numbers' => $one([], null, [1], [0, 4], [2, -3.5, 7], [4]),
        'yes' => $one(true, false, null),
    ];
}
$attributes = ['word', 'list', 'number', 'numbers', 'yes'];
$loupe = (new LoupeFactory())->createInMemory(Configuration::create()
    ->withSearchableAttributes(['text'])
    ->withLanguages(['en'])
    ->withFilterableAttributes($attributes)
    ->withSortableAttributes(['word', 'number'])
    ->withTypoTolerance(TypoTolerance::disabled()));
$loupe->addDocuments($documents);

$condition = static fn () => match (mt_rand(0, 8)) {
    0 => 'word ' . $one('=', '!=') . ' ' . SearchParameters::escapeFilterValue($one('x', 'y', 'none', "it's")),
    1 => 'word ' . $one('IN', 'NOT IN') . " ('x', 'z')",
    2 => 'list ' . $one('=', '!=') . ' ' . $one("'p'", "'q'", "'none'"),
    3 => 'list ' . $one('IN', 'NOT IN') . " ('p', 'r')",
    4 => $one('number', 'numbers') . ' ' . $one('=', '!=', '>', '>=', '<', '<=') . ' ' . $one('0', '1', '2', '4.5'),
    5 => $one('number', 'numbers') . ' ' . $one('BETWEEN', 'NOT BETWEEN') . ' 1 AND 3',
    6 => $one('number', 'numbers') . ' ' . $one('IN', 'NOT IN') . ' (1, 0)',
    7 => 'yes ' . $one('=', '!=') . ' ' . $one('true', 'false'),
    8 => $one(...$attributes) . ' IS ' . $one('', 'NOT ') . $one('NULL', 'EMPTY'),
};
$filter = static function (int $depth) use (&$filter, $condition, $one): string {
    if ($depth === 0) {
        return $condition();
    }
    return '(' . $filter(mt_rand(0, $depth - 1)) . $one(' AND ', ' OR ') . $filter($depth - 1) . ')';
};
for ($number = 0; $number < 200; $number++) {
    $asked = [
        'query' => $one('', 'red', 'blue sho', '-red', 'red -blue', 'so', 'hat tie small'),
        'filter' => $filter(mt_rand(0, 4)),
        'matchingStrategy' => $one('any', 'all'),
        'sort' => $one(['number:asc'], ['number:desc'], ['word:asc'], ['word:desc']),
        'limit' => 100,
    ];
    $result = $loupe->search(SearchParameters::fromArray($asked));
    $ids = array_column($result->getHits(), 'id');
    sort($ids);
    // Ties, and what has no value, may be in any order.
    $values = array_column($result->getHits(), strtok($asked['sort'][0], ':'));
    $values = array_values(array_filter($values, static fn (mixed $value) => $value !== null && $value !== ''));
    echo json_encode([$asked, $result->getTotalHits(), $ids, $values]), "\n";
}
