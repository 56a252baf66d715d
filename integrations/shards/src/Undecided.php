<?php

declare(strict_types=1);

namespace Postings\Shards;

/**
 * Which values or words are the most frequent of all shards does not follow from the 65,536 most frequent of each: very many are
 * equally frequent.
 */
final class Undecided extends \RuntimeException implements \Postings\Exception
{
}
