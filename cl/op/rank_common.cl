/* Ranked search: the best documents of each query of a batch, exactly as the CPU ranks them (src/rank/).
 *
 * Lists are in the tiled form: cl/tiled.cl. A score is a sum of `float`s, as on the CPU; it is kept as an integer
 * of 63 bits, a fixed-point number whose unit is the query's own. Such sums are exact and do not depend on the order, so
 * scores, ties and the order of hits are those of the CPU.
 *
 * A query's *threshold* rises while it is searched: the work-groups count its documents in 256 buckets by score, and when
 * a bucket and those above it have k documents, only documents of these can be hits. What cannot reach the threshold is
 * skipped: lists, or tiles, by the maxima of their postings (as block-max ranges on the CPU), documents by what the remaining
 * lists can add. What reaches it becomes a candidate. rank_best leaves the best k candidates; it runs at the end, and a few times
 * before, when a batch is large: from then on a candidate must be better than the worst of these, to the last bit and the
 * ordinal, so that many documents with equal scores do not all become candidates.
 *
 * - rank_max_score (OR of few terms, rank_max_score.cl): postings of the terms that can add most lead, as long as their terms
 *   and those after them can reach the threshold together (MaxScore: Turtle, Flood 1995). A posting is looked up in the other
 *   lists only if it reaches the threshold with all that these can add.
 * - rank_count (the same, rank_count.cl): counts the documents that match, if that is asked for, as bits in local memory.
 * - rank_tiles (rank_any.cl): for each query, the tiles of 2^TILE_LOG documents, those that can have the highest scores first.
 * - rank_any (OR of many terms, rank_any.cl): a work-group scores a tile of a query in local memory (Ding et al. 2009, 5.2, has
 *   one accumulator per document of the collection in global memory; a tile's stay within the multiprocessor).
 * - rank_all (AND, rank_all.cl): a work-item takes a posting of the rarest term, and looks its document up in the other lists, by
 *   bucket and binary search; codes are read for what was found (section 8.1).
 * - rank_best (rank_best.cl): the best k, in order.
 *
 * Work-groups of ITEMS = 256. */

#define TILE (1u << TILE_LOG)
#define NO_BUCKET 255u

/* The state of a query: STATE words. */
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
    return quotient(frequency, frequency + table[TABLE + (code & 0xFFu)]);
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

/* --- what kernels are given ---
 * tables: for each query (first term, end of the terms with scores, scale as float, 0), and one more for the end; from
 * `terms_at` on for each term (place or NONE, weight as float, clause | EXCLUDES, place of the table).
 * states: STATE words for each query of the batch, then a histogram of ITEMS words for each. */

__global uint *histogram_of(__global uint *states, uint batch, uint query) {
    return states + STATE * batch + (ulong)query * ITEMS;
}
