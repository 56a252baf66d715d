/* Intersects posting lists: a whole batch of queries in one launch of each kernel. Twin: src/intersect/.
 *
 * The host gives a query to `intersect_probe` if its shortest list is much shorter than the others, otherwise to
 * `intersect_tiles`. Both take the same arguments:
 * tables       from word `tables_at` on, three tables, one after the other:
 *              first_group[q]  the first work-group of query q, with one more entry for the end
 *              first_list[q]   the index in `lists` of its first, shortest list, with one more entry for the end
 *              lists           the offset of each list in the arena, in units of ALIGNMENT words
 * records      the first word counts the docIDs found; those beyond `capacity` are counted but not written. From word
 *              `records_at` on, for each work-group, the offset and the number of its docIDs in `out`
 * span         blocks of the shortest list that a work-group of `intersect_probe` takes
 * A work-group reserves a piece of `out` for all of its docIDs at once, and writes them in order. The host puts the
 * pieces in order when it reads them. With `count_only`, `out` holds a count for each query, from word `first_query` on,
 * and no records are written. */

#define ARGUMENTS __global const uint *restrict arena, __global const uint *restrict tables, uint tables_at, \
        uint queries, __global uint *restrict out, uint capacity, uint count_only, uint first_query, \
        __global uint *restrict records, uint records_at, uint span
#define FIRST_GROUP (tables + tables_at)
#define FIRST_LIST (FIRST_GROUP + queries + 1)
#define LISTS (FIRST_LIST + queries + 1)

/* Reserves a piece of `out` for a work-group's docIDs and returns its offset. Called by one work-item. */
uint reserve(uint found, uint count_only, __global uint *count, __global uint *total, __global uint *record) {
    uint place = 0;
    if (count_only) {
        if (found != 0) atomic_add(count, found);
    } else {
        if (found != 0) place = atomic_add(total, found);
        record[0] = place;
        record[1] = found;
    }
    return place;
}

/* --- probing --- */

#define MASKS (BLOCK / 32) /* of 32 work-items each */

/* Narrows the directory for look-ups of docIDs from `smallest` to `largest`: returns (from, to) such that the first
 * block whose last docID is at least such a docID is one of from ..= to; (0, 0) if the codec's look-ups need no block.
 * Each work-item of a work-group of BLOCK examines one block per round. `range` is local memory for two words. */
uint2 narrow(const List *list, uint smallest, uint largest, __local uint *range) {
    uint from = 0;
    uint to = NEEDS_BLOCK(list->codec) ? list->blocks : 0;
    bool narrows = true;
    while (narrows && to - from > 32) {
        if (get_local_id(0) == 0) {
            range[0] = from;
            range[1] = to;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint at = from + (uint)((ulong)get_local_id(0) * (to - from) / BLOCK);
        uint last = list->last[at];
        if (last < smallest) atomic_max(&range[0], at + 1);
        if (last >= largest) atomic_min(&range[1], at);
        barrier(CLK_LOCAL_MEM_FENCE);
        narrows = range[1] - range[0] <= (to - from) / 4;
        from = range[0];
        to = range[1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return (uint2)(from, to);
}

#define DECODE_CASE(number, prefix) case number: prefix##_decode_blocks(list, first_block, blocks, doc_ids); break;
#define DECODE_LAST(number, prefix) default: prefix##_decode_blocks(list, first_block, blocks, doc_ids);
void decode_blocks(const List *list, uint first_block, uint blocks, __local uint *doc_ids) {
    switch (list->codec) { EACH_CODEC(DECODE_CASE, DECODE_LAST) }
}

/* Whether the list contains `doc_id`; `block` is the first whose last docID is at least `doc_id`. */
#define CONTAINS_CASE(number, prefix) case number: return prefix##_contains(list, block, doc_id);
#define CONTAINS_LAST(number, prefix) default: return prefix##_contains(list, block, doc_id);
bool contains(const List *list, uint block, uint doc_id) {
    switch (list->codec) { EACH_CODEC(CONTAINS_CASE, CONTAINS_LAST) }
}

/* A work-group takes `span` (at most MOST_BLOCKS) consecutive blocks of the shortest list. Each work-item takes one
 * docID of each block and looks it up in the longer lists: first in the directory, then in the one block that may
 * contain it. Blocks that cannot match are not read. Work-groups of BLOCK; local memory 4.2 KiB. */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void intersect_probe(ARGUMENTS) {
    __local uint doc_ids[MOST_BLOCKS * BLOCK];
    __local uint found[MOST_BLOCKS * MASKS];
    __local uint range[2];
    __local uint place;
    uint item = get_local_id(0);
    uint group = get_group_id(0);
    __global const uint *first_group = FIRST_GROUP;
    __global const uint *first_list = FIRST_LIST;
    __global const uint *lists = LISTS;
    uint query = query_of(first_group, queries, group);
    uint at = first_list[query];
    uint end = first_list[query + 1];

    List list = list_at(arena + ALIGNMENT * (ulong)lists[at]);
    uint first_block = (group - first_group[query]) * span;
    uint blocks = min(span, list.blocks - first_block);
    decode_blocks(&list, first_block, blocks, doc_ids);
    uint alive = 0; /* a bit for each block */
    for (uint k = 0; k < blocks; k++) {
        if ((first_block + k) * BLOCK + item < list.count) alive |= 1u << k;
    }
    uint largest = list.last[first_block + blocks - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint smallest = doc_ids[0];
    while (++at < end) {
        list = list_at(arena + ALIGNMENT * (ulong)lists[at]);
        uint2 reach = narrow(&list, smallest, largest, range);
        uint from = reach.x;
        for (uint k = 0; k < blocks; k++) {
            if ((alive >> k) & 1) {
                uint doc_id = doc_ids[k * BLOCK + item];
                from = lower_bound(list.last, from, reach.y, doc_id);
                if (from >= list.blocks || !contains(&list, from, doc_id)) alive &= ~(1u << k);
            }
        }
    }

    if (item < MOST_BLOCKS * MASKS) found[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < blocks; k++) {
        if ((alive >> k) & 1) atomic_or(&found[k * MASKS + item / 32], 1u << (item % 32));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        uint all = 0;
        for (uint i = 0; i < blocks * MASKS; i++) all += popcount(found[i]);
        place = reserve(all, count_only, out + first_query + query, records, records + records_at + 2 * group);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint to = place;
    for (uint k = 0; k < blocks && !count_only; k++) {
        for (uint i = 0; i < MASKS; i++) {
            uint mask = found[k * MASKS + i];
            if (i == item / 32 && ((alive >> k) & 1)) {
                uint mine = to + popcount(mask & ((1u << (item % 32)) - 1));
                if (mine < capacity) out[mine] = doc_ids[k * BLOCK + item];
            }
            to += popcount(mask);
        }
    }
}

/* --- tiles --- */

#define WORDS_AN_ITEM (TILE_WORDS / TILE_ITEMS)

#define MARK_CASE(number, prefix) case number: prefix##_mark_blocks(list, from, to, marks); break;
#define MARK_LAST(number, prefix) default: prefix##_mark_blocks(list, from, to, marks);
void mark_blocks(const List *list, uint from, uint to, const Marks *marks) {
    switch (list->codec) { EACH_CODEC(MARK_CASE, MARK_LAST) }
}

/* A work-group takes a tile of TILE consecutive docIDs. The first list marks its docIDs in a bitmap; each further list
 * marks those of its docIDs that the list before has marked, in the other bitmap. Only blocks that overlap the tile are
 * read.
 * Work-groups of TILE_ITEMS; local memory 17 KiB. */
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
void intersect_tiles(ARGUMENTS) {
    __local uint bitmaps[2][TILE_WORDS];
    __local uint sums[TILE_ITEMS];
    __local uint range[2];
    __local uint place;
    uint item = get_local_id(0);
    uint group = get_group_id(0);
    __global const uint *first_group = FIRST_GROUP;
    __global const uint *first_list = FIRST_LIST;
    __global const uint *lists = LISTS;
    uint query = query_of(first_group, queries, group);
    uint tile_start = (group - first_group[query]) << TILE_LOG; /* `span` is 1 here */
    uint first = first_list[query];
    uint end = first_list[query + 1];
    uint marked = 0;
    for (uint i = item; i < TILE_WORDS; i += TILE_ITEMS) bitmaps[marked][i] = 0;
    for (uint at = first; at < end; at++) {
        if (at != first) {
            marked ^= 1;
            for (uint i = item; i < TILE_WORDS; i += TILE_ITEMS) bitmaps[marked][i] = 0;
        }
        List list = list_at(arena + ALIGNMENT * (ulong)lists[at]);
        if (item == 0) range[0] = lower_bound(list.last, 0, list.blocks, tile_start);
        if (item == 32) range[1] = lower_bound(list.last, 0, list.blocks, tile_start + (TILE - 1));
        barrier(CLK_LOCAL_MEM_FENCE);
        uint from = range[0];
        uint to = min(range[1] + 1, list.blocks);
        Marks marks = {tile_start, at == first, bitmaps[marked], bitmaps[marked ^ 1]};
        mark_blocks(&list, from, to, &marks);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    /* A work-item takes consecutive words of the bitmap, so that the docIDs of the tile are written in order. */
    __local const uint *result = bitmaps[marked] + item * WORDS_AN_ITEM;
    uint here = 0;
    for (uint i = 0; i < WORDS_AN_ITEM; i++) here += popcount(result[i]);
    sums[item] = here;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < TILE_ITEMS; reach *= 2) {
        uint before = item >= reach ? sums[item - reach] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        __global uint *record = records + records_at + 2 * group;
        place = reserve(sums[TILE_ITEMS - 1], count_only, out + first_query + query, records, record);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!count_only) {
        uint to = place + sums[item] - here;
        uint doc_id = tile_start + item * WORDS_AN_ITEM * 32;
        for (uint i = 0; i < WORDS_AN_ITEM; i++, doc_id += 32) {
            for (uint bits = result[i]; bits != 0; bits &= bits - 1, to++) {
                if (to < capacity) out[to] = doc_id + lowest_bit(bits);
            }
        }
    }
}
