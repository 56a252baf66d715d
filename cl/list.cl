/* What every kernel knows of a posting list: the byte format of src/list/format.rs, as it lies in device memory. Lists
 * come checked: counts, offsets and payload are right, a list has at most 2^30 docIDs, it begins at a multiple of 16
 * words, and 32 words after it are readable.
 *
 * A program is put together by src/device/codec.rs for the codecs that it needs: this file; then for each codec its
 * file in cl/codec/ and the operation's part for each codec, with CODEC defined as the codec's prefix; then EACH_CODEC,
 * dispatch.cl and the operation's kernels. Geometry comes from Rust as -D options: BLOCK, HEADER_WORDS, and for each
 * codec <prefix>_RUN, <prefix>_STEP and <prefix>_LANES.
 *
 * Portable OpenCL C 1.2. No kernel returns before a barrier, not even all work-items together: PoCL 3.1 then runs what
 * follows with private values of other work-items. */

/* The name of a codec's own function, type or constant. */
#define JOIN_NAMES(prefix, name) prefix##_##name
#define NAME_OF(prefix, name) JOIN_NAMES(prefix, name)
#define OF(name) NAME_OF(CODEC, name)

typedef struct {
    uint codec; /* its number */
    uint parameter; /* the byte of the header that is the codec's own */
    uint count;
    uint blocks;
    __global const uint *own; /* the codec's own words */
    __global const uint *last; /* directory: the last docID of each block */
    __global const uint *start; /* directory: the word of the payload at which each block begins, if the codec has that */
    __global const uint *payload;
    __global const uint *second; /* the second part of the payload, if the codec has two: set by its `open` */
} List;

/* The last docID before a block; `none` before the first. */
uint previous_doc_id(const List *list, uint block, uint none) {
    return block == 0 ? none : list->last[block - 1];
}

/* The first of `sorted[from .. to]` that is `target` or greater, `to` where there is none. The last steps are taken at
 * once, as their loads need not wait for each other. */
uint lower_bound(__global const uint *sorted, uint from, uint to, uint target) {
    while (to - from > 8) {
        uint middle = from + (to - from) / 2;
        if (sorted[middle] < target) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    uint below = 0;
    for (uint k = 0; k < 8; k++) {
        if (from + k < to) below += sorted[from + k] < target;
    }
    return from + below;
}

/* --- bits --- */

/* The 32 bits from bit `position` on. */
uint bits_from(__global const uint *words, uint position) {
    __global const uint *word = words + (position >> 5);
    return (uint)((((ulong)word[1] << 32) | word[0]) >> (position & 31));
}

/* Index of the lowest set bit of a word that has one. */
uint lowest_bit(uint word) {
    return 31 - clz(word & -word);
}

/* Index of the set bit of `word` before which `rank` others stand; `word` has more than `rank` set bits. */
uint select_bit(uint word, uint rank) {
    uint at = 0;
    for (uint span = 16; span != 0; span >>= 1) {
        uint below = popcount((word >> at) & ((1u << span) - 1));
        if (rank >= below) {
            rank -= below;
            at += span;
        }
    }
    return at;
}
