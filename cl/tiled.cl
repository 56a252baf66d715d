/* Lists in the tiled form of src/device/tiled.rs, and what the work-groups of ITEMS work-items share that read them. */

#define NONE 0xFFFFFFFFu

typedef struct {
    uint count, shift, exceptions;
    __global const uint *doc_ids;
    __global const ushort *codes;
    __global const uint *directory;
    __global const uint2 *maxima;
    __global const uint2 *exceptional;
    uint2 most;
} Postings;

uint even(uint words) {
    return (words + 1) & ~1u;
}

Postings postings_at(__global const uint *arena, uint place) {
    __global const uint *words = arena + (ulong)place * ALIGNMENT;
    Postings list;
    uint ranges = words[2];
    list.count = words[0];
    list.shift = words[1];
    list.exceptions = words[3];
    list.most = (uint2)(words[4], words[5]);
    list.doc_ids = words + HEADER;
    list.codes = (__global const ushort *)(list.doc_ids + even(list.count));
    list.directory = (__global const uint *)list.codes + even((list.count + 1) / 2);
    list.maxima = (__global const uint2 *)(list.directory + even(ranges + 1));
    list.exceptional = list.maxima + ranges;
    return list;
}

/* Whether the list has a document, and if so, the index of its posting. */
bool find_posting(const Postings *list, uint doc_id, uint *at) {
    uint range = doc_id >> list->shift;
    uint to = list->directory[range + 1];
    *at = lower_bound(list->doc_ids, list->directory[range], to, doc_id);
    return *at < to && list->doc_ids[*at] == doc_id;
}

/* --- what work-groups share --- */

/* The last task that begins at a work-group or before it. */
uint4 task_of(__global const uint4 *tasks, uint count, uint group) {
    uint from = 0, to = count;
    while (from + 1 < to) {
        uint middle = from + (to - from) / 2;
        if (tasks[middle].x <= group) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return tasks[from];
}

/* sums[i] becomes the sum of sums[i ..]. */
void suffix_sums(__local uint *sums, uint item) {
    for (uint step = 1; step < ITEMS; step *= 2) {
        uint other = item + step < ITEMS ? sums[item + step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
