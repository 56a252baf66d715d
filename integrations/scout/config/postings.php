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

    // What turns texts into vectors, for models whose toSearchableEmbedding() returns a text, and for queries: a callable, or a
    // class with __invoke(array $texts, array $settings): array, which returns a vector for each text. null: Laravel's AI SDK,
    // if it is installed.
    'embed' => null,

    // By model class. 'dimensions': how many numbers a vector has, by default as many as the first; 'metric': 'cosine', 'dot' or
    // 'euclidean'; 'attribute': what the vector is called; 'provider' and 'model': those of Laravel's AI SDK.
    'model-settings' => [
        // App\Models\Post::class => ['embedding' => ['dimensions' => 384]],
    ],
];
