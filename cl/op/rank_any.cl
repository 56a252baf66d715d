/* Ranked search, OR of many terms: tiles, best bounds first, scored in local memory. See rank_common.cl. */

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

/* A tile whose scores a work-group adds up. */
typedef struct {
    __local uint *low, *high; /* the sums of its documents */
    uint start;               /* its first document */
} Tile;

/* What is done with the postings of terms in a tile. */
typedef enum { ADD_SCORES, EXCLUDE } Purpose;

/* Adds the scores of all postings of terms[from .. end] in the tile, or forgets their documents. All of them are taken at
 * once, so that none waits for another's. */
void take_postings(Purpose purpose, Tile tile, __local Span *span, __global const uint *arena, __global const uint4 *terms,
                   uint from, uint end, float scale, uint item) {
    for (; from < end; from += TERMS_AT_ONCE) {
        uint to = min(from + TERMS_AT_ONCE, end);
        open_span(span, arena, terms, from, to, tile.start, item);
        uint last = span->ends[to - from - 1];
        Walk walk = {.t = 0, .end = 0};
        for (uint at = item; at < last; at += ITEMS) {
            uint posting = posting_at(&walk, span, arena, at);
            uint within = walk.list.doc_ids[posting] - tile.start;
            if (purpose == EXCLUDE) {
                if (within < TILE) tile.low[within] = tile.high[within] = 0;
            } else {
                ulong score = score_at(&walk.list, posting, walk.weight, scale, walk.table);
                if (within < TILE) add(&tile.low[within], &tile.high[within], score);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
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
    __local uint least, chosen, counter, reserved, reached;
    uint item = get_local_id(0);
    uint query = get_group_id(0) % batch;
    uint at_rank = from_rank + get_group_id(0) / batch;
    __global uint *state = states + STATE * query;
    if (item == 0) {
        least = ((volatile __global uint *)state)[THRESHOLD];
        chosen = NONE;
        reached = 0;
        if (at_rank < sizes[query]) {
            uint entry = order[(ulong)query * tiles + at_rank];
            if (counting || entry >> 24 >= least) chosen = entry & 0xFFFFFFu;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (chosen != NONE) {
        __global const uint4 *terms = tables + terms_at;
        uint4 own = tables[query];
        Tile tile = {.low = low, .high = high, .start = chosen << TILE_LOG};
        ulong worst_score = (ulong)state[WORST + 1] << 32 | state[WORST];
        uint worst_ordinal = state[WORST + 2];
        for (uint at = item; at < TILE; at += ITEMS) low[at] = high[at] = 0;
        found[item] = 0;
        float scale = as_float(own.z);
        take_postings(ADD_SCORES, tile, &span, arena, terms, own.x, own.y, scale, item);
        take_postings(EXCLUDE, tile, &span, arena, terms, own.y, tables[query + 1].x, scale, item);
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
            bool counts = is_allowed(allowed, restricted, tile.start + at);
            matching += counts;
            if (reaches && counts && score == worst_score) {
                reaches = ordinal_of(arena, ordinals, base, tile.start + at) < worst_ordinal;
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
                        uint ordinal = ordinal_of(arena, ordinals, base, tile.start + at);
                        candidates[(ulong)query * room + to] = candidate(score, ordinal, base + tile.start + at);
                    }
                    to++;
                }
            }
        }
    }
}
