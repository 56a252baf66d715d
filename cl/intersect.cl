/* Intersection of posting lists, a whole batch of queries in one launch of each kernel. Twin: src/intersect/.
 *
 * The host sends a query to `intersect_probe` where its shortest list is much shorter than the others, else to
 * `intersect_tiles`. Both take the same arguments:
 * first_group[q]  the first work-group of query q; an entry more for the end
 * first_list[q]   its first list, the shortest, in `lists`; an entry more for the end
 * lists           lists as offsets into the arena, in units of 16 words
 * total           counts the docIDs found; those that would go past `capacity` are only counted
 * records         for each work-group: where in `out` its docIDs begin, and how many they are
 * span            blocks of the shortest list that a work-group of `intersect_probe` takes
 * A work-group reserves its place in `out` at once for all of its docIDs, and writes them in order; the host puts the
 * pieces in order as it reads them. With `count_only`, `out` is a count for each query, and records are not written. */

/* The last q with first[q] <= group. */
uint query_of(__global const uint *first, uint queries, uint group) {
    return lower_bound(first, 0, queries, group + 1) - 1;
}

/* Where a work-group's docIDs go in `out`; called by one work-item. */
uint reserve(uint found, uint count_only, uint query, __global uint *out, __global uint *total,
        __global uint2 *record) {
    uint place = 0;
    if (count_only) {
        if (found != 0) atomic_add(&out[query], found);
    } else {
        if (found != 0) place = atomic_add(total, found);
        *record = (uint2)(place, found);
    }
    return place;
}

/* --- probing --- */

#define MOST_BLOCKS 8u
#define MASKS (BLOCK / 32) /* of 32 work-items each */

/* Decodes neighbouring blocks to local memory; called by all work-items of a work-group of BLOCK, who then meet at a
 * barrier. Of a quasi-succinct list 32 work-items take a block, four docIDs each; of a Simple-9 list one does. */
void decode_blocks(const List *list, uint first_block, uint blocks, __local uint *doc_ids) {
    uint item = get_local_id(0);
    uint width = list->lower_width;
    if (IS_SIMPLE9(list)) {
        if (item < blocks) {
            Simple9Walk walk = simple9_block(list, first_block + item);
            uint count = min(BLOCK, list->count - (first_block + item) * BLOCK);
            for (uint i = 0; i < count; i++) doc_ids[item * BLOCK + i] = simple9_next(&walk);
        }
    } else {
        uint within = item % 32 * 4;
        for (uint k = item / 32; k < blocks; k += MASKS) {
            uint rank = (first_block + k) * BLOCK + within;
            __local uint *to = doc_ids + k * BLOCK + within;
            if (rank < list->count) {
                uint position = upper_position(list, first_block + k, within);
                if (rank + 4 <= list->count) {
                    uint4 parts = next_four(list->upper, &position, rank);
                    vstore4(with_lower(parts, run_lower(list, rank / RUN), rank % RUN * width, width), 0, to);
                } else {
                    for (; rank < list->count; rank++, position++, to++) {
                        position = next_stop(list->upper, position);
                        *to = (position - rank) << width | lower_part(list, rank);
                    }
                }
            }
        }
    }
}

/* Narrows `range`, blocks of a directory, to those in which docIDs from `smallest` to `largest` may lie, and the one
 * behind: each work-item of a work-group of BLOCK looks at one block. */
uint2 narrow(const List *list, uint smallest, uint largest, __local uint *range) {
    uint from = 0;
    uint to = list->blocks;
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

/* Whether a block of a quasi-succinct list, the one whose docIDs reach up to `doc_id` or beyond, has it. Reads the
 * upper bits of the block up to the docID's upper part, and the lower bits of docIDs that share it. */
bool qs_contains(const List *list, uint block, uint doc_id) {
    uint width = list->lower_width;
    uint previous = previous_doc_id(list, block, 0) >> width;
    uint upper = doc_id >> width;
    uint position = previous + block * BLOCK;
    /* docIDs with that upper part stand behind as many 1s. */
    uint ones = upper - previous;
    if (ones != 0) position = find_bit(list->upper, position, 0, ones - 1) + 1;
    /* As many docIDs have it as stop bits follow. */
    uint low = doc_id & ((1u << width) - 1);
    uint rank = position - upper;
    for (;;) {
        uint ones = bits_from(list->upper, position);
        uint end = rank + min(ones == 0 ? 32 : lowest_bit(ones), list->count - rank);
        for (; rank < end; rank++) {
            uint field = lower_part(list, rank);
            if (field >= low) return field == low;
        }
        if (ones != 0 || rank == list->count) return false;
        position += 32;
    }
}

/* The same for a Simple-9 list. */
bool simple9_contains(const List *list, uint block, uint doc_id) {
    Simple9Walk walk = simple9_block(list, block);
    uint at;
    do {
        at = simple9_next(&walk);
    } while (at < doc_id);
    return at == doc_id;
}

/* A work-group takes `span` (at most MOST_BLOCKS) neighbouring blocks of the shortest list, a work-item one docID of
 * each, and looks it up in the longer lists: in the directory, then in the one block that may hold it. Blocks that
 * cannot match are not read. Work-groups of BLOCK; local memory 4.2 KiB. */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void intersect_probe(__global const uint *restrict arena, __global const uint *restrict first_group,
        __global const uint *restrict first_list, __global const uint *restrict lists, uint queries,
        __global uint *restrict out, uint capacity, uint count_only, __global uint *restrict total,
        __global uint2 *restrict records, uint span) {
    __local uint doc_ids[MOST_BLOCKS * BLOCK];
    __local uint found[MOST_BLOCKS * MASKS];
    __local uint range[2];
    __local uint place;
    uint item = get_local_id(0);
    uint group = get_group_id(0);
    uint query = query_of(first_group, queries, group);
    uint at = first_list[query];
    uint end = first_list[query + 1];

    List list = list_at(arena + 16 * (ulong)lists[at]);
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
        list = list_at(arena + 16 * (ulong)lists[at]);
        uint2 reach = narrow(&list, smallest, largest, range);
        uint from = reach.x;
        for (uint k = 0; k < blocks; k++) {
            if ((alive >> k) & 1) {
                uint doc_id = doc_ids[k * BLOCK + item];
                from = lower_bound(list.last, from, reach.y, doc_id);
                bool has = from < list.blocks
                    && (IS_SIMPLE9(&list) ? simple9_contains(&list, from, doc_id)
                                              : qs_contains(&list, from, doc_id));
                if (!has) alive &= ~(1u << k);
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
        place = reserve(all, count_only, query, out, total, records + group);
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

#define TILE_ITEMS 256u
#define TILE_LOG 16u
#define TILE (1u << TILE_LOG)
#define TILE_WORDS (TILE / 32)
#define WORDS_AN_ITEM (TILE_WORDS / TILE_ITEMS)

/* Where a list marks its docIDs. */
typedef struct {
    uint start; /* the first docID of the tile */
    bool first; /* whether the list is the first of its query */
    __local uint *marked;
    __local const uint *among; /* what the list before has marked */
} Marks;

/* Marks a docID, if it lies in the tile and the lists before have it too. */
void mark(const Marks *marks, uint doc_id) {
    uint at = doc_id - marks->start;
    if (at < TILE) {
        uint bit = 1u << (at % 32);
        if (marks->first || (marks->among[at / 32] & bit)) atomic_or(&marks->marked[at / 32], bit);
    }
}

/* Marks the docIDs of a run of a quasi-succinct list. */
void mark_run(const List *list, uint run, const Marks *marks) {
    uint rank = run * RUN;
    uint width = list->lower_width;
    uint position = upper_position(list, rank / BLOCK, rank % BLOCK);
    if (rank + RUN <= list->count) {
        __global const uint *lower = run_lower(list, run);
        for (uint k = 0; k < RUN; k += 4) {
            uint4 four = with_lower(next_four(list->upper, &position, rank + k), lower, k * width, width);
            mark(marks, four.x);
            mark(marks, four.y);
            mark(marks, four.z);
            mark(marks, four.w);
        }
    } else {
        for (; rank < list->count; rank++) {
            position = next_stop(list->upper, position);
            mark(marks, (position - rank) << width | lower_part(list, rank));
            position++;
        }
    }
}

/* Marks the docIDs of a block of a Simple-9 list. */
void mark_block(const List *list, uint block, const Marks *marks) {
    Simple9Walk walk = simple9_block(list, block);
    for (uint left = min(BLOCK, list->count - block * BLOCK); left != 0; left--) {
        mark(marks, simple9_next(&walk));
    }
}

/* A work-group takes a tile of TILE consecutive docIDs: the first list marks its own in a bitmap, each further list
 * those of its own that are marked already in the next bitmap. Only blocks that reach into the tile are read.
 * Work-groups of TILE_ITEMS; local memory 17 KiB. */
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
void intersect_tiles(__global const uint *restrict arena, __global const uint *restrict first_group,
        __global const uint *restrict first_list, __global const uint *restrict lists, uint queries,
        __global uint *restrict out, uint capacity, uint count_only, __global uint *restrict total,
        __global uint2 *restrict records, uint span) {
    __local uint bitmaps[2][TILE_WORDS];
    __local uint sums[TILE_ITEMS];
    __local uint range[2];
    __local uint place;
    uint item = get_local_id(0);
    uint group = get_group_id(0);
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
        List list = list_at(arena + 16 * (ulong)lists[at]);
        if (item == 0) range[0] = lower_bound(list.last, 0, list.blocks, tile_start);
        if (item == 32) range[1] = lower_bound(list.last, 0, list.blocks, tile_start + (TILE - 1));
        barrier(CLK_LOCAL_MEM_FENCE);
        uint from = range[0];
        uint to = min(range[1] + 1, list.blocks);
        Marks marks = {tile_start, at == first, bitmaps[marked], bitmaps[marked ^ 1]};
        if (IS_SIMPLE9(&list)) {
            for (uint block = from + item; block < to; block += TILE_ITEMS) {
                mark_block(&list, block, &marks);
            }
        } else {
            uint runs = min(to * RUNS_OF_BLOCK, (list.count + (RUN - 1)) / RUN);
            for (uint run = from * RUNS_OF_BLOCK + item; run < runs; run += TILE_ITEMS) {
                mark_run(&list, run, &marks);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    /* A work-item takes neighbouring words of the bitmap, so that the docIDs of the tile come out in order. */
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
    if (item == 0) place = reserve(sums[TILE_ITEMS - 1], count_only, query, out, total, records + group);
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
