<?php

declare(strict_types=1);

/*
 * Loupe's own tests on Postings: LOUPE_DIR names a checkout of loupe-php/loupe with its dependencies (`composer
 * install`). Its engine and factory are those beside this file; with SUITE_ENGINE=library they are its own, to compare.
 */

$loader = require getenv('LOUPE_DIR') . '/vendor/autoload.php';
if (getenv('SUITE_ENGINE') !== 'library') {
    $loader->addClassMap([
        'Loupe\\Loupe\\Internal\\Engine' => __DIR__ . '/facade/Engine.php',
        'Loupe\\Loupe\\LoupeFactory' => __DIR__ . '/facade/LoupeFactory.php',
    ]);
    $loader->addPsr4('Postings\\Loupe\\Tests\\Facade\\', __DIR__ . '/facade');
}
