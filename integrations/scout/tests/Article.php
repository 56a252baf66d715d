<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Eloquent\SoftDeletes;
use Laravel\Scout\Searchable;

/** A model with a vector in a column, or with a text to make one of. */
final class Article extends Model
{
    use Searchable;
    use SoftDeletes;

    protected $guarded = [];
    protected $casts = ['embedding' => 'array', 'year' => 'int'];
    protected $perPage = 7;
    public $timestamps = false;

    public function toSearchableArray(): array
    {
        return ['title' => $this->title, 'lang' => $this->lang, 'year' => $this->year, 'embedding' => $this->embedding];
    }

    public function toSearchableEmbedding(): mixed
    {
        return match ($this->embedding) {
            null => null,
            ['text'] => $this->title,
            default => $this->embedding,
        };
    }
}
