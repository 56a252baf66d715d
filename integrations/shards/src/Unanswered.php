<?php

declare(strict_types=1);

namespace Postings\Shards;

/** A replica was not reached, or did not answer. */
final class Unanswered extends \RuntimeException
{
}
