/* The lists of phrases: the documents in which words stand at given distances, and how often they do. Twin:
 * src/rank/phrase/mod.rs.
 *
 * A work-item takes a posting of a phrase's rarest word, and looks its document up in the lists of the other words, as
 * rank_all does; if all have it, their positions are merged. They are in the form of src/rank/tiled/positions.rs: what
 * stands at index i in a list has its positions at index i there.
 *
 * Documents come out in order without being sorted: each work-group reserves a range of the output, and leaves word where
 * that is. One posting per work-item, as few documents have all words, and each work-item of them waits for the others.
 *
 * Work-groups of ITEMS = 256; 1 KiB of local memory. */

/* In place of a number of documents: some document has too many positions, so the host makes the list. */
#define CROWDED NONE

/* The positions of a word in a document. */
typedef struct {
    __global const uint *words;
    uint wide, next, end;
} Positions;

Positions positions_of(__global const uint *arena, uint place, uint posting) {
    __global const uint *words = arena + (ulong)place * ALIGNMENT;
    __global const uint *starts = words + POSITIONS_HEADER;
    Positions of;
    of.words = starts + words[0] + 1;
    of.wide = words[1];
    of.next = starts[posting];
    of.end = starts[posting + 1];
    return of;
}

uint position(const Positions *of, uint at) {
    return of->wide ? of->words[at] : ((__global const ushort *)of->words)[at];
}

/* How often the words, whose postings have these indices, stand as in the phrase; CROWDED if they have more than
 * MOST_POSITIONS together. A word: (place of its list, place of its positions, what to add to them so that those of a match
 * are equal, 0). */
uint matches(__global const uint *arena, __global const uint4 *words, uint count, const uint *postings) {
    Positions of[MOST_WORDS];
    uint all = 0;
    for (uint w = 0; w < count; w++) {
        of[w] = positions_of(arena, words[w].y, postings[w]);
        all += min(of[w].end - of[w].next, MOST_POSITIONS + 1);
    }
    uint matches = 0;
    bool more = all <= MOST_POSITIONS;
    for (; more && of[0].next < of[0].end; of[0].next++) {
        uint wanted = position(&of[0], of[0].next) + words[0].z;
        bool equal = true;
        for (uint w = 1; w < count && equal; w++) {
            uint here = 0;
            bool before = true;
            while (before && of[w].next < of[w].end) {
                here = position(&of[w], of[w].next) + words[w].z;
                before = here < wanted;
                if (before) of[w].next++;
            }
            /* Without positions of a word there are no further matches. */
            more = more && !before;
            equal = !before && here == wanted;
        }
        matches += equal;
    }
    return all <= MOST_POSITIONS ? matches : CROWDED;
}

/* The number of times that a document has the phrase; 0 if it lacks a word. */
uint count_in(__global const uint *arena, __global const uint4 *words, uint count, uint at, uint doc_id) {
    uint postings[MOST_WORDS];
    bool has_all = true;
    postings[0] = at;
    for (uint w = 1; w < count && has_all; w++) {
        Postings list = postings_at(arena, words[w].x);
        has_all = find_posting(&list, doc_id, &postings[w]);
    }
    return has_all ? matches(arena, words, count, postings) : 0;
}

/* One work-group per ITEMS postings of the rarest word of a phrase. tables: for each phrase (first work-group, index of its
 * first word, index after its last one, 0), then, from `words_at` on, the words, the rarest of each phrase first. Writes
 * (docID, frequency less 1) to `found`, as far as there is room. The first of `ranges` is (documents found, -) and 0 before;
 * the others get, for each work-group, the index of its first document, and their number. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void phrase_find(__global const uint *arena, __global const uint4 *tables, uint phrases, uint words_at,
                 __global uint2 *found, uint room, __global uint2 *ranges) {
    __local uint sums[ITEMS];
    __local uint first, crowded;
    uint item = get_local_id(0);
    uint group = get_group_id(0);
    uint4 phrase = task_of(tables, phrases, group);
    __global const uint4 *words = tables + words_at + phrase.y;
    Postings rarest = postings_at(arena, words[0].x);
    uint at = (group - phrase.x) * ITEMS + item;
    uint doc_id = 0, count = 0;
    if (at < rarest.count) {
        doc_id = rarest.doc_ids[at];
        count = count_in(arena, words, phrase.z - phrase.y, at, doc_id);
    }
    if (item == 0) crowded = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (count == CROWDED) crowded = 1;
    sums[item] = count != 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    suffix_sums(sums, item);
    if (item == 0) {
        first = sums[0] == 0 ? 0 : atomic_add((__global uint *)ranges, sums[0]);
        ranges[1 + group] = (uint2)(first, crowded ? CROWDED : sums[0]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint to = first + sums[0] - sums[item];
    if (count != 0 && to < room) found[to] = (uint2)(doc_id, count - 1);
}
