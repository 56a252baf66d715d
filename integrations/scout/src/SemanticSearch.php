<?php

declare(strict_types=1);

namespace Postings\Scout;

use Laravel\Scout\Contracts\SupportsSemanticSearch;

// Scout 11.6 and newer ask for their interface before semantic(); older ones do not have it.
if (\interface_exists(SupportsSemanticSearch::class)) {
    \class_alias(SupportsSemanticSearch::class, SemanticSearch::class);
} else {
    interface SemanticSearch
    {
    }
}
