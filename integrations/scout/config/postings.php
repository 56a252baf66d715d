<?php

// The part `postings` of config/scout.php; what stands there replaces what stands here.
return [
    // Each model's index is a folder in this one.
    'path' => storage_path('search'),

    // Milliseconds that a worker waits for another one that writes in the same index.
    'wait' => 10000,

    // Arguments of every search, as Postings\Index::search() takes them by name.
    'search' => ['prefix' => true, 'typos' => 'auto'],

    // By model class or index name. 'language': whose words are stemmed; 'fold': whether é and e are the same;
    // 'weights': how much a match in an attribute counts, 1 if not given. For `php artisan scout:sync-index-settings`.
    'index-settings' => [
        // App\Models\Post::class => ['language' => 'english', 'weights' => ['title' => 3]],
    ],
];
