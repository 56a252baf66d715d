<?php

/**
 * A shop's searches from PHP, by Postings, SQLite FTS5 with ordinary SQL and, if LOUPE_DIR names a checkout with its
 * dependencies (vendor/autoload.php), Loupe: words with filters, sorts, facets and counts.
 *
 *     [LOUPE_DIR=…] php -d extension=$PWD/modules/postings.so benches/php/shop.php [--json=FILE] [documents …]
 *
 * Without numbers of documents, 50,000 and 1,000,000. The indexes are made once, in the folder for temporary files, of
 * the same generated documents (fixed seed): a name of 3 and a text of 12 words of decreasing frequency, a brand of 20,
 * a price. FTS5 has its table beside an ordinary one with indexes. Loupe's typos and prefixes, which the others do not
 * have here, are off, and its hits are not limited to 1,000; of more than 100,000 documents, which take it too long, it
 * is left out.
 *
 * All engines answer the same queries, and what they find is compared first: every document of every query (of Loupe,
 * the first 1,000 and their number). Then they take turns in rounds. Times are milliseconds of the processor per query,
 * the median of the rounds; ratios are medians of those within a round. Everything was read once before. The file of
 * --json is for docs/results/.
 */

declare(strict_types=1);

use Loupe\Loupe\Config\TypoTolerance;
use Loupe\Loupe\{Configuration, Loupe, LoupeFactory, SearchParameters};
use Postings\{Index, IndexWriter};

require __DIR__ . '/cpu.php';

const ROUNDS = 5;
/** The most documents that Loupe gets. */
const LOUPE = 100_000;
/** Times as long as Postings: what the others are expected to take, up to so many documents, and beyond. */
const TARGETS = [100_000 => 10, PHP_INT_MAX => 20];

/** A search as a shop asks it; what is not given is not asked for. */
final class Query
{
    /** @param list<string> $brands any of them */
    public function __construct(
        public string $words = '',
        public array $brands = [],
        public ?array $price = null,
        public ?string $sort = null,
        public bool $hits = true,
        public bool $facets = false,
        public bool $total = false,
        public int $limit = 10,
    ) {
    }
}

/** @return iterable<array{id: int, name: string, text: string, brand: string, price: float}> */
function documents(int $count): iterable
{
    mt_srand(1);
    $words = static function (int $count): string {
        $words = [];
        while ($count-- > 0) {
            $words[] = 'w' . (int) exp(mt_rand(0, 1_000_000) / 1_000_000 * 9);
        }
        return implode(' ', $words);
    };
    for ($id = 1; $id <= $count; $id++) {
        $brand = 'b' . min(19, (int) (mt_rand(0, 400) ** 0.5));
        $price = mt_rand(0, 100_000) / 100;
        yield ['id' => $id, 'name' => $words(3), 'text' => $words(12), 'brand' => $brand, 'price' => $price];
    }
}

final class PostingsShop
{
    private Index $index;

    public function __construct(string $folder, int $documents)
    {
        if (!Index::exists("$folder/postings")) {
            $writer = IndexWriter::open("$folder/postings", [
                'name' => ['weight' => 1, 'keyword' => true],
                'text' => [],
                'brand' => ['keyword' => true],
                'price' => ['numeric' => true],
            ]);
            foreach (documents($documents) as $document) {
                $writer->add($document['id'], array_diff_key($document, ['id' => 0]));
            }
            $writer->optimize();
        }
        $this->index = Index::open("$folder/postings");
    }

    public function answer(Query $query): array
    {
        $filter = array_filter(['brand' => $query->brands, 'price' => $query->price]);
        if (!$query->hits && !$query->facets) {
            return [[], $this->index->count($query->words, filter: $filter), []];
        }
        $hits = $this->index->search(
            $query->words,
            $query->hits ? $query->limit : 1,
            filter: $filter,
            sort: $query->sort === null ? [] : [$query->sort => 'asc'],
            facets: $query->facets ? ['brand' => 20] : [],
            total: $query->total,
        );
        return [$query->hits ? $hits->ids() : [], $hits->total, $hits->facets['brand'] ?? []];
    }
}

final class Fts5Shop
{
    private PDO $db;
    /** @var array<string, PDOStatement> */
    private array $statements = [];

    public function __construct(string $folder, int $documents)
    {
        $new = !is_file("$folder/fts5.db");
        $this->db = new PDO("sqlite:$folder/fts5.db", options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
        $this->db->exec('PRAGMA cache_size = -262144; PRAGMA mmap_size = 4294967296; PRAGMA temp_store = MEMORY');
        if (!$new) {
            return;
        }
        $this->db->exec('PRAGMA synchronous = OFF');
        $this->db->exec('CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, text TEXT, brand TEXT, price REAL)');
        $this->db->exec("CREATE VIRTUAL TABLE texts USING fts5(name, text, content='products', content_rowid='id')");
        $this->db->beginTransaction();
        $product = $this->db->prepare('INSERT INTO products VALUES (?, ?, ?, ?, ?)');
        foreach (documents($documents) as $document) {
            $product->execute(array_values($document));
        }
        $this->db->exec("INSERT INTO texts (texts) VALUES ('rebuild')");
        foreach (['brand, price', 'price', 'name'] as $number => $columns) {
            $this->db->exec("CREATE INDEX products_$number ON products ($columns)");
        }
        $this->db->commit();
        $this->db->exec("INSERT INTO texts (texts) VALUES ('optimize')");
        $this->db->exec('ANALYZE');
    }

    public function answer(Query $query): array
    {
        [$from, $values] = ['products p', []];
        $where = [];
        if ($query->words !== '') {
            // CROSS: words first. SQLite's own guess is often worse. Without conditions the other table is not needed.
            $other = $query->brands !== [] || $query->price !== null || $query->sort !== null || $query->facets;
            $from = $other ? 'texts CROSS JOIN products p ON p.id = texts.rowid' : 'texts';
            $where[] = 'texts MATCH ?';
            $values[] = $query->words;
        }
        if ($query->brands !== []) {
            $where[] = 'p.brand IN (' . implode(', ', array_fill(0, count($query->brands), '?')) . ')';
            array_push($values, ...$query->brands);
        }
        if ($query->price !== null) {
            $where[] = 'p.price BETWEEN ? AND ?';
            array_push($values, ...$query->price);
        }
        $rest = " FROM $from" . ($where ? ' WHERE ' . implode(' AND ', $where) : '');
        $id = $from === 'texts' ? 'rowid' : 'p.id';
        $order = $query->sort !== null ? "p.$query->sort, p.id" : ($query->words === '' ? 'p.id' : 'rank');
        $hits = "SELECT $id$rest ORDER BY $order LIMIT $query->limit";
        $facets = "SELECT p.brand, count(*) AS n$rest GROUP BY p.brand ORDER BY n DESC, p.brand";
        return [
            $query->hits ? $this->run($hits, $values)->fetchAll(PDO::FETCH_COLUMN) : [],
            $query->total ? (int) $this->run("SELECT count(*)$rest", $values)->fetchColumn() : null,
            $query->facets ? $this->run($facets, $values)->fetchAll(PDO::FETCH_KEY_PAIR) : [],
        ];
    }

    private function run(string $sql, array $values): PDOStatement
    {
        $statement = $this->statements[$sql] ??= $this->db->prepare($sql);
        // Numbers as numbers: prices are not compared with texts.
        foreach ($values as $number => $value) {
            $statement->bindValue($number + 1, $value, is_string($value) ? PDO::PARAM_STR : PDO::PARAM_INT);
        }
        $statement->execute();
        return $statement;
    }
}

final class LoupeShop
{
    private Loupe $loupe;

    public function __construct(string $folder, int $documents)
    {
        require_once getenv('LOUPE_DIR') . '/vendor/autoload.php';
        $configuration = Configuration::create()
            ->withSearchableAttributes(['name', 'text'])
            ->withFilterableAttributes(['brand', 'price'])
            ->withSortableAttributes(['name', 'price'])
            ->withLanguages(['en'])
            ->withMaxTotalHits($documents)
            ->withMinTokenLengthForPrefixSearch(100)
            ->withTypoTolerance(TypoTolerance::disabled());
        $this->loupe = (new LoupeFactory())->create("$folder/loupe", $configuration);
        if ($this->loupe->countDocuments() < $documents) {
            $batch = [];
            foreach (documents($documents) as $document) {
                $batch[] = $document;
                if (count($batch) === 1000 || $document['id'] === $documents) {
                    $this->loupe->addDocuments($batch);
                    $batch = [];
                }
            }
        }
    }

    public function answer(Query $query): array
    {
        $filter = [];
        if ($query->brands !== []) {
            $filter[] = "brand IN ('" . implode("', '", $query->brands) . "')";
        }
        if ($query->price !== null) {
            $filter[] = "price BETWEEN {$query->price[0]} AND {$query->price[1]}";
        }
        $parameters = SearchParameters::create()
            ->withQuery($query->words)
            ->withMatchingStrategy('all')
            ->withFilter(implode(' AND ', $filter))
            ->withAttributesToRetrieve(['id'])
            ->withLimit($query->hits ? min(1000, $query->limit) : 1);
        if ($query->sort !== null) {
            $parameters = $parameters->withSort(["$query->sort:asc"]);
        }
        if ($query->facets) {
            $parameters = $parameters->withFacets(['brand']);
        }
        $result = $this->loupe->search($parameters);
        return [
            $query->hits ? array_column($result->getHits(), 'id') : [],
            $query->total ? $result->getTotalHits() : null,
            $result->getFacetDistribution()['brand'] ?? [],
        ];
    }
}

/** What must be equal, of an engine that ranks in another order or gives no more than 1,000 hits. */
function compare(string $what, object $ours, object $theirs, Query $query): void
{
    $all = clone $query;
    $all->hits = $all->total = true;
    $all->limit = PHP_INT_MAX;
    [$ids, $total, $facets] = $ours->answer($all);
    $found = $theirs->answer($all);
    if ($query->sort === null) {
        if (count($found[0]) === count($ids)) {
            sort($ids);
            sort($found[0]);
        } else {
            $ids = array_values(array_intersect($found[0], $ids));
        }
    }
    $ids = array_slice($ids, 0, count($found[0]));
    ksort($facets);
    ksort($found[2]);
    if ($found !== [$ids, $total, $facets] || count($ids) < min($total, 1000)) {
        $asked = json_encode($query);
        throw new Exception("$what: " . $theirs::class . " finds {$found[1]} documents and not $total: $asked");
    }
}

function median(array $values): float
{
    sort($values);

    return $values[intdiv(count($values), 2)];
}

/** @return array<string, list<Query>> */
function tasks(): array
{
    // One word of 1 in 5 to 1 in 300 documents, or two of 1 in 2 to 1 in 40.
    $words = ['w7', 'w23', 'w80', 'w310', 'w3 w5', 'w2 w17', 'w9 w12', 'w4 w33', 'w6 w21', 'w14 w2'];
    $of = static fn (mixed ...$how) => array_map(static fn (string $words) => new Query($words, ...$how), $words);
    $price = [100, 180];
    $page = ['brands' => ['b3', 'b17'], 'price' => [100, 500], 'facets' => true, 'total' => true];
    $prices = static fn (int $from) => new Query(price: [$from, $from + 50], sort: 'name');
    $brand = static fn (int $brand) => new Query(brands: ["b$brand"], sort: 'price');
    return [
        'words' => $of(),
        'words; a brand' => $of(brands: ['b17']),
        'words; prices from, to' => $of(price: $price),
        'words; a brand; prices' => $of(brands: ['b17'], price: $price),
        'words, by price' => $of(sort: 'price'),
        'words, by name' => $of(sort: 'name'),
        'words; two brands, by price' => $of(brands: ['b3', 'b17'], sort: 'price'),
        'words: how many of each brand' => $of(hits: false, facets: true),
        'words; a brand; prices: how many' => $of(hits: false, total: true, brands: ['b17'], price: $price),
        'words; two brands; prices; how many, and of each brand' => $of(...$page),
        'prices, by name' => array_map($prices, range(0, 900, 100)),
        'a brand, by price' => array_map($brand, range(5, 14)),
    ];
}

/**
 * The medians of the rounds.
 *
 * @param array<string, object> $engines
 * @param list<Query> $queries
 * @return array{array<string, float>, array<string, float>} times and ratios to Postings, by engine
 */
function measure(array $engines, array $queries): array
{
    $times = $ratios = [];
    for ($round = 0; $round < ROUNDS; $round++) {
        foreach ($engines as $name => $engine) {
            $repeats = $name === 'Postings' ? 10 : 1;
            $began = cpu();
            for ($repeat = 0; $repeat < $repeats; $repeat++) {
                foreach ($queries as $query) {
                    $engine->answer($query);
                }
            }
            $times[$name][] = (cpu() - $began) / $repeats / count($queries);
            $ratios[$name][] = end($times[$name]) / end($times['Postings']);
        }
    }
    return [array_map(median(...), $times), array_map(median(...), $ratios)];
}

/** Measures and prints; returns a table of docs/results/. */
function table(int $count): array
{
    $folder = sys_get_temp_dir() . "/postings-bench-shop-$count";
    is_dir($folder) || mkdir($folder);
    $engines = ['Postings' => new PostingsShop($folder, $count), 'FTS5' => new Fts5Shop($folder, $count)];
    if ($count <= LOUPE && getenv('LOUPE_DIR')) {
        $engines['Loupe'] = new LoupeShop($folder, $count);
    } else {
        echo 'Loupe is left out: ', $count > LOUPE ? 'too many documents' : 'LOUPE_DIR names no checkout', "\n";
    }
    $target = current(array_filter(TARGETS, static fn (int $most) => $count <= $most, ARRAY_FILTER_USE_KEY));
    $title = number_format($count) . ' documents';
    $table = ['title' => $title, 'head' => ['search'], 'rows' => []];
    printf("\n%-56s", "$title; ms per query");
    foreach (array_keys($engines) as $name) {
        array_push($table['head'], "$name, ms", ...$name === 'Postings' ? [] : ['×']);
        printf($name === 'Postings' ? ' %10s' : ' %10s        ×', $name);
    }
    foreach (tasks() as $task => $queries) {
        foreach (array_slice($engines, 1) as $engine) {
            foreach ($queries as $query) {
                compare($task, $engines['Postings'], $engine, $query);
            }
        }
        [$times, $ratios] = measure($engines, $queries);
        $row = [$task];
        printf("\n%-56s", $task);
        foreach ($times as $name => $time) {
            $row[] = sprintf($time < 1 ? '%.3f' : ($time < 100 ? '%.2f' : '%.0f'), $time);
            printf(' %10s', end($row));
            if ($name !== 'Postings') {
                $ratio = $ratios[$name] < 9.5 ? sprintf('%.2g', $ratios[$name]) : number_format($ratios[$name]);
                $row[] = $ratios[$name] < $target ? "**$ratio**" : $ratio;
                printf(' %8s', $ratio);
            }
        }
        $table['rows'][] = $row;
    }
    echo "\n\n";
    return $table;
}

$options = getopt('', ['json:'], $rest);
$tables = array_map(table(...), array_map('intval', array_slice($argv, $rest)) ?: [50_000, 1_000_000]);
if (isset($options['json'])) {
    $json = json_encode([
        'title' => 'A shop\'s searches from PHP, beside SQLite FTS5 and Loupe',
        'machine' => php_uname('m') . ', PHP ' . PHP_VERSION,
        'date' => date('j F Y'),
        'command' => 'php benches/php/shop.php',
        'notes' => [
            'Milliseconds of the processor per query, and how many times as long the others take. **Bold**: below what '
            . 'is wanted, 10 times at 50,000 documents and 20 at a million.',
        ],
        'tables' => $tables,
    ], JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    $row = static fn (array $match) => preg_replace('/\s*\n\s*/', ' ', $match[0]);
    file_put_contents($options['json'], preg_replace_callback('/\[[^][{}]*\]/', $row, $json) . "\n");
}
