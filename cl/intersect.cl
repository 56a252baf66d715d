/* Intersection of posting lists, a whole batch of queries in one launch of each kernel. Twin: src/intersect/.
 *
 * The host sends a query to `intersect_probe` where its shortest list is much shorter than the others, else to
 * `intersect_tiles`. Both take the same arguments:
 * first_group[q]  the first work-group of query q; an entry more for the end
 * first_list[q]   its first list, the shortest, in `lists`; an entry more for the end
 * lists           lists as offsets into the arena, in units of 16 words
 * total           counts the docIDs found; those that would go past `capacity` are only counted
 * records         for each work-group: where in `out` its docIDs begin, and how many they are
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

/* The docID with that rank in a block. */
uint doc_id_at(const List *list, uint block, uint rank) {
    if (list->codec == SIMPLE9) {
        Simple9Walk walk = simple9_block(list, block);
        for (uint i = 0; i < rank; i++) simple9_next(&walk);
        return simple9_next(&walk);
    }
    uint whole = block * BLOCK + rank;
    uint stop = next_stop(list->upper, upper_position(list, block, rank));
    return (stop - whole) << list->lower_width | lower_part(list, whole);
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
    uint word = position >> 5;
    uint bits = list->upper[word] & (~0u << (position & 31));
    uint here = popcount(bits);
    while (here < ones) {
        ones -= here;
        bits = list->upper[++word];
        here = popcount(bits);
    }
    if (ones != 0) position = word * 32 + select_bit(bits, ones - 1) + 1;
    uint low = doc_id & ((1u << width) - 1);
    for (uint rank = position - upper; rank < list->count; rank++, position++) {
        if ((list->upper[position >> 5] >> (position & 31)) & 1) return false;
        uint field = lower_part(list, rank);
        if (field >= low) return field == low;
    }
    return false;
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

/* A work-group takes one block of the shortest list, a work-item one docID of it, and looks it up in the longer lists:
 * in the directory, then in the one block that may hold it. Blocks that cannot match are not read. Work-groups of
 * BLOCK; local memory 28 bytes. */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void intersect_probe(__global const uint *restrict arena, __global const uint *restrict first_group,
        __global const uint *restrict first_list, __global const uint *restrict lists, uint queries,
        __global uint *restrict out, uint capacity, uint count_only, __global uint *restrict total,
        __global uint2 *restrict records) {
    __local uint found[BLOCK / 32];
    __local uint range[2];
    __local uint place;
    uint item = get_local_id(0);
    uint group = get_group_id(0);
    uint query = query_of(first_group, queries, group);
    uint block = group - first_group[query];
    uint at = first_list[query];
    uint end = first_list[query + 1];

    List list = list_at(arena + 16 * (ulong)lists[at]);
    bool alive = block * BLOCK + item < list.count;
    uint doc_id = alive ? doc_id_at(&list, block, item) : 0;
    uint largest = list.last[block];
    while (++at < end) {
        list = list_at(arena + 16 * (ulong)lists[at]);
        /* Where the first and the last docID fall in the directory; the others fall between. */
        if (item == 0) range[0] = lower_bound(list.last, 0, list.blocks, doc_id);
        if (item == 32) range[1] = lower_bound(list.last, 0, list.blocks, largest);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (alive) {
            uint candidate = lower_bound(list.last, range[0], range[1], doc_id);
            alive = candidate < list.blocks
                && (list.codec == SIMPLE9 ? simple9_contains(&list, candidate, doc_id)
                                          : qs_contains(&list, candidate, doc_id));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item < BLOCK / 32) found[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (alive) atomic_or(&found[item / 32], 1u << (item % 32));
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = popcount(found[item / 32] & ((1u << (item % 32)) - 1));
    uint all = 0;
    for (uint i = 0; i < BLOCK / 32; i++) {
        uint here = popcount(found[i]);
        if (i < item / 32) before += here;
        all += here;
    }
    if (item == 0) place = reserve(all, count_only, query, out, total, records + group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (alive && !count_only && place + before < capacity) out[place + before] = doc_id;
}

/* --- tiles --- */

#define TILE_ITEMS 256u
#define TILE_LOG 16u
#define TILE (1u << TILE_LOG)
#define TILE_WORDS (TILE / 32)
#define WORDS_AN_ITEM (TILE_WORDS / TILE_ITEMS)

/* Marks a docID of the tile in `marked`, if `among` has it too (`among` is 0 for the first list). */
void mark(__local uint *marked, __local const uint *among, uint doc_id, uint tile_start) {
    uint at = doc_id - tile_start;
    if (at < TILE) {
        uint bit = 1u << (at % 32);
        if (among == 0 || (among[at / 32] & bit)) atomic_or(&marked[at / 32], bit);
    }
}

/* Marks the docIDs of a run of a quasi-succinct list. */
void mark_run(const List *list, uint run, __local uint *marked, __local const uint *among, uint tile_start) {
    uint rank = run * RUN;
    uint width = list->lower_width;
    uint position = upper_position(list, rank / BLOCK, rank % BLOCK);
    if (rank + RUN <= list->count) {
        __global const uint *lower = run_lower(list, run);
        for (uint k = 0; k < RUN; k += 4) {
            uint4 four = with_lower(next_four(list->upper, &position, rank + k), lower, k * width, width);
            mark(marked, among, four.x, tile_start);
            mark(marked, among, four.y, tile_start);
            mark(marked, among, four.z, tile_start);
            mark(marked, among, four.w, tile_start);
        }
    } else {
        for (; rank < list->count; rank++) {
            position = next_stop(list->upper, position);
            mark(marked, among, (position - rank) << width | lower_part(list, rank), tile_start);
            position++;
        }
    }
}

/* Marks the docIDs of a block of a Simple-9 list. */
void mark_block(const List *list, uint block, __local uint *marked, __local const uint *among, uint tile_start) {
    Simple9Walk walk = simple9_block(list, block);
    for (uint left = min(BLOCK, list->count - block * BLOCK); left != 0; left--) {
        mark(marked, among, simple9_next(&walk), tile_start);
    }
}

/* A work-group takes a tile of TILE consecutive docIDs: the first list marks its own in a bitmap, each further list
 * those of its own that are marked already in the next bitmap. Only blocks that reach into the tile are read.
 * Work-groups of TILE_ITEMS; local memory 17 KiB. */
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
void intersect_tiles(__global const uint *restrict arena, __global const uint *restrict first_group,
        __global const uint *restrict first_list, __global const uint *restrict lists, uint queries,
        __global uint *restrict out, uint capacity, uint count_only, __global uint *restrict total,
        __global uint2 *restrict records) {
    __local uint bitmaps[2][TILE_WORDS];
    __local uint sums[TILE_ITEMS];
    __local uint range[2];
    __local uint place;
    uint item = get_local_id(0);
    uint group = get_group_id(0);
    uint query = query_of(first_group, queries, group);
    uint tile_start = (group - first_group[query]) << TILE_LOG;
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
        __local uint *mine = bitmaps[marked];
        __local const uint *among = at == first ? 0 : bitmaps[marked ^ 1];
        if (list.codec == SIMPLE9) {
            for (uint block = from + item; block < to; block += TILE_ITEMS) {
                mark_block(&list, block, mine, among, tile_start);
            }
        } else {
            uint runs = min(to * RUNS_OF_BLOCK, (list.count + (RUN - 1)) / RUN);
            for (uint run = from * RUNS_OF_BLOCK + item; run < runs; run += TILE_ITEMS) {
                mark_run(&list, run, mine, among, tile_start);
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
