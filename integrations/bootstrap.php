<?php

declare(strict_types=1);

/*
 * The classes of the adapters' tests, where Packagist is not at hand: those of the adapters, and of checkouts that variables
 * name. SEAL_DIR: PHP-CMSIG/search; SYMFONY_AI_DIR: symfony/ai; SCOUT_DIR: laravel/scout; LARAVEL_DIR: laravel/framework. What
 * these need of others is in Debian's packages composer, php-nesbot-carbon, php-doctrine-inflector, php-psr-container,
 * php-symfony-console and php-symfony-uid.
 */

require_once 'Composer/Autoload/ClassLoader.php';

$loader = new Composer\Autoload\ClassLoader();
foreach (['Seal' => 'seal', 'Scout' => 'scout', 'Shards' => 'shards', 'SymfonyAi' => 'symfony-ai'] as $name => $folder) {
    $loader->addPsr4("Postings\\$name\\Tests\\", __DIR__ . "/$folder/tests");
    $loader->addPsr4("Postings\\$name\\", __DIR__ . "/$folder/src");
}
if ($seal = getenv('SEAL_DIR')) {
    foreach (['Memory' => 'memory', 'Multi' => 'multi', 'ReadWrite' => 'read-write'] as $name => $package) {
        $loader->addPsr4("CmsIg\\Seal\\Adapter\\$name\\", "$seal/packages/seal-$package-adapter/src");
    }
    $loader->addPsr4('CmsIg\\Seal\\Integration\\Symfony\\', "$seal/integrations/symfony/src");
    $loader->addPsr4('CmsIg\\Seal\\', "$seal/packages/seal/src");
}
if ($ai = getenv('SYMFONY_AI_DIR')) {
    $loader->addPsr4('Symfony\\AI\\Store\\', "$ai/src/store/src");
    $loader->addPsr4('Symfony\\AI\\Platform\\', "$ai/src/platform/src");
    foreach (['Symfony/Component/Uid', 'Symfony/Contracts/Service', 'Psr/Log'] as $package) {
        require_once "$package/autoload.php";
    }
}
if ($scout = getenv('SCOUT_DIR')) {
    $loader->addPsr4('Laravel\\Scout\\Tests\\', "$scout/tests");
    $loader->addPsr4('Laravel\\Scout\\', "$scout/src");
}
$loader->register();

if ($laravel = getenv('LARAVEL_DIR')) {
    $illuminate = "$laravel/src/Illuminate";
    $loader->addPsr4('Illuminate\\', $illuminate);
    foreach (['Collections', 'Conditionable', 'Macroable'] as $package) {
        $loader->addPsr4('Illuminate\\Support\\', "$illuminate/$package");
    }
    foreach (['Carbon', 'Doctrine/Inflector', 'Psr/Container'] as $package) {
        require_once "$package/autoload.php";
    }
    // For the test of a command only.
    if (stream_resolve_include_path('Symfony/Component/Console/autoload.php') !== false) {
        require_once 'Symfony/Component/Console/autoload.php';
    }
    require_once "$illuminate/Collections/helpers.php";
    require_once "$illuminate/Support/helpers.php";
    require_once "$illuminate/Foundation/helpers.php";
}
