<?php

declare(strict_types=1);

namespace Postings\Scout;

use Laravel\Scout\Contracts\UpdatesIndexSettings;

// Newer Scouts ask for their interface before they synchronise an engine's settings; older ones do not have it.
if (\interface_exists(UpdatesIndexSettings::class)) {
    \class_alias(UpdatesIndexSettings::class, IndexSettings::class);
} else {
    interface IndexSettings
    {
    }
}
