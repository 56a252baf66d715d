<?php

declare(strict_types=1);

namespace Postings\Scout;

use Laravel\Scout\Exceptions\ScoutException;

// Newer Scouts have an exception for searches that an engine cannot do; older ones do not.
if (\class_exists(ScoutException::class)) {
    \class_alias(ScoutException::class, SearchException::class);
} else {
    class SearchException extends \Exception
    {
    }
}
