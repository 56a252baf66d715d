<?php

declare(strict_types=1);

namespace Postings\SymfonyAi\Tests;

use PHPUnit\Framework\TestCase;
use Postings\Index;
use Postings\SymfonyAi\Store;
use Symfony\AI\Store\Command\ClearStoreCommand;
use Symfony\AI\Store\Command\DropStoreCommand;
use Symfony\AI\Store\Command\SetupStoreCommand;
use Symfony\Component\Config\FileLocator;
use Symfony\Component\Console\Tester\CommandTester;
use Symfony\Component\DependencyInjection\Argument\ServiceLocatorArgument;
use Symfony\Component\DependencyInjection\Argument\TaggedIteratorArgument;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Loader\YamlFileLoader;

/** The service of README.md, and Symfony AI's commands, which find it by its tag as in the bundle. */
final class ServiceTest extends TestCase
{
    public function testServiceAndCommands(): void
    {
        if ($symfony = \getenv('SYMFONY_DIR')) {
            require_once "$symfony/vendor/autoload.php";
        } else {
            foreach (['Config', 'Console', 'DependencyInjection', 'Yaml'] as $component) {
                if (\stream_resolve_include_path("Symfony/Component/$component/autoload.php") === false) {
                    self::markTestSkipped("there is no symfony/$component, and SYMFONY_DIR names no folder with one");
                }
                require_once "Symfony/Component/$component/autoload.php";
            }
        }
        $folder = \sys_get_temp_dir() . '/postings-ai-' . \bin2hex(\random_bytes(8));
        \mkdir("$folder/var", recursive: true);
        \preg_match('/```yaml\n(.*?)```/s', \file_get_contents(\dirname(__DIR__) . '/README.md'), $matches);
        \file_put_contents("$folder/services.yaml", $matches[1]);
        try {
            $container = new ContainerBuilder();
            $container->setParameter('kernel.project_dir', $folder);
            (new YamlFileLoader($container, new FileLocator($folder)))->load('services.yaml');
            $commands = ['setup' => SetupStoreCommand::class, 'clear' => ClearStoreCommand::class, 'drop' => DropStoreCommand::class];
            foreach ($commands as $name => $class) {
                $stores = new ServiceLocatorArgument(new TaggedIteratorArgument('ai.store', 'name', null, true));
                $container->setDefinition($name, (new Definition($class, [$stores]))->setPublic(true));
            }
            $container->getDefinition('ai.store.postings')->setPublic(true);
            $container->compile();
            $run = static fn (string $name, array $options = []) => (new CommandTester($container->get($name)))
                ->execute(['store' => 'ai.store.postings', ...$options]);
            self::assertSame(0, $run('setup'));
            self::assertInstanceOf(Store::class, $container->get('ai.store.postings'));
            $index = Index::open("$folder/var/documents");
            self::assertSame(384, $index->fields()['_vector']['vector']);
            self::assertSame('english', $index->analyzer()->options()['language']);
            self::assertSame(['keyword' => true], $index->fields()['lang']);
            self::assertSame(0, $run('clear', ['--force' => true]));
            self::assertSame(0, $run('drop', ['--force' => true]));
            self::assertFalse(Index::exists("$folder/var/documents"));
        } finally {
            \exec('rm -rf ' . \escapeshellarg($folder));
        }
    }
}
