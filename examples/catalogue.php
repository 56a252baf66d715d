<?php

/** A shop's catalogue: products with filters, facets, sorting, and pages with an exact total. */

declare(strict_types=1);

use Postings\{Analyzer, Filter, Hits, Index, IndexWriter};

$folder = sys_get_temp_dir() . '/catalogue-' . getmypid();
register_shutdown_function(static function () use ($folder): void {
    array_map('unlink', glob("$folder/*"));
    rmdir($folder);
});

$writer = IndexWriter::open(
    $folder,
    fields: [
        'name' => ['weight' => 3, 'stored' => true],
        'description' => [],
        'brand' => ['keyword' => true, 'stored' => true],
        'colour' => ['keyword' => true],                    // a product has one or several
        'price' => ['numeric' => true, 'stored' => true],
        'shop' => ['geo' => true],                          // where it can be collected
    ],
    analyzer: new Analyzer(language: 'english', fold: true),
);
$products = [
    'T100' => ['name' => 'Hiking tent for two', 'description' => 'A light tent of 1.9 kg, waterproof', 'brand' => 'Fjell', 'colour' => ['green', 'grey'], 'price' => 249.00],
    'T200' => ['name' => 'Family tent', 'description' => 'Room for six, and a porch', 'brand' => 'Fjell', 'colour' => 'green', 'price' => 399.50],
    'T300' => ['name' => 'Tent pegs', 'description' => 'Twelve pegs of steel', 'brand' => 'Karst', 'colour' => 'grey', 'price' => 12.90],
    'T400' => ['name' => 'Festival tent', 'description' => 'Up in two minutes, for a weekend with friends', 'brand' => 'Karst', 'colour' => ['red', 'blue'], 'price' => 59.00],
    'B100' => ['name' => 'Down sleeping bag', 'description' => 'Warm to -10 °C in any tent', 'brand' => 'Fjell', 'colour' => 'red', 'price' => 319.00],
    'B200' => ['name' => 'Summer sleeping bag', 'description' => 'Light and small', 'brand' => 'Karst', 'colour' => 'blue', 'price' => 45.00],
    'J100' => ['name' => 'Waterproof jacket', 'description' => 'For hiking in rain', 'brand' => 'Fjell', 'colour' => ['blue', 'red'], 'price' => 189.00],
    'C100' => ['name' => 'Café cup', 'description' => 'Enamel, for the camp fire', 'brand' => 'Karst', 'colour' => 'blue', 'price' => 9.90],
];
$shops = ['Fjell' => [47.269, 11.404], 'Karst' => [48.137, 11.575]];      // in Innsbruck and Munich
$products = array_map(static fn (array $product): array => $product + ['shop' => $shops[$product['brand']]], $products);
$writer->addAll($products);
$writer->commit();

$index = Index::open($folder);
$show = static function (string $title, Hits $hits): void {
    echo "$title: $hits->total\n";
    foreach ($hits as $hit) {
        printf("  %s  %-20s %7.2f  %s\n", $hit->id, $hit->fields['name'], $hit->fields['price'], $hit->fields['brand']);
    }
};
$counts = static fn (array $facets): string => implode(', ', array_map(static fn (string $value, int $count): string => "$value $count", array_keys($facets), $facets));

$show('tents', $index->search('tents', total: true));
$show('tents, red or blue', $index->search('tents', filter: ['colour' => ['red', 'blue']], total: true));
$show('tents of Fjell for at most 300', $index->search('tents', filter: ['brand' => 'Fjell', 'price' => [null, 300]], total: true));

// What a visitor can narrow the search down to, with the number of products.
echo 'brands: ', $counts($index->facets('brand', 'tents')), "\n";
echo 'colours of what costs 50 or more: ', $counts($index->facets('colour', filter: ['price' => [50, null]])), "\n";

// An empty query matches everything; pages of three, the cheapest first.
for ($page = 1; $page <= 3; ++$page) {
    $show("everything, page $page", $index->search('', limit: 3, offset: 3 * ($page - 1), sort: ['price' => 'asc'], total: true));
}

// What a visitor in Garmisch can collect: in shops within 100 km, the nearest first, then the cheapest.
$here = [47.492, 11.096];
foreach ($index->search('bag', filter: [Filter::near('shop', ...$here, metres: 100_000)], sort: ['shop' => $here, 'price' => 'asc']) as $hit) {
    printf("%s in %.0f km\n", $hit->fields['name'], $hit->distance / 1000);
}

// A changed price: the product is replaced under its id. The reader sees it when it reloads.
$writer->add('C100', ['price' => 7.90] + $products['C100']);
$writer->commit();
$price = static fn (): float => $index->search('cafe')[0]->fields['price'];
printf("before reload() %.2f, ", $price());
$index->reload();
printf("after it %.2f\n", $price());

/* Prints:
tents: 5
  T100  Hiking tent for two   249.00  Fjell
  T200  Family tent           399.50  Fjell
  T300  Tent pegs              12.90  Karst
  T400  Festival tent          59.00  Karst
  B100  Down sleeping bag     319.00  Fjell
tents, red or blue: 2
  T400  Festival tent          59.00  Karst
  B100  Down sleeping bag     319.00  Fjell
tents of Fjell for at most 300: 1
  T100  Hiking tent for two   249.00  Fjell
brands: Fjell 3, Karst 2
colours of what costs 50 or more: red 3, blue 2, green 2, grey 1
everything, page 1: 8
  C100  Café cup               9.90  Karst
  T300  Tent pegs              12.90  Karst
  B200  Summer sleeping bag    45.00  Karst
everything, page 2: 8
  T400  Festival tent          59.00  Karst
  J100  Waterproof jacket     189.00  Fjell
  T100  Hiking tent for two   249.00  Fjell
everything, page 3: 8
  B100  Down sleeping bag     319.00  Fjell
  T200  Family tent           399.50  Fjell
Down sleeping bag in 34 km
Summer sleeping bag in 80 km
before reload() 9.90, after it 7.90
*/
