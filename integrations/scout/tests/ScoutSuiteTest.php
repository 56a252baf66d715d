<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Laravel\Scout\Tests\Feature\CollectionEngineTest;
use Laravel\Scout\Tests\Fixtures\SearchableModelWithUnloadedValue;
use Laravel\Scout\Tests\Fixtures\SearchableUserModel;
use Laravel\Scout\Tests\Fixtures\SearchableUserModelWithCustomSearchableData;

require_once __DIR__ . '/testbench.php';

/** Scout's own tests of the engine that searches by going through the collection: the same models, found by Postings. */
final class ScoutSuiteTest extends CollectionEngineTest
{
    protected function defineEnvironment($app)
    {
        $app->make('config')->set('scout.driver', 'postings');
    }

    protected function afterRefreshingDatabase()
    {
        parent::afterRefreshingDatabase();
        // The models of these tests share an index; each test asks for those of one.
        $model = match (true) {
            str_contains($this->getName(), 'custom_searchable_data') => SearchableUserModelWithCustomSearchableData::class,
            str_contains($this->getName(), 'make_searchable_using') => SearchableModelWithUnloadedValue::class,
            default => SearchableUserModel::class,
        };
        $model::makeAllSearchable();
    }
}
