/* Ranked search: the best k candidates of each query, in order. See rank_common.cl. */

/* Sorts the first `count` candidates, the best first (Batcher's bitonic sort, 1968). Begins and ends with a barrier. */
void sort(__local ulong *scores, __local uint2 *documents, uint count, uint item) {
    uint size = 1;
    while (size < count) size *= 2;
    for (uint at = count + item; at < size; at += ITEMS) {
        scores[at] = 0;
        documents[at] = (uint2)(NONE, NONE);
    }
    for (uint run = 2; run <= size; run *= 2) {
        for (uint step = run / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint pair = item; pair < size / 2; pair += ITEMS) {
                uint low = pair / step * step * 2 + pair % step;
                uint high = low + step;
                bool better_first = (low & run) == 0;
                bool in_order = is_better(scores[low], documents[low].x, scores[high], documents[high].x);
                if (in_order != better_first) {
                    ulong score = scores[low];
                    uint2 document = documents[low];
                    scores[low] = scores[high];
                    documents[low] = documents[high];
                    scores[high] = score;
                    documents[high] = document;
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* One work-group per query. Leaves the best k candidates, in order, and raises the threshold to the worst of them. At the
 * end (`last`) writes (candidates, documents that match, 0, 0) to out[query], and the hits to out[batch + query * k ..].
 * Queries with more candidates than there was room for are left as they are. Needs 2 * k <= MOST_SORTED. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void rank_best(__global uint *states, uint batch, __global uint4 *candidates, uint room, uint k, uint last,
               __global uint4 *out) {
    __local ulong scores[MOST_SORTED];
    __local uint2 documents[MOST_SORTED];
    __local uint kept;
    uint item = get_local_id(0);
    uint query = get_group_id(0);
    __global uint *state = states + STATE * query;
    uint threshold = state[THRESHOLD];
    uint count = state[CANDIDATES] > room ? 0 : state[CANDIDATES];
    __global uint4 *own = candidates + (ulong)query * room;
    ulong worst_score = 0;
    uint worst_ordinal = NONE;
    if (item == 0) kept = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint first = 0; first < count; first += ITEMS) {
        if (first + item < count) {
            uint4 found = own[first + item];
            ulong score = (ulong)found.y << 32 | found.x;
            if (bucket_of(score) >= threshold && is_better(score, found.z, worst_score, worst_ordinal)) {
                uint to = atomic_inc(&kept);
                scores[to] = score;
                documents[to] = found.zw;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint now = kept;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (now > MOST_SORTED - ITEMS || first + ITEMS >= count) {
            sort(scores, documents, now, item);
            if (now >= k) {
                worst_score = scores[k - 1];
                worst_ordinal = documents[k - 1].x;
            }
            if (item == 0) kept = min(now, k);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    uint best = kept;
    for (uint at = item; at < best; at += ITEMS) {
        uint4 hit = (uint4)((uint)scores[at], (uint)(scores[at] >> 32), documents[at]);
        if (last) {
            out[batch + (ulong)query * k + at] = hit;
        } else {
            own[at] = hit;
        }
    }
    if (item == 0) {
        uint all = state[CANDIDATES];
        if (last) out[query] = (uint4)(all > room ? NONE : best, state[TOTAL], 0, 0);
        if (!last && all <= room) {
            state[CANDIDATES] = best;
            if (best == k) {
                state[THRESHOLD] = max(threshold, bucket_of(worst_score));
                state[WORST] = (uint)worst_score;
                state[WORST + 1] = (uint)(worst_score >> 32);
                state[WORST + 2] = worst_ordinal;
            }
        }
    }
}
