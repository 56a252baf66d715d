<?php

declare(strict_types=1);

namespace Postings\Seal\Tests;

use CmsIg\Seal\EngineInterface;
use CmsIg\Seal\EngineRegistry;
use CmsIg\Seal\Integration\Symfony\SealBundle;
use CmsIg\Seal\Search\Condition\SearchCondition;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Config\Loader\LoaderInterface;
use Symfony\Component\Console\Tester\CommandTester;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\HttpKernel\Kernel;

/** SEAL's Symfony bundle with the configuration of README.md: a kernel, its services and commands. */
final class SymfonyTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $symfony = \getenv('SYMFONY_DIR');
        if (!$symfony) {
            self::markTestSkipped('SYMFONY_DIR names no folder with Symfony 6 or 7');
        }
        require_once "$symfony/vendor/autoload.php";
        $this->folder = \sys_get_temp_dir() . '/postings-symfony-' . \bin2hex(\random_bytes(8));
        \mkdir("$this->folder/config/schemas", recursive: true);
        $readme = \file_get_contents(\dirname(__DIR__) . '/README.md');
        \preg_match_all('/```yaml\n(.*?)```/s', $readme, $matches);
        $files = \preg_split('/^(?=# config\/)/m', \implode('', $matches[1]), flags: \PREG_SPLIT_NO_EMPTY);
        foreach ($files as $number => $file) {
            \file_put_contents("$this->folder/config/$number.yaml", $file);
        }
        \file_put_contents("$this->folder/config/schemas/products.php", <<<'PHP'
            <?php

            use CmsIg\Seal\Schema\Field;
            use CmsIg\Seal\Schema\Index;

            return new Index('products', [
                'id' => new Field\IdentifierField('id'),
                'name' => new Field\TextField('name', sortable: true),
                'price' => new Field\FloatField('price', filterable: true),
            ]);
            PHP);
    }

    protected function tearDown(): void
    {
        if (isset($this->folder)) {
            \exec('rm -rf ' . \escapeshellarg($this->folder));
        }
    }

    public function testEngineAndCommands(): void
    {
        $kernel = $this->kernel();
        $kernel->boot();
        $container = $kernel->getContainer();
        $engine = $container->get(EngineInterface::class);
        self::assertSame($engine, $container->get(EngineRegistry::class)->getEngine('default'));

        $create = new CommandTester($container->get('cmsig_seal.index_create_command'));
        self::assertSame(0, $create->execute([]));
        self::assertTrue($engine->existIndex('products'));
        self::assertDirectoryExists("$this->folder/var/search");

        $engine->bulk('products', [
            ['id' => '1', 'name' => 'Running shoes', 'price' => 89.5],
            ['id' => '2', 'name' => 'A tie', 'price' => 19.0],
        ], []);
        // In English, and with a typo, as the DSN of README.md says.
        $found = $engine->createSearchBuilder('products')->addFilter(new SearchCondition('runnign shoe'))->getResult();
        self::assertSame(['1'], \array_column([...$found], 'id'));

        $drop = new CommandTester($container->get('cmsig_seal.index_drop_command'));
        self::assertSame(0, $drop->execute(['--force' => true]));
        self::assertFalse($engine->existIndex('products'));
    }

    private function kernel(): Kernel
    {
        return new class($this->folder) extends Kernel implements CompilerPassInterface {
            public function __construct(private readonly string $folder)
            {
                parent::__construct('test', true);
            }

            public function getProjectDir(): string
            {
                return $this->folder;
            }

            public function registerBundles(): iterable
            {
                return [new SealBundle()];
            }

            public function registerContainerConfiguration(LoaderInterface $loader): void
            {
                \array_map($loader->load(...), \glob("$this->folder/config/*.yaml"));
            }

            /** What an application injects, a test gets by name. */
            public function process(ContainerBuilder $container): void
            {
                foreach ([EngineInterface::class, EngineRegistry::class] as $alias) {
                    $container->getAlias($alias)->setPublic(true);
                }
                foreach (['create', 'drop'] as $command) {
                    $container->getDefinition("cmsig_seal.index_{$command}_command")->setPublic(true);
                }
            }
        };
    }
}
