/* The searches of the papers on raw lists, one work-item per docID of a query's shortest list (Ao et al. 2011, section
 * 4): an experiment, with which cl/op/intersect.cl is compared. A program has one search, SEARCH. Twins:
 * src/intersect/locate/, and for parallel merge find src/intersect/meet/parallel_merge.rs.
 *
 * Batches are laid out as for intersect.cl: `first_group`, `first_list`, `lists`. A work-group takes ITEMS docIDs of the
 * shortest list of one query. `parameters` has PARAMETERS words per list, and `ranks` those of splitters or what else is
 * made of lists.
 *
 * What is found is gathered in one of two ways:
 * - `search_flags` writes a flag per docID; `scan` and `add` turn the flags into the number of docIDs found before each;
 *   `compact` writes the docIDs there, in the order of queries (scan and compaction, as in the paper);
 * - `search_reserve` reserves room for the docIDs of a work-group at once; the host puts them in order.
 *
 * Work-groups of ITEMS; local memory 1.1 KiB at most. */

/* --- searches: the rank of `target`, the docID of rank `item` in the shortest list --- */

uint binary_rank(const List *list, __global const uint *parameters, __global const uint *ranks, uint item, uint target) {
    return lower_bound(list->payload, 0, list->count, target);
}

/* As the twin, a step that leaves more than half of the range is followed by one that halves it. */
uint interpolation_rank(const List *list, __global const uint *parameters, __global const uint *ranks, uint item,
        uint target) {
    uint low = 0;
    uint high = list->count;
    bool halve = false;
    while (high - low > 8) {
        uint first = list->payload[low];
        uint last = list->payload[high - 1];
        if (target <= first) return low;
        if (target > last) return high;
        uint count = high - low;
        /* Any place in the range is right, so the fraction need not be exact. */
        uint at = (uint)((float)(target - first) / (float)(last - first) * (float)(count - 1));
        at = halve ? count / 2 : min(at, count - 1);
        if (list->payload[low + at] < target) {
            low += at + 1;
        } else {
            high = low + at;
        }
        halve = !halve && high - low > count / 2;
    }
    return lower_bound(list->payload, low, high, target);
}

/* The rank of a docID among `count` docIDs from rank `first` on, in the safe range of their line: the slope, then what is
 * added to the product for the first rank of the range and for its end, 64 bits each. `x` is the docID as the line has it. */
uint line_rank(const List *list, uint first, uint count, __global const uint *line, uint x, uint target) {
    long estimate = mul_hi(x, line[0]);
    long from = estimate + (long)((ulong)line[2] << 32 | line[1]);
    long to = estimate + (long)((ulong)line[4] << 32 | line[3]);
    from = clamp(from, (long)0, (long)count);
    to = clamp(to, (long)0, (long)count);
    return lower_bound(list->payload, first + (uint)from, first + (uint)to, target);
}

/* The parameters are the list's line. */
uint lr_rank(const List *list, __global const uint *parameters, __global const uint *ranks, uint item, uint target) {
    return line_rank(list, 0, list->count, parameters, target, target);
}

/* A line per segment of docIDs. The parameter says where in `ranks` these words are: the logarithm of a segment's docIDs,
 * the number of segments, then for each the rank of its first docID and its line, and at the end the number of docIDs. */
uint lr_segments_rank(const List *list, __global const uint *parameters, __global const uint *ranks, uint item,
        uint target) {
    __global const uint *words = ranks + parameters[0];
    uint segment = (uint)((ulong)target >> words[0]);
    if (segment >= words[1]) return list->count;
    __global const uint *record = words + 2 + 6 * segment;
    uint x = target - (uint)((ulong)segment << words[0]);
    return line_rank(list, record[0], record[6] - record[0], record + 1, x, target);
}

/* A skip list of several levels, from the top down. The parameter says where in `ranks` these words are: the number of
 * levels, then for each, from the lowest up, the number of its docIDs and where they begin; then the docIDs: the last of
 * each full run of STRIDE of the level below. */
uint skip_list_rank(const List *list, __global const uint *parameters, __global const uint *ranks, uint item,
        uint target) {
    __global const uint *words = ranks + parameters[0];
    uint at = 0;
    for (uint level = words[0] + 1; level-- != 0;) {
        uint count = level == 0 ? list->count : words[2 * level - 1];
        __global const uint *sorted = level == 0 ? list->payload : words + words[2 * level];
        uint below = 0;
        at *= STRIDE;
        for (uint k = 0; k < STRIDE; k++) {
            if (at + k < count) below += sorted[at + k] < target;
        }
        at += below;
    }
    return at;
}

uint hash_rank(const List *list, __global const uint *parameters, __global const uint *ranks, uint item, uint target) {
    uint bucket = target >> list->parameter;
    if (RAW_POINTERS + bucket + 1 >= list->own[-1]) return list->count;
    __global const uint *pointer = list->own + RAW_POINTERS + bucket;
    return lower_bound(list->payload, pointer[0], pointer[1], target);
}

/* Parallel merge find. The parameters are the index in `ranks` of the last level's splitters of this list, and the
 * number of bits by which a level divides ranks; 0 bits if there are no splitters. */
uint merge_rank(const List *list, __global const uint *parameters, __global const uint *ranks, uint item, uint target) {
    if (parameters[1] == 0) return lower_bound(list->payload, 0, list->count, target);
    __global const uint *rank = ranks + parameters[0] + (item >> parameters[1]);
    return lower_bound(list->payload, rank[0], rank[1], target);
}

/* One level of splitters of parallel merge find. A work-group takes ITEMS splitters of one pair of lists, which `tasks`
 * describes in TASK words: the indices in `lists` of the shortest and the longer list, the first splitter, the logarithm
 * of their distance, the bits of this level, and where the ranks of the level above and of this level begin. `top` says
 * that there is no level above. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void split(__global const uint *restrict arena, __global const uint *restrict lists, __global const uint *restrict tasks,
        __global const uint *restrict above, __global uint *restrict ranks, uint top) {
    __global const uint *task = tasks + TASK * get_group_id(0);
    List shorter = list_at(arena + ALIGNMENT * (ulong)lists[task[0]]);
    List longer = list_at(arena + ALIGNMENT * (ulong)lists[task[1]]);
    uint splitter = task[2] + get_local_id(0);
    uint splitters = ((shorter.count - 1) >> task[3]) + 1;
    if (splitter <= splitters) {
        uint rank = longer.count;
        if (splitter < splitters) {
            uint from = 0;
            uint to = longer.count;
            if (!top) {
                __global const uint *segment = above + task[5] + (splitter >> task[4]);
                from = segment[0];
                to = segment[1];
            }
            rank = lower_bound(longer.payload, from, to, shorter.payload[splitter << task[3]]);
        }
        ranks[task[6] + splitter] = rank;
    }
}

/* --- one docID per work-item --- */

/* Whether all lists of the query contain the work-item's docID, which is stored at `doc_id`. */
bool is_common(__global const uint *arena, __global const uint *first_group, __global const uint *first_list,
        __global const uint *lists, uint queries, __global const uint *parameters, __global const uint *ranks,
        uint *doc_id) {
    uint query = query_of(first_group, queries, get_group_id(0));
    uint at = first_list[query];
    uint end = first_list[query + 1];
    List list = list_at(arena + ALIGNMENT * (ulong)lists[at]);
    uint item = (get_group_id(0) - first_group[query]) * ITEMS + get_local_id(0);
    bool is = item < list.count;
    uint target = is ? list.payload[item] : 0;
    *doc_id = target;
    while (is && ++at < end) {
        list = list_at(arena + ALIGNMENT * (ulong)lists[at]);
        uint rank = NAME_OF(SEARCH, rank)(&list, parameters + PARAMETERS * at, ranks, item, target);
        is = rank < list.count && list.payload[rank] == target;
    }
    return is;
}

#define BATCH __global const uint *restrict arena, __global const uint *restrict first_group, \
        __global const uint *restrict first_list, __global const uint *restrict lists, uint queries
#define IS_COMMON is_common(arena, first_group, first_list, lists, queries, parameters, ranks, &doc_id)

/* `flags` has a word per work-item, and one more, which is set to 0. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void search_flags(BATCH, __global const uint *restrict parameters, __global const uint *restrict ranks,
        __global uint *restrict flags) {
    uint doc_id;
    flags[get_global_id(0)] = IS_COMMON;
    if (get_global_id(0) == 0) flags[get_global_size(0)] = 0;
}

/* The docIDs of a work-group lie together in `out`, in order; its record says where, and how many. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void search_reserve(BATCH, __global const uint *restrict parameters, __global const uint *restrict ranks,
        __global uint *restrict out, __global uint *restrict total, __global uint2 *restrict records) {
    __local uint found[ITEMS / 32];
    __local uint place;
    uint item = get_local_id(0);
    uint doc_id;
    if (item < ITEMS / 32) found[item] = 0;
    bool is = IS_COMMON;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is) atomic_or(&found[item / 32], 1u << (item % 32));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        uint all = 0;
        for (uint i = 0; i < ITEMS / 32; i++) all += popcount(found[i]);
        place = all == 0 ? 0 : atomic_add(total, all);
        records[get_group_id(0)] = (uint2)(place, all);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is) {
        uint to = place + popcount(found[item / 32] & ((1u << (item % 32)) - 1));
        for (uint i = 0; i < item / 32; i++) to += popcount(found[i]);
        out[to] = doc_id;
    }
}

/* --- scan and compaction --- */

/* Replaces each of `count` words by the sum of those before it in its piece of SCAN words, and stores the sum of the
 * piece. A work-group takes a piece, and each work-item consecutive words of it. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void scan(__global uint *restrict words, uint count, __global uint *restrict sums) {
    __local uint up_to[ITEMS];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * SCAN + item * (SCAN / ITEMS);
    uint end = min(first + SCAN / ITEMS, count);
    uint sum = 0;
    for (uint i = first; i < end; i++) sum += words[i];
    up_to[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < ITEMS; reach *= 2) {
        uint before = item >= reach ? up_to[item - reach] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        up_to[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint before = up_to[item] - sum;
    for (uint i = first; i < end; i++) {
        uint word = words[i];
        words[i] = before;
        before += word;
    }
    if (item == ITEMS - 1) sums[get_group_id(0)] = up_to[item];
}

/* Adds the sum of the pieces before to each word. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void add(__global uint *restrict words, uint count, __global const uint *restrict sums) {
    uint sum = sums[get_group_id(0)];
    uint first = get_group_id(0) * SCAN;
    for (uint i = first + get_local_id(0); i < min(first + SCAN, count); i += ITEMS) words[i] += sum;
}

/* `before` has the number of docIDs found before each work-item, and at the end that of all. `starts` gets it for each
 * query, and at the end that of all. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void compact(BATCH, __global const uint *restrict before, __global uint *restrict out, __global uint *restrict starts) {
    uint at = get_global_id(0);
    uint query = query_of(first_group, queries, get_group_id(0));
    uint item = (get_group_id(0) - first_group[query]) * ITEMS + get_local_id(0);
    if (item == 0) starts[query] = before[at];
    if (at == 0) starts[queries] = before[get_global_size(0)];
    if (before[at + 1] != before[at]) {
        List list = list_at(arena + ALIGNMENT * (ulong)lists[first_list[query]]);
        out[before[at]] = list.payload[item];
    }
}
