<?php

declare(strict_types=1);

/*
 * As much of orchestra/testbench as Scout's tests of an engine use, on the TestCase beside this file, where Packagist is not
 * at hand.
 */

namespace Orchestra\Testbench {
    abstract class TestCase extends \Postings\Scout\Tests\TestCase
    {
        protected function setUp(): void
        {
            parent::setUp();
            $this->defineEnvironment($this->app);
            $this->afterRefreshingDatabase();
        }

        protected function defineEnvironment($app)
        {
        }

        protected function afterRefreshingDatabase()
        {
        }
    }
}

namespace Orchestra\Testbench\Concerns {
    trait WithLaravelMigrations
    {
    }

    trait WithWorkbench
    {
    }
}

namespace Illuminate\Foundation\Testing {
    trait LazilyRefreshDatabase
    {
    }
}

namespace Orchestra\Testbench\Factories {
    final class UserFactory
    {
        public static function new(): self
        {
            return new self();
        }

        /** @param array<string, mixed> $attributes */
        public function create(array $attributes): void
        {
            \Illuminate\Database\Capsule\Manager::table('users')
                ->insert($attributes + ['created_at' => now(), 'updated_at' => now()]);
        }
    }
}

namespace {
    if (!function_exists('now')) {
        function now(): \Illuminate\Support\Carbon
        {
            return \Illuminate\Support\Carbon::now();
        }
    }
}
