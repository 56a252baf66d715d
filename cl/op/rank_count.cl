/* Ranked search, OR of few terms: how many documents match, whose scores nobody needs. See rank_common.cl. */

/* The documents of whose bits a work-group takes care. */
#define COUNTED (1u << COUNTED_LOG)

/* Sets or clears some bits of a word. */
void mark(bool set, __local uint *word, uint mask) {
    if (mask == 0) return;
    if (set) {
        atomic_or(word, mask);
    } else {
        atomic_and(word, ~mask);
    }
}

/* Sets or clears the bits of a term's documents from `start` to `end`, at most COUNTED. */
void mark_documents(bool set, __local uint *bits, __global const uint *arena, uint place, uint start, uint end, uint item) {
    Postings list = postings_at(arena, place);
    uint first = list.directory[start >> list.shift];
    uint last = list.directory[((end - 1) >> list.shift) + 1];
    for (uint at = (first & ~3u) + 4 * item; at < last; at += 4 * ITEMS) {
        /* What follows the docIDs is readable. */
        uint4 four = *(__global const uint4 *)(list.doc_ids + at);
        uint doc_ids[4] = {four.x, four.y, four.z, four.w};
        uint word = 0, mask = 0;
        for (uint i = 0; i < 4; i++) {
            uint within = doc_ids[i] - start;
            if (at + i < first || at + i >= last || within >= COUNTED) continue;
            if (within / 32 != word) {
                mark(set, &bits[word], mask);
                mask = 0;
            }
            word = within / 32;
            mask |= 1u << within % 32;
        }
        mark(set, &bits[word], mask);
    }
}

/* One work-group per COUNTED documents and query. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void rank_count(__global const uint *arena, __global const uint4 *tables, uint terms_at,
                __global const uint *allowed, uint restricted, __global uint *states, uint batch, uint documents) {
    __local uint bits[COUNTED / 32];
    __local uint matching;
    uint item = get_local_id(0);
    uint query = get_group_id(0) % batch;
    uint start = get_group_id(0) / batch * COUNTED;
    uint end = start + min(COUNTED, documents - start);
    __global const uint4 *terms = tables + terms_at;
    uint4 own = tables[query];
    for (uint word = item; word < COUNTED / 32; word += ITEMS) bits[word] = 0;
    if (item == 0) matching = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = own.x; t < own.y; t++) {
        if (terms[t].x != NONE) mark_documents(true, bits, arena, terms[t].x, start, end, item);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = own.y; t < tables[query + 1].x; t++) {
        if (terms[t].x != NONE) mark_documents(false, bits, arena, terms[t].x, start, end, item);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint count = 0;
    for (uint word = item; word < (end - start + 31) / 32; word += ITEMS) {
        count += popcount(restricted ? bits[word] & allowed[start / 32 + word] : bits[word]);
    }
    if (count != 0) atomic_add(&matching, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && matching != 0) atomic_add(&states[STATE * query + TOTAL], matching);
}
