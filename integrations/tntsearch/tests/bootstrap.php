<?php

declare(strict_types=1);

/*
 * TNTSearch's own tests on examples/tntsearch.php: TNTSEARCH_DIR names a checkout of teamtnt/tntsearch with its
 * dependencies (`composer install`). With SUITE_ENGINE=library they are of TNTSearch itself, to compare: on SQLite,
 * where they name Redis, with which most fail.
 */

$loader = require getenv('TNTSEARCH_DIR') . '/vendor/autoload.php';
if (getenv('SUITE_ENGINE') === 'library') {
    class_alias(TeamTNT\TNTSearch\Engines\SqliteEngine::class, 'TeamTNT\\TNTSearch\\Engines\\RedisEngine');
} else {
    $loader->addClassMap([
        'TeamTNT\\TNTSearch\\TNTSearch' => __DIR__ . '/facade/TNTSearch.php',
        'TeamTNT\\TNTSearch\\Indexer\\TNTIndexer' => __DIR__ . '/facade/TNTIndexer.php',
    ]);
    // What it prints as an example is of no interest.
    ob_start();
    require __DIR__ . '/../../../examples/tntsearch.php';
    ob_end_clean();
}
