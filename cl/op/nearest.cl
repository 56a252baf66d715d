/* The nearest vectors of each query of a batch: which rows may be among them, by bounds that hold for every vector.
 *
 * Vectors and queries are integers of 8 bits (src/vector/bytes.rs, src/vector/query.rs), so this is a product of two matrices, of
 * rows and of queries, with a comparison at its end: a row becomes a candidate of a query if the greatest closeness that it may have
 * reaches the query's threshold. The host computes the closenesses of candidates from the vectors themselves.
 *
 * - nearest_rows: a work-group of ITEMS = 256 takes 64 queries and, one after the other, some tiles of ROWS = 256 rows.
 * - nearest_best: the threshold of a query becomes the k-th greatest of the least closenesses that its candidates may have; those
 *   that do not reach it are dropped.
 *
 * The order of integers is that of the operands of NVIDIA's tensor cores (PTX: mma.m16n8k32), so that a work-item loads 16 bytes that
 * belong together, and neighbours load neighbouring ones. Per 16 rows, and per STEP = 32 dimensions:
 *
 *     128 words: 4 for each pair of g = 0..7 and t = 0..3, g first: rows g and g + 8 at dimensions 4t .., then at 16 + 4t ..
 *
 * and per 8 queries and 32 dimensions 64 words: 2 for each pair of a query and t, at dimensions 4t .. and 16 + 4t ..
 *
 * MMA = 1: products by tensor cores, through inline PTX; 2: the same by plain code, for tests of what surrounds it. With AHEAD the
 * rows of a step are loaded during the step before.
 * MMA = 0: each work-item makes 16 sums of products of 4 bytes: by DP4A through inline PTX (DOT = 1), or by plain code (DOT = 0).
 *
 * Padding: items have a multiple of ROWS rows, queries a multiple of QUERIES, dimensions a multiple of STEP; what is too much is zero.
 * Local memory: up to 34 KiB with MMA (CHUNK steps of 64 queries), 6 KiB without.
 * Twin in Rust: src/device/nearest/, and `Terms::bounds` in src/vector/query.rs. */

#define STEP_WORDS 8u /* words of a row in a step */
#define TILE_WORDS 128u /* words of 16 rows in a step */
#define QUERY_WORDS 64u /* words of 8 queries in a step */
#define WARP 32u
#define LEAST 1.17549435e-38f /* the least positive normal number */

/* The state of a query: STATE words. */
#define THRESHOLD 0u /* as a float */
#define COUNT 1u /* candidates so far, also those for which there was no room */
#define CROWDED 2u /* whether there were such */
#define BEGIN 3u /* where its candidates begin in `out` */

/* What is constant in a launch. */
typedef struct {
    __global const uint *codes;
    __global const float4 *factors; /* scale, rest, length, 0 of each row */
    uint rows; /* of the item */
    uint first; /* the row of the segment with which the item begins */
    uint segment;
    __global const uint *counting; /* which rows of the segment count, as bits */
    uint restricted; /* whether not all do */
    uint count; /* queries */
    __global uint *states;
    __global uint4 *candidates;
    uint room; /* for candidates of a query */
} Work;

/* What the closeness of a row is, give or take .y. */
float2 closeness(int sum, float4 factor, float4 terms) {
    float product = factor.x * (terms.x * convert_float(sum));
    float slack = factor.y * terms.y + (terms.z * factor.z + LEAST);
    return (float2)(product, slack);
}

/* The least (sign = -1) or the greatest (sign = 1) that it may be. */
float bound(float2 close, float4 factor, float4 terms, float sign) {
    float of = close.x + sign * close.y;
#if EUCLIDEAN
    float squares = terms.w + factor.z * factor.z;
    return 2.0f * of - squares + sign * OFF * squares;
#else
    return of;
#endif
}

/* Whether a row may be near enough. NaN may. */
bool reaches(int sum, float4 factor, float4 terms, float threshold) {
    return !(bound(closeness(sum, factor, terms), factor, terms, 1.0f) < threshold);
}

/* Makes a row a candidate, if there is such a row and such a query, and the row counts. */
void offer(const Work *work, int sum, float4 factor, float4 terms, uint row, uint query) {
    uint of_segment = work->first + row;
    if (row < work->rows && query < work->count &&
        (!work->restricted || (work->counting[of_segment / 32] >> (of_segment % 32) & 1u))) {
        float2 close = closeness(sum, factor, terms);
        float most = bound(close, factor, terms, 1.0f);
        float least = bound(close, factor, terms, -1.0f);
        uint at = atomic_inc(&work->states[STATE * query + COUNT]);
        if (at < work->room) {
            /* Comparisons are false for NaN. */
            most = most <= MAXFLOAT ? most : INFINITY;
            least = least >= -MAXFLOAT ? least : -INFINITY;
            work->candidates[(ulong)query * work->room + at] =
                (uint4)(of_segment, as_uint(most), as_uint(least), work->segment);
        }
    }
}

int dot4(uint a, uint b, int sum) {
#if DOT
    int result;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
    return result;
#else
    char4 x = as_char4(a), y = as_char4(b);
    return sum + x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
#endif
}

#if MMA

/* Adds the products of 16 rows and 8 queries at 32 dimensions to 4 sums of each of 32 work-items: with lane = 4 g + t, those of rows
 * g, g and g + 8, g + 8 and queries 2t, 2t + 1 and 2t, 2t + 1. */
void multiply(int *sums, uint4 a, uint2 b, __local uint *shared, uint item) {
#if MMA == 1
    int c0, c1, c2, c3;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
                 : "=r"(c0), "=r"(c1), "=r"(c2), "=r"(c3)
                 : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y),
                   "r"(sums[0]), "r"(sums[1]), "r"(sums[2]), "r"(sums[3]));
    sums[0] = c0;
    sums[1] = c1;
    sums[2] = c2;
    sums[3] = c3;
#else
    __local uint *own = shared + item / WARP * WARP * 6;
    uint lane = item % WARP;
    own[6 * lane] = a.x;
    own[6 * lane + 1] = a.y;
    own[6 * lane + 2] = a.z;
    own[6 * lane + 3] = a.w;
    own[6 * lane + 4] = b.x;
    own[6 * lane + 5] = b.y;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++) {
        uint query = 2 * (lane % 4) + i % 2;
        for (uint high = 0; high < 2; high++) {
            for (uint t = 0; t < 4; t++) {
                uint of_row = own[6 * (lane / 4 * 4 + t) + i / 2 + 2 * high];
                sums[i] = dot4(of_row, own[6 * (4 * query + t) + 4 + high], sums[i]);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

#define TILES (QUERIES / 8) /* of queries */

void rows_of(const Work *work, uint tile, uint end, uint query, __global const uint *queries,
             __local const float4 *terms, __local const float *thresholds, __local uint *shared, uint item) {
    __local uint *codes = shared;
    uint lane = item % WARP;
    bool loaded = false;
    for (; tile < end; tile++) {
        int sums[2][TILES][4];
        for (uint m = 0; m < 2; m++) {
            for (uint n = 0; n < TILES; n++) {
                for (uint i = 0; i < 4; i++) sums[m][n][i] = 0;
            }
        }
        uint row = tile * ROWS + item / WARP * 32;
        __global const uint4 *first = (__global const uint4 *)(work->codes + (ulong)row * STEPS * STEP_WORDS) + lane;
        __global const uint4 *second = first + STEPS * TILE_WORDS / 4;
        for (uint begin = 0; begin < STEPS; begin += CHUNK) {
            uint steps = min(CHUNK, STEPS - begin);
            if (STEPS > CHUNK || !loaded) {
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint at = item; at < TILES * steps * QUERY_WORDS; at += ITEMS) {
                    uint n = at / (steps * QUERY_WORDS);
                    uint within = at % (steps * QUERY_WORDS);
                    codes[n * CHUNK * QUERY_WORDS + within] =
                        queries[((ulong)(query / 8 + n) * STEPS + begin) * QUERY_WORDS + within];
                }
                loaded = true;
                barrier(CLK_LOCAL_MEM_FENCE);
            }
#if AHEAD
            uint4 next_a = first[begin * TILE_WORDS / 4];
            uint4 next_b = second[begin * TILE_WORDS / 4];
#endif
            for (uint step = 0; step < steps; step++) {
#if AHEAD
                uint4 a = next_a, b = next_b;
                uint next = begin + min(step + 1, steps - 1);
                next_a = first[next * TILE_WORDS / 4];
                next_b = second[next * TILE_WORDS / 4];
#else
                uint4 a = first[(begin + step) * TILE_WORDS / 4];
                uint4 b = second[(begin + step) * TILE_WORDS / 4];
#endif
#if MMA == 1
#pragma unroll
#endif
                for (uint n = 0; n < TILES; n++) {
                    uint2 q = vload2(lane, codes + (n * CHUNK + step) * QUERY_WORDS);
                    multiply(sums[0][n], a, q, shared + TILES * CHUNK * QUERY_WORDS, item);
                    multiply(sums[1][n], b, q, shared + TILES * CHUNK * QUERY_WORDS, item);
                }
            }
        }
        row += lane / 4;
        float4 factors[4];
        for (uint i = 0; i < 4; i++) factors[i] = work->factors[row + 8 * i];
#pragma unroll
        for (uint n = 0; n < TILES; n++) {
#pragma unroll
            for (uint j = 0; j < 2; j++) {
                uint of = 8 * n + 2 * (lane % 4) + j;
                float4 own = terms[of];
                float threshold = thresholds[of];
#pragma unroll
                for (uint i = 0; i < 4; i++) {
                    int sum = sums[i / 2][n][2 * (i % 2) + j];
                    if (reaches(sum, factors[i], own, threshold)) {
                        offer(work, sum, factors[i], own, row + 8 * i, query + of);
                    }
                }
            }
        }
    }
}

#if MMA == 1
#define SHARED (TILES * CHUNK * QUERY_WORDS)
#else
#define SHARED (TILES * CHUNK * QUERY_WORDS + 6 * ITEMS)
#endif

#else

#define SHARED (2 * STEP_WORDS * (64 + 1))

/* 64 rows at a time: each work-item has 4 of them, and 4 of the queries. */
void rows_of(const Work *work, uint tile, uint end, uint query, __global const uint *queries,
             __local const float4 *terms, __local const float *thresholds, __local uint *shared, uint item) {
    __local uint *of_rows = shared;
    __local uint *of_queries = shared + STEP_WORDS * (64 + 1);
    uint x = item % 16, y = item / 16;
    for (uint row = tile * ROWS; row < end * ROWS; row += 64) {
        int sums[4][4];
        for (uint i = 0; i < 4; i++) {
            for (uint j = 0; j < 4; j++) sums[i][j] = 0;
        }
        for (uint step = 0; step < STEPS; step++) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint at = item; at < 4 * TILE_WORDS; at += ITEMS) {
                uint m = at / TILE_WORDS, lane = at % TILE_WORDS / 4, i = at % 4;
                of_rows[(lane % 4 + 4 * (i / 2)) * 65 + 16 * m + lane / 4 + 8 * (i % 2)] =
                    work->codes[((ulong)(row / 16 + m) * STEPS + step) * TILE_WORDS + at % TILE_WORDS];
            }
            for (uint at = item; at < 8 * QUERY_WORDS; at += ITEMS) {
                uint n = at / QUERY_WORDS, lane = at % QUERY_WORDS / 2;
                of_queries[(lane % 4 + 4 * (at % 2)) * 65 + 8 * n + lane / 4] =
                    queries[((ulong)(query / 8 + n) * STEPS + step) * QUERY_WORDS + at % QUERY_WORDS];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint word = 0; word < STEP_WORDS; word++) {
                uint a[4], b[4];
                for (uint i = 0; i < 4; i++) {
                    a[i] = of_rows[word * 65 + y + 16 * i];
                    b[i] = of_queries[word * 65 + x + 16 * i];
                }
                for (uint i = 0; i < 4; i++) {
                    for (uint j = 0; j < 4; j++) sums[i][j] = dot4(a[i], b[j], sums[i][j]);
                }
            }
        }
        for (uint i = 0; i < 4; i++) {
            float4 factor = work->factors[row + y + 16 * i];
            for (uint j = 0; j < 4; j++) {
                uint of = x + 16 * j;
                if (reaches(sums[i][j], factor, terms[of], thresholds[of])) {
                    offer(work, sums[i][j], factor, terms[of], row + y + 16 * i, query + of);
                }
            }
        }
    }
}

#endif

/* Tiles `from` to `to` of an item at `place` of the cache, `per_group` of them by a work-group, and QUERIES queries. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void nearest_rows(__global const uint *cache, uint place, uint rows, uint first, uint segment, uint from, uint to, uint per_group,
                  __global const uint *queries, __global const float4 *terms, uint count, __global uint *states,
                  __global uint4 *candidates, uint room, __global const uint *counting, uint bits, uint restricted) {
    __local uint shared[SHARED];
    __local float4 own_terms[QUERIES];
    __local float thresholds[QUERIES];
    uint item = get_local_id(0);
    uint of_queries = (count + QUERIES - 1) / QUERIES;
    uint query = get_group_id(0) % of_queries * QUERIES;
    uint tile = from + get_group_id(0) / of_queries * per_group;
    if (item < QUERIES) {
        own_terms[item] = terms[query + item];
        thresholds[item] = as_float(states[STATE * (query + item) + THRESHOLD]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    Work work;
    work.codes = cache + (ulong)place * ALIGNMENT;
    work.factors = (__global const float4 *)(work.codes + (ulong)((rows + ROWS - 1) / ROWS) * ROWS * STEPS * STEP_WORDS);
    work.rows = rows;
    work.first = first;
    work.segment = segment;
    work.counting = counting + bits;
    work.restricted = restricted;
    work.count = count;
    work.states = states;
    work.candidates = candidates;
    work.room = room;
    rows_of(&work, tile, min(tile + per_group, to), query, queries, own_terms, thresholds, shared, item);
}

/* Ascending with the float. */
uint key_of(uint bits) {
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

uint bits_of(uint key) {
    return key >> 31 ? key & 0x7FFFFFFFu : ~key;
}

/* One work-group per query. At the end (`last`) moves candidates to `out`, one query after the other in no order, which has room for
 * all, and counts them in `total`. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void nearest_best(__global uint *states, __global uint4 *candidates, uint room, uint k, uint last, __global uint *total,
                  __global uint4 *out) {
    __local uint found[256];
    __local uint shared[3];
    uint item = get_local_id(0);
    uint query = get_group_id(0);
    __global uint *state = states + STATE * query;
    __global uint4 *own = candidates + (ulong)query * room;
    uint all = state[COUNT];
    uint count = min(all, room);
    uint least = key_of(state[THRESHOLD]);
    /* The k-th greatest key, byte by byte: `chosen` are those that are known, `rank` counts among keys that begin with them. */
    uint chosen = 0, rank = k;
    for (uint byte = 0; byte < 4 && count >= k; byte++) {
        uint shift = 24 - 8 * byte;
        found[item] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint at = item; at < count; at += ITEMS) {
            uint key = key_of(own[at].z);
            if (byte == 0 || key >> (shift + 8) == chosen >> (shift + 8)) atomic_inc(&found[key >> shift & 0xFFu]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            uint value = 255;
            uint left = rank;
            while (value > 0 && found[value] < left) {
                left -= found[value];
                value--;
            }
            shared[0] = value;
            shared[1] = left;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        chosen |= shared[0] << shift;
        rank = shared[1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (count >= k) least = max(least, chosen);
    if (item == 0) shared[2] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint first = 0; first < count; first += ITEMS) {
        uint4 candidate = (uint4)(0, 0, 0, 0);
        bool stays = first + item < count;
        if (stays) {
            candidate = own[first + item];
            stays = key_of(candidate.y) >= least;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (stays) own[atomic_inc(&shared[2])] = candidate;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    uint kept = shared[2];
    if (item == 0) {
        shared[0] = last ? atomic_add(total, kept) : 0;
        state[THRESHOLD] = bits_of(least);
        state[COUNT] = kept;
        state[CROWDED] |= all > room ? 1u : 0u;
        state[BEGIN] = shared[0];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint begin = shared[0];
    for (uint at = item; last && at < kept; at += ITEMS) out[begin + at] = own[at];
}
