/* Ranked search, AND: postings of the leading terms are looked up in the other lists. See rank_common.cl. */

/* The score of a document of a leading list, with the index `at` there: 0 if it does not match, or cannot reach the
 * threshold. `rest`: what each of the query's terms and those after it add at most. */
ulong score_of_all(const Postings *leading, uint at, uint lead, __global const uint *arena, __global const uint4 *terms,
                   uint4 own, uint end, __local const ulong *rest, uint threshold) {
    uint doc_id = leading->doc_ids[at];
    float scale = as_float(own.z);
    uint4 term = terms[lead];
    uint clause = CLAUSE(term.z);
    __global const float *table = (__global const float *)(arena + (ulong)term.w * ALIGNMENT);
    ulong score = score_at(leading, at, as_float(term.y), scale, table);
    bool has_clause = true, fits = true;
    for (uint t = own.x; t < end && fits; t++) {
        if (t == lead) continue;
        term = terms[t];
        if (!EXCLUDES(term.z)) {
            if (CLAUSE(term.z) != clause) {
                fits = has_clause;
                clause = CLAUSE(term.z);
                has_clause = false;
            }
            fits = fits && bucket_of(score + rest[t - own.x]) >= threshold;
        }
        if (!fits || term.x == NONE) continue;
        Postings list = postings_at(arena, term.x);
        uint found_at;
        if (!find_posting(&list, doc_id, &found_at)) continue;
        /* A document with several terms of the leading clause is that of the first. */
        fits = !EXCLUDES(term.z) && !(t < lead && CLAUSE(term.z) == CLAUSE(terms[lead].z));
        has_clause = true;
        table = (__global const float *)(arena + (ulong)term.w * ALIGNMENT);
        if (fits) score += score_at(&list, found_at, as_float(term.y), scale, table);
    }
    return fits && has_clause ? score : 0;
}

/* One work-group per ITEMS * SPAN postings of a leading term. From tables[tasks_at] on for each task (first work-group,
 * query, term, 0), and one more for the end. The terms of a query stand clause by clause, the leading clause first. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void rank_all(__global const uint *arena, __global const uint4 *tables, uint terms_at, uint tasks_at, uint count_of_tasks,
              __global const uint *allowed, uint restricted, uint ordinals, uint base, __global uint *states, uint batch,
              __global uint4 *candidates, uint room, uint k, uint counting) {
    __local ulong rest[MOST_TERMS + 1];
    __local uint found[ITEMS];
    __local uint least, counter, reserved;
    uint item = get_local_id(0);
    __global const uint4 *terms = tables + terms_at;
    uint4 task = task_of(tables + tasks_at, count_of_tasks, get_group_id(0));
    uint query = task.y, lead = task.z;
    __global uint *state = states + STATE * query;
    uint4 own = tables[query];
    uint end = tables[query + 1].x;
    for (uint t = own.x + item; t < own.y; t += ITEMS) {
        uint4 term = terms[t];
        __global const float *table = (__global const float *)(arena + (ulong)term.w * ALIGNMENT);
        rest[t - own.x] =
            term.x == NONE ? 0 : bound_of(postings_at(arena, term.x).most, as_float(term.y), as_float(own.z), table);
    }
    found[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        ulong sum = 0;
        for (uint t = own.y; t > own.x; t--) {
            sum += rest[t - 1 - own.x];
            rest[t - 1 - own.x] = sum;
        }
        least = counting ? 0 : ((volatile __global uint *)state)[THRESHOLD];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint threshold = least;
    Postings leading = postings_at(arena, terms[lead].x);
    ulong scores[SPAN];
    uint doc_ids[SPAN];
    uint matching = 0;
    #pragma unroll
    for (uint s = 0; s < SPAN; s++) {
        uint at = ((get_group_id(0) - task.x) * SPAN + s) * ITEMS + item;
        scores[s] = 0;
        if (at >= leading.count) continue;
        doc_ids[s] = leading.doc_ids[at];
        if (!is_allowed(allowed, restricted, doc_ids[s])) continue;
        scores[s] = score_of_all(&leading, at, lead, arena, terms, own, end, rest, threshold);
        matching += scores[s] != 0;
        if (scores[s] != 0 && bucket_of(scores[s]) >= threshold) atomic_inc(&found[bucket_of(scores[s])]);
    }
    if (counting && matching != 0) atomic_add(&state[TOTAL], matching);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) least = max(threshold, ((volatile __global uint *)state)[THRESHOLD]);
    raise_threshold(found, histogram_of(states, batch, query), &state[THRESHOLD], k, item, &least);
    uint reaching = 0;
    #pragma unroll
    for (uint s = 0; s < SPAN; s++) reaching += scores[s] != 0 && bucket_of(scores[s]) >= least;
    uint to = reserve(reaching, &counter, &reserved, &state[CANDIDATES], item);
    #pragma unroll
    for (uint s = 0; s < SPAN; s++) {
        if (scores[s] == 0 || bucket_of(scores[s]) < least) continue;
        if (to < room) {
            uint ordinal = ordinal_of(arena, ordinals, base, doc_ids[s]);
            candidates[(ulong)query * room + to] = candidate(scores[s], ordinal, base + doc_ids[s]);
        }
        to++;
    }
}
