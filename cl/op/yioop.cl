/* Doc indexes of a Yioop posting list. Twin: src/yioop/format/scan/scalar.rs.
 *
 * A posting begins with a word whose top two bits are equal (11 or 00), and that word alone determines its doc index.
 * So each work-item decodes its words independently, and a work-group counts the postings of its words (`tile`) to
 * write them in order. */

#define TILE_WORDS (ITEMS * STRIPES * 4)

/* The Modified 9 layout by bits 24-29 of a word: the width of a value (bits 0-4), the bits of all values (8-12), and
 * 4096 / width rounded up (16-), a reciprocal for finding the value that a bit belongs to. */
#define LAYOUT(width, bits) ((width) | (bits) << 8 | ((4096 + (width) - 1) / (width)) << 16)

uint layout_of(uint prefix) {
    if (prefix < 16) return LAYOUT(28u, 28u);
    if (prefix < 32) return LAYOUT(14u, 28u);
    if (prefix < 48) return LAYOUT(9u, 27u);
    if (prefix < 52) return LAYOUT(6u, 24u);
    if (prefix < 56) return LAYOUT(5u, 25u);
    if (prefix < 60) return LAYOUT(4u, 24u);
    if (prefix < 62) return LAYOUT(3u, 21u);
    return prefix == 62 ? LAYOUT(2u, 24u) : LAYOUT(1u, 24u);
}

uint from_big_endian(uint word) {
    return as_uint(as_uchar4(word).wzyx);
}

bool begins_posting(uint word) {
    return ((word ^ (word << 1)) & 0x80000000u) == 0;
}

/* The first value is the highest one that is not 0. If its bit 27 is set, it also holds the first position, and bits 26
 * ... 9 are the doc index; otherwise the doc index is the value minus one. */
uint doc_index(uint word, __local const uint *layouts) {
    uint layout = layouts[(word >> 24) & 63];
    uint width = layout & 31;
    uint values = word & ((1u << ((layout >> 8) & 31)) - 1);
    uint highest = (31 - clz(values)) * (layout >> 16) >> 12;
    uint value = values >> (highest * width);
    return value >> 27 ? (value >> 9) & 0x3FFFF : value - 1;
}

/* `words` is a checked list of `count` big-endian words, readable up to the next multiple of TILE_WORDS. `total` counts
 * postings and so reserves pieces of `out`; `records` holds the offset and the number of each work-group's postings,
 * which are in order. With `offsets_too`, the byte offset of each posting is written to `offsets`. Work-groups of
 * ITEMS; local memory 18.3 KiB. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void yioop_doc_indexes(__global const uint4 *restrict words, uint count, __global uint *restrict out,
        uint offsets_too, __global uint *restrict offsets, __global uint *restrict total,
        __global uint2 *restrict records) {
    __local uint tile[TILE_WORDS];
    __local uint2 sums[ITEMS];
    __local uint layouts[64];
    __local uint place;
    uint item = get_local_id(0);
    uint group = get_group_id(0);
    if (item < 64) layouts[item] = layout_of(item);

    /* A work-item takes four words of each stripe. The counts of the four stripes are 16 bits each of a uint2. */
    uint word[STRIPES * 4];
    uint begins = 0;
    for (uint stripe = 0; stripe < STRIPES; stripe++) {
        uint at = group * (TILE_WORDS / 4) + stripe * ITEMS + item;
        uint4 four = words[at];
        word[4 * stripe] = from_big_endian(four.x);
        word[4 * stripe + 1] = from_big_endian(four.y);
        word[4 * stripe + 2] = from_big_endian(four.z);
        word[4 * stripe + 3] = from_big_endian(four.w);
        for (uint k = 0; k < 4; k++) {
            if (4 * at + k < count && begins_posting(word[4 * stripe + k])) begins |= 1u << (4 * stripe + k);
        }
    }
    uint2 mine = (uint2)(popcount(begins & 0xF) | popcount(begins & 0xF0) << 16,
        popcount(begins & 0xF00) | popcount(begins & 0xF000) << 16);
    sums[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < ITEMS; reach *= 2) {
        uint2 before = item >= reach ? sums[item - reach] : (uint2)(0, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint2 before = sums[item] - mine;
    uint2 whole = sums[ITEMS - 1];
    uint stripes[STRIPES] = {whole.x & 0xFFFF, whole.x >> 16, whole.y & 0xFFFF, whole.y >> 16};
    uint ranks[STRIPES] = {before.x & 0xFFFF, before.x >> 16, before.y & 0xFFFF, before.y >> 16};
    uint all = 0;
    for (uint stripe = 0; stripe < STRIPES; stripe++) {
        ranks[stripe] += all;
        all += stripes[stripe];
    }
    if (item == 0) {
        place = atomic_add(total, all);
        records[group] = (uint2)(place, all);
    }
    for (uint stripe = 0; stripe < STRIPES; stripe++) {
        uint rank = ranks[stripe];
        for (uint k = 0; k < 4; k++) {
            if ((begins >> (4 * stripe + k)) & 1) tile[rank++] = doc_index(word[4 * stripe + k], layouts);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < all; i += ITEMS) out[place + i] = tile[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (offsets_too) {
        for (uint stripe = 0; stripe < STRIPES; stripe++) {
            uint rank = ranks[stripe];
            uint at = group * TILE_WORDS + 4 * (stripe * ITEMS + item);
            for (uint k = 0; k < 4; k++) {
                if ((begins >> (4 * stripe + k)) & 1) tile[rank++] = 4 * (at + k);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (offsets_too) {
        for (uint i = item; i < all; i += ITEMS) offsets[place + i] = tile[i];
    }
}
