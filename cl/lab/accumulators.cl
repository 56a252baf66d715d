/* OR as Ding et al. 2009, 5.2, have it, to compare `rank_any` with: an accumulator in global memory for each document of
 * the collection, to which work-items add the scores of postings, and passes over all accumulators that find the best.
 * Nothing is skipped. Built with the kernels of ranking, and as exact: sums are their fixed-point numbers, and rank_best sorts.
 *
 * accumulators: for each query, the low and the high word of each document's score. A work-item clears or looks at PASS of
 * them in a pass. */

/* As `add` in rank_any.cl. */
void add_in_global(__global uint *accumulator, ulong score) {
    uint more = (uint)score;
    uint carry = atomic_add(accumulator, more) > ~more;
    uint above = (uint)(score >> 32) + carry;
    if (above != 0) atomic_add(accumulator + 1, above);
}

/* `parts` work-groups per query, each for ITEMS * PASS documents: sets their scores to 0. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void plain_clear(__global uint2 *accumulators, uint documents, uint parts) {
    __global uint2 *own = accumulators + (ulong)(get_group_id(0) / parts) * documents;
    uint first = get_group_id(0) % parts * ITEMS * PASS;
    for (uint s = 0; s < PASS; s++) {
        uint doc_id = first + s * ITEMS + get_local_id(0);
        if (doc_id < documents) own[doc_id] = (uint2)(0, 0);
    }
}

/* One work-group per ITEMS * SPAN postings of a term, those of the tasks from work-group `first` on. Adds the scores of
 * the postings, or sets those of documents with an excluded term to 0. The tasks are as for `rank_all`. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void plain_add(__global const uint *arena, __global const uint4 *tables, uint terms_at, uint tasks_at,
               uint count_of_tasks, uint first, uint documents, __global uint *accumulators) {
    uint group = first + get_group_id(0);
    uint4 task = task_of(tables + tasks_at, count_of_tasks, group);
    uint4 term = tables[terms_at + task.z];
    float scale = as_float(tables[task.y].z);
    Postings list = postings_at(arena, term.x);
    __global const float *table = (__global const float *)(arena + (ulong)term.w * ALIGNMENT);
    __global uint *own = accumulators + 2 * (ulong)task.y * documents;
    for (uint s = 0; s < SPAN; s++) {
        uint at = ((group - task.x) * SPAN + s) * ITEMS + get_local_id(0);
        if (at >= list.count) break;
        __global uint *accumulator = own + 2 * (ulong)list.doc_ids[at];
        if (EXCLUDES(term.z)) {
            accumulator[0] = accumulator[1] = 0;
        } else {
            add_in_global(accumulator, score_at(&list, at, as_float(term.y), scale, table));
        }
    }
}

/* `parts` work-groups per query, each for ITEMS * PASS documents. Counts documents by bucket, and writes the greatest
 * bucket of each part, plus 1, to `most`. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void plain_count(__global uint2 *accumulators, uint documents, uint parts, __global const uint *allowed, uint restricted,
                 __global uint *most, __global uint *states, uint batch, uint counting) {
    __local uint found[ITEMS];
    __local uint best, matching;
    uint item = get_local_id(0);
    uint query = get_group_id(0) / parts;
    uint first = get_group_id(0) % parts * ITEMS * PASS;
    __global uint2 *own = accumulators + (ulong)query * documents;
    found[item] = 0;
    if (item == 0) best = matching = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint own_best = 0, own_matching = 0;
    for (uint s = 0; s < PASS; s++) {
        uint doc_id = first + s * ITEMS + item;
        if (doc_id >= documents) break;
        uint2 score = own[doc_id];
        if ((score.x | score.y) == 0) continue;
        if (!is_allowed(allowed, restricted, doc_id)) {
            own[doc_id] = (uint2)(0, 0);
            continue;
        }
        uint bucket = bucket_of((ulong)score.y << 32);
        own_matching++;
        own_best = max(own_best, bucket + 1);
        atomic_inc(&found[bucket]);
    }
    if (own_matching != 0) {
        atomic_add(&matching, own_matching);
        atomic_max(&best, own_best);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (found[item] != 0) atomic_add(&histogram_of(states, batch, query)[item], found[item]);
    if (item == 0) {
        most[get_group_id(0)] = best;
        if (counting && matching != 0) atomic_add(&states[STATE * query + TOTAL], matching);
    }
}

/* The same work-groups. All documents are counted, so the threshold is final for the segment; what reaches it becomes a
 * candidate. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void plain_collect(__global const uint2 *accumulators, uint documents, uint parts, __global const uint *most,
                   uint ordinals, uint base, __global const uint *arena, __global uint *states, uint batch,
                   __global uint4 *candidates, uint room, uint k) {
    __local uint found[ITEMS];
    __local uint least, counter, reserved;
    uint item = get_local_id(0);
    uint query = get_group_id(0) / parts;
    uint first = get_group_id(0) % parts * ITEMS * PASS;
    __global const uint2 *own = accumulators + (ulong)query * documents;
    __global uint *state = states + STATE * query;
    found[item] = 0;
    if (item == 0) least = ((volatile __global uint *)state)[THRESHOLD];
    raise_threshold(found, histogram_of(states, batch, query), &state[THRESHOLD], k, item, &least);
    /* Parts without such documents have nothing to look at. */
    uint end = most[get_group_id(0)] > least ? PASS : 0;
    uint reaching = 0;
    for (uint s = 0; s < end; s++) {
        uint doc_id = first + s * ITEMS + item;
        if (doc_id >= documents) break;
        uint2 score = own[doc_id];
        reaching += (score.x | score.y) != 0 && bucket_of((ulong)score.y << 32) >= least;
    }
    uint to = reserve(reaching, &counter, &reserved, &state[CANDIDATES], item);
    for (uint s = 0; s < end; s++) {
        uint doc_id = first + s * ITEMS + item;
        if (doc_id >= documents || reaching == 0) break;
        ulong score = (ulong)own[doc_id].y << 32 | own[doc_id].x;
        if (score == 0 || bucket_of(score) < least) continue;
        if (to < room) {
            uint ordinal = ordinal_of(arena, ordinals, base, doc_id);
            candidates[(ulong)query * room + to] = candidate(score, ordinal, base + doc_id);
        }
        to++;
    }
}
