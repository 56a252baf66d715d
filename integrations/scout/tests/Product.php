<?php

declare(strict_types=1);

namespace Postings\Scout\Tests;

use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Eloquent\SoftDeletes;
use Laravel\Scout\Searchable;

final class Product extends Model
{
    use Searchable;
    use SoftDeletes;

    protected $guarded = [];
    protected $casts = ['tags' => 'array', 'price' => 'float', 'used' => 'bool', 'sold_at' => 'datetime'];

    /** Attributes beside the columns. @var array<string, mixed> */
    public static array $more = [];

    public function toSearchableArray(): array
    {
        return [
            'name' => $this->name,
            'brand' => $this->brand,
            'price' => $this->price,
            'used' => $this->used,
            'tags' => $this->tags,
            'sold_at' => $this->sold_at,
            ...self::$more,
        ];
    }
}
