/* Posting lists in device memory, in the byte format of src/list/format.rs. Lists have been checked: counts, offsets
 * and payload are valid, and a list has at most 2^30 docIDs. It begins at a multiple of 16 words, and 32 words after it
 * are readable. If its codec derives the last docIDs of blocks, they follow its payload.
 *
 * src/device/codec.rs assembles a program for the codecs that it needs: this file; the operation's common part; for
 * each codec, its file in cl/codec/ and the operation's part for one codec, with CODEC defined as the codec's prefix;
 * then EACH_CODEC, dispatch.cl and the operation's kernels. Numbers shared with Rust are passed as -D options: BLOCK,
 * HEADER_WORDS, those of the operation, and for each codec <prefix>_RUN, <prefix>_STEP and <prefix>_LANES.
 *
 * Portable OpenCL C 1.2. No kernel may return before a barrier, not even all work-items together: PoCL 3.1 then runs
 * the rest with private values of other work-items. */

/* OF(name) is the name of a function, type or constant of the codec CODEC. */
#define JOIN_NAMES(prefix, name) prefix##_##name
#define NAME_OF(prefix, name) JOIN_NAMES(prefix, name)
#define OF(name) NAME_OF(CODEC, name)

/* A function that is called in so many places that compilers for CPUs take seconds to inline it. For GPUs all are inlined. */
#ifdef ON_CPU
#define OUT_OF_LINE __attribute__((noinline))
#else
#define OUT_OF_LINE
#endif

typedef struct {
    uint codec; /* the codec's number */
    uint parameter; /* the codec's parameter byte */
    uint count;
    uint blocks;
    __global const uint *own; /* the codec's own words */
    __global const uint *last; /* directory: the last docID of each block */
    __global const uint *start; /* directory: the word of the payload at which each block begins, if HAS_STARTS */
    __global const uint *payload;
    __global const uint *second; /* the second part of the payload, if there are two; set by the codec's `open` */
} List;

/* The last docID of the block before `block`; `none` if `block` is the first. */
uint previous_doc_id(const List *list, uint block, uint none) {
    return block == 0 ? none : list->last[block - 1];
}

/* The index of the first element of `sorted[from .. to]` that is at least `target`; `to` if there is none. The last
 * eight elements are compared at once, so that their loads need not wait for each other. */
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

/* The query of a work-group of a batch: the last q with first[q] <= group. */
uint query_of(__global const uint *first, uint queries, uint group) {
    return lower_bound(first, 0, queries, group + 1) - 1;
}

/* --- bits --- */

/* The 32 bits that begin at bit `position`. */
uint bits_from(__global const uint *words, uint position) {
    __global const uint *word = words + (position >> 5);
    return (uint)((((ulong)word[1] << 32) | word[0]) >> (position & 31));
}

/* The 64 bits that begin at bit `position`. */
ulong long_from(__global const uint *words, uint position) {
    __global const uint *word = words + (position >> 5);
    uint shift = position & 31;
    uint low = (uint)((((ulong)word[1] << 32) | word[0]) >> shift);
    uint high = (uint)((((ulong)word[2] << 32) | word[1]) >> shift);
    return ((ulong)high << 32) | low;
}

/* A mask of the low `width` bits, at most 32. */
uint low_mask(uint width) {
    return width == 0 ? 0 : ~0u >> (32 - width);
}

/* The field of `width` bits, at most 32, that begins at bit `position`. */
uint field_from(__global const uint *words, uint position, uint width) {
    return bits_from(words, position) & low_mask(width);
}

/* Four such fields, one after the other. */
uint4 fields_from(__global const uint *words, uint position, uint width) {
    uint mask = low_mask(width);
    uint4 fields;
    if (width <= 8) {
        uint bits = bits_from(words, position);
        fields.x = bits & mask;
        fields.y = (bits >> width) & mask;
        fields.z = (bits >> (2 * width)) & mask;
        fields.w = (bits >> (3 * width)) & mask;
    } else if (width <= 16) {
        uint bits = bits_from(words, position);
        uint more = bits_from(words, position + 2 * width);
        fields.x = bits & mask;
        fields.y = (bits >> width) & mask;
        fields.z = more & mask;
        fields.w = (more >> width) & mask;
    } else {
        ulong bits = long_from(words, position);
        ulong more = long_from(words, position + 2 * width);
        fields.x = (uint)bits & mask;
        fields.y = (uint)(bits >> width) & mask;
        fields.z = (uint)more & mask;
        fields.w = (uint)(more >> width) & mask;
    }
    return fields;
}

/* The four docIDs after `doc_id`, of whose gaps these are the values: each gap minus one. */
uint4 doc_ids_after(uint doc_id, uint4 values) {
    uint4 doc_ids;
    doc_ids.x = doc_id + values.x + 1;
    doc_ids.y = doc_ids.x + values.y + 1;
    doc_ids.z = doc_ids.y + values.z + 1;
    doc_ids.w = doc_ids.z + values.w + 1;
    return doc_ids;
}

/* The index of the lowest set bit of `word`, which must not be 0. */
uint lowest_bit(uint word) {
    return 31 - clz(word & -word);
}

/* The index of the set bit of `word` that has `rank` set bits below it. `word` has more than `rank` set bits. */
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
