/* Ranked search: the best documents of each query of a batch, exactly as the CPU ranks them (src/rank/).
 *
 * Lists are in the tiled form: cl/tiled.cl. A score is a sum of `float`s, as on the CPU; it is kept as an integer
 * of 63 bits, a fixed-point number whose unit is the query's own. Such sums are exact and do not depend on the order, so
 * scores, ties and the order of hits are those of the CPU.
 *
 * A query's *threshold* rises while it is searched: the work-groups count its documents in 256 buckets by score, and when
 * a bucket and those above it have k documents, only documents of these can be hits. What cannot reach the threshold is
 * skipped: tiles by the maxima of their postings (as block-max ranges on the CPU), documents by what the remaining lists
 * can add. What reaches it becomes a candidate. rank_best leaves the best k candidates; it runs at the end, and a few times
 * before, when a batch is large: from then on a candidate must be better than the worst of these, to the last bit and the
 * ordinal, so that many documents with equal scores do not all become candidates.
 *
 * - rank_tiles: for each query, the tiles of 2^TILE_LOG documents, those that can have the highest scores first.
 * - rank_any (OR): a work-group scores a tile of a query in local memory (Ding et al. 2009, 5.2, has one
 *   accumulator per document of the collection in global memory; a tile's stay within the multiprocessor).
 * - rank_all (AND): a work-item takes a posting of the rarest term, and looks its document up in the other lists, by
 *   bucket and binary search; codes are read for what was found (section 8.1).
 * - rank_best: the best k, in order.
 *
 * Work-groups of ITEMS = 256. */

#define TILE (1u << TILE_LOG)
#define EXCEPTION 255u
#define NO_BUCKET 255u

/* The state of a query, in words. */
#define STATE 8u
#define THRESHOLD 0u /* the least bucket of a hit */
#define CANDIDATES 1u /* candidates so far, also those for which there was no room */
#define TOTAL 2u /* documents that match, if they are counted */
#define WORST 4u /* the worst of k candidates that were sorted: its score, in two words, and its ordinal; 0 before */

/* Bits of a term's third word. */
#define CLAUSE(kind) ((kind) & 0xFFFFu)
#define EXCLUDES(kind) ((kind) >> 31)

/* --- scores --- */

/* Correctly rounded f / d for positive numbers; a device's own division may be off by 2.5 units in the last place. */
float quotient(float f, float d) {
    uint q = as_uint(f / d);
    float left = fabs(fma(-as_float(q), d, f));
    for (uint step = 0; step < 4; step++) {
        float above = fabs(fma(-as_float(q + 1), d, f));
        float below = fabs(fma(-as_float(q - 1), d, f));
        if (above < left) {
            q++;
            left = above;
        } else if (below < left) {
            q--;
            left = below;
        }
    }
    return as_float(q);
}

/* The saturation of a posting whose frequency is too great for its code. `table` is followed by the norms. */
float exceptional_saturation(const Postings *list, uint at, uint code, __global const float *table) {
    uint from = 0, to = list->exceptions;
    while (from + 1 < to) {
        uint middle = from + (to - from) / 2;
        if (list->exceptional[middle].x <= at) {
            from = middle;
        } else {
            to = middle;
        }
    }
    float frequency = as_float(list->exceptional[from].y);
    return quotient(frequency, frequency + table[0x10000u + (code & 0xFFu)]);
}

/* A score as a fixed-point number. `scale` is a power of two, so that nothing is rounded but what is below the unit. */
ulong fixed_point(float score, float scale) {
    return max(convert_ulong(score * scale), (ulong)1);
}

ulong score_at(const Postings *list, uint at, float weight, float scale, __global const float *table) {
    uint code = list->codes[at];
    float saturation = code >> 8 == EXCEPTION ? exceptional_saturation(list, at, code, table) : table[code];
    return fixed_point(weight * saturation, scale);
}

/* No posting of these maxima has a greater score; 0 if there are no postings. */
ulong bound_of(uint2 maxima, float weight, float scale, __global const float *table) {
    float first = fmax(table[maxima.x & 0xFFFFu], table[maxima.x >> 16]);
    float second = fmax(table[maxima.y & 0xFFFFu], table[maxima.y >> 16]);
    return maxima.x == 0 ? 0 : fixed_point(weight * fmax(first, second), scale);
}

/* The top eight bits of 63; 255 is left for what has no bucket. */
uint bucket_of(ulong score) {
    return min((uint)(score >> BELOW_BUCKET), 254u);
}

/* --- what work-groups share --- */

/* Adds a work-group's documents by bucket to those of the query, and raises the query's threshold, and `*least`, to the
 * greatest bucket that has k documents at it or above. Another work-group's documents may be missing: then the threshold
 * is lower. */
void raise_threshold(__local uint *found, __global uint *histogram, __global uint *threshold, uint k, uint item,
                     __local uint *least) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint own = found[item];
    uint all = own == 0 ? ((volatile __global uint *)histogram)[item] : atomic_add(&histogram[item], own) + own;
    found[item] = all;
    barrier(CLK_LOCAL_MEM_FENCE);
    suffix_sums(found, item);
    uint above = item + 1 < ITEMS ? found[item + 1] : 0;
    if (found[item] >= k && above < k && item > *least) *least = item;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) atomic_max(threshold, *least);
}

/* The place among a query's candidates for the first of the `own` candidates of this work-item. Ends with a barrier. */
uint reserve(uint own, __local uint *counter, __local uint *base, __global uint *candidates, uint item) {
    if (item == 0) *counter = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = own == 0 ? 0 : atomic_add(counter, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) *base = *counter == 0 ? 0 : atomic_add(candidates, *counter);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *base + at;
}

bool is_allowed(__global const uint *allowed, uint restricted, uint doc_id) {
    return !restricted || (allowed[doc_id / 32] >> (doc_id % 32) & 1);
}

/* The documents of a segment: their ordinals in the index, by which those with equal scores are ordered. */
uint ordinal_of(__global const uint *arena, uint ordinals, uint base, uint doc_id) {
    return base + (ordinals == NONE ? doc_id : arena[(ulong)ordinals * ALIGNMENT + doc_id]);
}

uint4 candidate(ulong score, uint ordinal, uint doc_id) {
    return (uint4)((uint)score, (uint)(score >> 32), ordinal, doc_id);
}

/* Whether a candidate comes before another one. */
bool is_better(ulong score, uint ordinal, ulong other_score, uint other_ordinal) {
    return score > other_score || (score == other_score && ordinal < other_ordinal);
}

/* --- kernels ---
 * tables: for each query (first term, end of the terms with scores, scale as float, 0), and one more for the end; from
 * `terms_at` on for each term (place or NONE, weight as float, clause | EXCLUDES, place of the table).
 * states: STATE words for each query of the batch, then a histogram of ITEMS words for each. */

__global uint *histogram_of(__global uint *states, uint batch, uint query) {
    return states + STATE * batch + (ulong)query * ITEMS;
}

/* One work-group per query. Writes to order[query * tiles ..] the tiles that have postings, the index in the low 24 bits
 * and the bucket of their bound above, and their number to `sizes`. `bounds` has a byte for each. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void rank_tiles(__global const uint *arena, __global const uint4 *tables, uint terms_at, uint tiles,
                __global uchar *bounds, __global uint *order, __global uint *sizes) {
    __local uint starts[ITEMS];
    uint item = get_local_id(0);
    uint query = get_group_id(0);
    __global const uint4 *terms = tables + terms_at;
    uint first = tables[query].x, end = tables[query].y;
    float scale = as_float(tables[query].z);
    ulong row = (ulong)query * tiles;
    starts[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint tile = item; tile < tiles; tile += ITEMS) {
        ulong bound = 0;
        for (uint t = first; t < end; t++) {
            uint4 term = terms[t];
            if (term.x == NONE) continue;
            Postings list = postings_at(arena, term.x);
            uint range = tile >> (list.shift - TILE_LOG);
            __global const float *table = (__global const float *)(arena + (ulong)term.w * ALIGNMENT);
            bound += bound_of(list.maxima[range], as_float(term.y), scale, table);
        }
        uint bucket = bound == 0 ? NO_BUCKET : bucket_of(bound);
        bounds[row + tile] = (uchar)bucket;
        if (bucket != NO_BUCKET) atomic_inc(&starts[bucket]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint own = starts[item];
    barrier(CLK_LOCAL_MEM_FENCE);
    suffix_sums(starts, item);
    if (item == 0) sizes[query] = starts[0];
    uint start = starts[item] - own;
    barrier(CLK_LOCAL_MEM_FENCE);
    starts[item] = start;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint tile = item; tile < tiles; tile += ITEMS) {
        uint bucket = bounds[row + tile];
        if (bucket != NO_BUCKET) order[row + atomic_inc(&starts[bucket])] = bucket << 24 | tile;
    }
}

/* The postings of some terms in a tile, one term after the other. */
typedef struct {
    uint ends[TERMS_AT_ONCE]; /* postings of the terms up to each, with it */
    uint firsts[TERMS_AT_ONCE]; /* the index of the first posting in the list */
    uint places[TERMS_AT_ONCE];
    uint tables[TERMS_AT_ONCE];
    float weights[TERMS_AT_ONCE];
} Span;

/* Finds the postings of terms[from .. to], at most TERMS_AT_ONCE, in a range of the tile that begins at `start`. */
void open_span(__local Span *span, __global const uint *arena, __global const uint4 *terms, uint from, uint to,
               uint start, uint item) {
    if (item < to - from) {
        uint4 term = terms[from + item];
        uint count = 0;
        if (term.x != NONE) {
            Postings list = postings_at(arena, term.x);
            uint range = start >> list.shift;
            uint first = list.directory[range];
            count = list.directory[range + 1] - first;
            span->firsts[item] = first;
            span->places[item] = term.x;
            span->tables[item] = term.w;
            span->weights[item] = as_float(term.y);
        }
        span->ends[item] = count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        uint sum = 0;
        for (uint t = 0; t < to - from; t++) {
            sum += span->ends[t];
            span->ends[t] = sum;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* A work-item's way through a span. */
typedef struct {
    Postings list;
    __global const float *table;
    float weight;
    uint t; /* the term, plus 1 */
    uint end; /* where its postings end in the span */
    uint first; /* the index of its posting at 0 of the span */
} Walk;

/* The index of the posting at `at` in its list. Indices ascend. */
uint posting_at(Walk *walk, __local const Span *span, __global const uint *arena, uint at) {
    if (at >= walk->end) {
        uint t = walk->t;
        while (at >= span->ends[t]) t++;
        walk->list = postings_at(arena, span->places[t]);
        walk->table = (__global const float *)(arena + (ulong)span->tables[t] * ALIGNMENT);
        walk->weight = span->weights[t];
        walk->first = span->firsts[t] - (t == 0 ? 0 : span->ends[t - 1]);
        walk->end = span->ends[t];
        walk->t = t + 1;
    }
    return walk->first + at;
}

/* Adds to a sum of 64 bits, of which others add to as well. */
void add(__local uint *low, __local uint *high, ulong score) {
    uint more = (uint)score;
    uint carry = atomic_add(low, more) > ~more;
    uint above = (uint)(score >> 32) + carry;
    if (above != 0) atomic_add(high, above);
}

/* One work-group per tile and query: those of the queries' best tiles first, then those of their second best, and so on,
 * from rank `from_rank` on. If `counting`, no tile is skipped, and documents that match are counted. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void rank_any(__global const uint *arena, __global const uint4 *tables, uint terms_at, uint tiles,
              __global const uint *order, __global const uint *sizes, __global const uint *allowed, uint restricted,
              uint ordinals, uint base, __global uint *states, uint batch, __global uint4 *candidates, uint room, uint k,
              uint counting, uint from_rank) {
    __local uint low[TILE], high[TILE];
    __local uint found[ITEMS];
    __local Span span;
    __local uint least, tile, counter, reserved, reached;
    uint item = get_local_id(0);
    uint query = get_group_id(0) % batch;
    uint at_rank = from_rank + get_group_id(0) / batch;
    __global uint *state = states + STATE * query;
    if (item == 0) {
        least = ((volatile __global uint *)state)[THRESHOLD];
        tile = NONE;
        reached = 0;
        if (at_rank < sizes[query]) {
            uint entry = order[(ulong)query * tiles + at_rank];
            if (counting || entry >> 24 >= least) tile = entry & 0xFFFFFFu;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile != NONE) {
        __global const uint4 *terms = tables + terms_at;
        uint4 own = tables[query];
        uint start = tile << TILE_LOG;
        float scale = as_float(own.z);
        ulong worst_score = (ulong)state[WORST + 1] << 32 | state[WORST];
        uint worst_ordinal = state[WORST + 2];
        for (uint at = item; at < TILE; at += ITEMS) low[at] = high[at] = 0;
        found[item] = 0;
        /* All postings of all terms are added at once, so that none waits for another's. */
        for (uint from = own.x; from < own.y; from += TERMS_AT_ONCE) {
            uint to = min(from + TERMS_AT_ONCE, own.y);
            open_span(&span, arena, terms, from, to, start, item);
            uint end = span.ends[to - from - 1];
            Walk walk = {.t = 0, .end = 0};
            for (uint at = item; at < end; at += ITEMS) {
                uint posting = posting_at(&walk, &span, arena, at);
                uint within = walk.list.doc_ids[posting] - start;
                ulong score = score_at(&walk.list, posting, walk.weight, scale, walk.table);
                if (within < TILE) add(&low[within], &high[within], score);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        uint end = tables[query + 1].x;
        for (uint from = own.y; from < end; from += TERMS_AT_ONCE) {
            uint to = min(from + TERMS_AT_ONCE, end);
            open_span(&span, arena, terms, from, to, start, item);
            uint last = span.ends[to - from - 1];
            Walk walk = {.t = 0, .end = 0};
            for (uint at = item; at < last; at += ITEMS) {
                uint posting = posting_at(&walk, &span, arena, at);
                uint within = walk.list.doc_ids[posting] - start;
                if (within < TILE) low[within] = high[within] = 0;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        /* Documents that cannot be returned are forgotten; the others counted by bucket. */
        uint matching = 0, best = 0;
        for (uint at = item; at < TILE; at += ITEMS) {
            ulong score = (ulong)high[at] << 32 | low[at];
            if (score == 0) continue;
            uint bucket = bucket_of(score);
            bool reaches = bucket >= least && score >= worst_score;
            if (!reaches && !counting) {
                low[at] = high[at] = 0;
                continue;
            }
            bool counts = is_allowed(allowed, restricted, start + at);
            matching += counts;
            if (reaches && counts && score == worst_score) {
                reaches = ordinal_of(arena, ordinals, base, start + at) < worst_ordinal;
            }
            if (reaches && counts) {
                atomic_inc(&found[bucket]);
                best = max(best, bucket + 1);
            } else {
                low[at] = high[at] = 0;
            }
        }
        if (counting && matching != 0) atomic_add(&state[TOTAL], matching);
        if (best != 0) reached = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (reached) {
            raise_threshold(found, histogram_of(states, batch, query), &state[THRESHOLD], k, item, &least);
            uint reaching = 0;
            if (best > least) {
                for (uint at = item; at < TILE; at += ITEMS) {
                    reaching += (low[at] | high[at]) != 0 && bucket_of((ulong)high[at] << 32) >= least;
                }
            }
            uint to = reserve(reaching, &counter, &reserved, &state[CANDIDATES], item);
            if (reaching != 0) {
                for (uint at = item; at < TILE; at += ITEMS) {
                    ulong score = (ulong)high[at] << 32 | low[at];
                    if (score == 0 || bucket_of(score) < least) continue;
                    if (to < room) {
                        uint ordinal = ordinal_of(arena, ordinals, base, start + at);
                        candidates[(ulong)query * room + to] = candidate(score, ordinal, base + start + at);
                    }
                    to++;
                }
            }
        }
    }
}

/* One work-group per ITEMS * SPAN postings of a leading term. From tables[tasks_at] on for each task (first work-group,
 * query, term, 0), and one more for the end. The terms of a query stand clause by clause, the leading clause first. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void rank_all(__global const uint *arena, __global const uint4 *tables, uint terms_at, uint tasks_at, uint count_of_tasks,
              __global const uint *allowed, uint restricted, uint ordinals, uint base, __global uint *states, uint batch,
              __global uint4 *candidates, uint room, uint k, uint counting) {
    __local ulong rest[MOST_TERMS + 1]; /* what a term and those after it add at most */
    __local uint found[ITEMS];
    __local uint least, counter, reserved;
    uint item = get_local_id(0);
    __global const uint4 *terms = tables + terms_at;
    uint4 task = task_of(tables + tasks_at, count_of_tasks, get_group_id(0));
    uint query = task.y, lead = task.z;
    __global uint *state = states + STATE * query;
    uint4 own = tables[query];
    uint end = tables[query + 1].x;
    float scale = as_float(own.z);
    for (uint t = own.x + item; t < own.y; t += ITEMS) {
        uint4 term = terms[t];
        __global const float *table = (__global const float *)(arena + (ulong)term.w * ALIGNMENT);
        rest[t - own.x] = term.x == NONE ? 0 : bound_of(postings_at(arena, term.x).most, as_float(term.y), scale, table);
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
        uint doc_id = leading.doc_ids[at];
        if (!is_allowed(allowed, restricted, doc_id)) continue;
        uint4 term = terms[lead];
        uint clause = CLAUSE(term.z);
        __global const float *table = (__global const float *)(arena + (ulong)term.w * ALIGNMENT);
        ulong score = score_at(&leading, at, as_float(term.y), scale, table);
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
        if (!fits || !has_clause) continue;
        matching++;
        scores[s] = score;
        doc_ids[s] = doc_id;
        if (bucket_of(score) >= threshold) atomic_inc(&found[bucket_of(score)]);
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
