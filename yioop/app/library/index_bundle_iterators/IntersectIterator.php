<?php
/**
 * Part of Postings: runs Yioop's conjunctive queries natively.
 *
 * Copyright (C) 2026 the authors of Postings
 *
 * This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public
 * License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later
 * version. It is distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY; without even the implied
 * warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the GNU General Public License for more
 * details: <https://www.gnu.org/licenses/>.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
namespace seekquarry\yioop\library\index_bundle_iterators;

use seekquarry\yioop\configs as C;
use seekquarry\yioop\library\IndexShard;

/*
    Yioop's autoloader finds this file before its own of the same name. If the extension is not loaded, or this Yioop
    scores documents in a way that the extension does not know, Yioop's own iterator is used.
 */
if (class_exists('Postings\Yioop\Conjunction', false) &&
    method_exists(IndexShard::class, 'unpackAuxiliaryDocumentKeys')) {
    /**
     * Iterates over the documents that are in all of its iterators.
     */
    class IntersectIterator extends PostingsIntersectIterator
    {
    }
} else {
    require C\BASE_DIR . '/library/index_bundle_iterators/IntersectIterator.php';
}
