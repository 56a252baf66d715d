<?php

/* The fields of the examples' index: the same in each shard. */

return ['title' => ['stored' => true, 'weight' => 2], 'text' => [], 'tag' => ['keyword' => true], 'price' => ['numeric' => true]];
