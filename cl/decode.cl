/* Decoding whole lists to docIDs. Twins: src/codec/{quasi_succinct,simple9}/mod.rs, `scalar`.
 *
 * A work-item walks its docIDs one after the other, so that no prefix sum is needed. What it finds goes to a tile of
 * local memory, a few docIDs a work-item, from which the work-group writes whole segments. Tiles are small so that much
 * of the multiprocessor's fast memory is left to be cache: measured on an H200, quasi-succinct lists decode at 730
 * instead of 620 G docIDs/s with 16 docIDs instead of 32; Simple-9, of which a work-item takes four times as many, is
 * best with 32.
 *
 * Work-groups of ITEMS; local memory 4 or 8 KiB. `out` has room for the list's docIDs and is aligned to 16 bytes. */

#define ITEMS 64u
#define QS_STEP 16u
#define SIMPLE9_STEP 32u

/* Place of four docIDs of a work-item in a tile of `fours` such a work-item, turned so that eight neighbours meet no
 * bank twice. */
uint tile_index(uint item, uint four, uint fours) {
    return item * fours + (four ^ (item * fours / 8 % fours));
}

/* Writes those of four docIDs, of which the first has rank `rank`, that the list has. */
void write_four(__global uint *out, uint rank, uint count, uint4 four) {
    if (rank + 4 <= count) {
        *(__global uint4 *)(out + rank) = four;
    } else {
        if (rank < count) out[rank] = four.x;
        if (rank + 1 < count) out[rank + 1] = four.y;
        if (rank + 2 < count) out[rank + 2] = four.z;
    }
}

/* A quasi-succinct list, one run a work-item. The lower bits join when the tile is written. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void qs_decode(__global const uint *restrict arena, ulong offset, __global uint *restrict out) {
    __local uint4 tile[ITEMS * QS_STEP / 4];
    const uint fours = QS_STEP / 4;
    List list = list_at(arena + offset);
    uint item = get_local_id(0);
    uint first_run = get_group_id(0) * ITEMS;
    uint rank = (first_run + item) * RUN;
    uint position = rank < list.count ? upper_position(&list, rank / BLOCK, rank % BLOCK) : 0;
    for (uint step = 0; step < RUN; step += QS_STEP) {
        uint from = rank + step;
        if (from + QS_STEP <= list.count) {
            #pragma unroll
            for (uint four = 0; four < fours; four++) {
                tile[tile_index(item, four, fours)] = next_four(list.upper, &position, from + 4 * four);
            }
        } else {
            for (uint at = from; at < list.count; at++) {
                position = next_stop(list.upper, position);
                uint k = at - from;
                ((__local uint *)&tile[tile_index(item, k / 4, fours)])[k % 4] = position - at;
                position++;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint i = item; i < ITEMS * fours; i += ITEMS) {
            uint run = i / fours;
            uint within = step + i % fours * 4;
            uint at = (first_run + run) * RUN + within;
            if (at < list.count) {
                __global const uint *lower = run_lower(&list, first_run + run);
                uint4 parts = tile[tile_index(run, i % fours, fours)];
                write_four(out, at, list.count, with_lower(parts, lower, within * list.lower_width, list.lower_width));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* A Simple-9 list, one block a work-item. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void simple9_decode(__global const uint *restrict arena, ulong offset, __global uint *restrict out) {
    __local uint4 tile[ITEMS * SIMPLE9_STEP / 4];
    const uint fours = SIMPLE9_STEP / 4;
    List list = list_at(arena + offset);
    uint item = get_local_id(0);
    uint first_block = get_group_id(0) * ITEMS;
    uint block = first_block + item;
    uint left = 0;
    Simple9Walk walk = simple9_walk(list.payload, 0);
    if (block < list.blocks) {
        left = min(BLOCK, list.count - block * BLOCK);
        walk = simple9_block(&list, block);
    }
    for (uint step = 0; step < BLOCK; step += SIMPLE9_STEP) {
        #pragma unroll
        for (uint four = 0; four < fours; four++) {
            uint doc_ids[4];
            #pragma unroll
            for (uint k = 0; k < 4; k++) {
                doc_ids[k] = 0;
                if (step + 4 * four + k < left) doc_ids[k] = simple9_next(&walk);
            }
            tile[tile_index(item, four, fours)] = (uint4)(doc_ids[0], doc_ids[1], doc_ids[2], doc_ids[3]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint i = item; i < ITEMS * fours; i += ITEMS) {
            uint at = (first_block + i / fours) * BLOCK + step + i % fours * 4;
            if (at < list.count) write_four(out, at, list.count, tile[tile_index(i / fours, i % fours, fours)]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Raw Simple-9 words, `chunk` of them a work-item. `directory`: for each chunk the rank of its first docID and the
 * docID before it, which the check of the words has found. */
__kernel void simple9_words(__global const uint *restrict words, uint count, uint chunk,
        __global const uint2 *restrict directory, __global uint *restrict out) {
    uint first = get_global_id(0) * chunk;
    if (first < count) {
        uint2 entry = directory[get_global_id(0)];
        __global const uint *end = words + min(first + chunk, count);
        __global uint *to = out + entry.x;
        Simple9Walk walk = simple9_walk(words + first, entry.y);
        while (walk.next < end || walk.left >= walk.width) *to++ = simple9_next(&walk);
    }
}
