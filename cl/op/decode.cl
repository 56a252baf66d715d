/* Decodes whole lists to docIDs, with a separate program for each codec. Twins: the `scalar` files of the codecs in
 * src/codec/.
 *
 * Each work-item decodes a run of docIDs in sequence, so no prefix sum is needed. It stores STEP docIDs at a time in
 * local memory (`tile`), from which the work-group writes contiguous segments. STEP is small so that most of the
 * multiprocessor's fast memory remains available as cache: on an H200, quasi-succinct lists decode at 730 G docIDs/s
 * with a STEP of 16 and at 620 with 32. Simple-9, whose runs are four times as long, is fastest with 32.
 *
 * Work-groups of ITEMS; local memory 4 * ITEMS * STEP bytes. `out` has room for the list's docIDs and is aligned to 16
 * bytes. */

#define FOURS (OF(STEP) / 4)

/* Where four docIDs of a work-item are kept in the tile. Rows are permuted so that eight neighbouring work-items
 * access different banks. */
uint tile_index(uint item, uint four) {
    return item * FOURS + (four ^ (item * FOURS / 8 % FOURS));
}

/* Writes those of the four docIDs from rank `rank` on that the list has. */
void write_four(__global uint *out, uint rank, uint count, uint4 four) {
    if (rank + 4 <= count) {
        *(__global uint4 *)(out + rank) = four;
    } else {
        if (rank < count) out[rank] = four.x;
        if (rank + 1 < count) out[rank + 1] = four.y;
        if (rank + 2 < count) out[rank + 2] = four.z;
    }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void decode(__global const uint *restrict arena, ulong offset, __global uint *restrict out) {
    __local uint4 tile[ITEMS * FOURS];
    List list = list_at(arena + offset);
    uint item = get_local_id(0);
    uint first_run = get_group_id(0) * ITEMS;
    uint rank = (first_run + item) * OF(RUN);
    OF(Walk) walk = {0};
    if (rank < list.count) walk = OF(walk)(&list, rank);
    for (uint step = 0; step < OF(RUN); step += OF(STEP)) {
        uint from = rank + step;
        if (from + OF(STEP) <= list.count) {
            #pragma unroll
            for (uint four = 0; four < FOURS; four++) {
                tile[tile_index(item, four)] = OF(next_four)(&list, &walk, from + 4 * four);
            }
        } else {
            for (uint at = from; at < list.count; at++) {
                uint k = at - from;
                ((__local uint *)&tile[tile_index(item, k / 4)])[k % 4] = OF(next)(&list, &walk, at);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint i = item; i < ITEMS * FOURS; i += ITEMS) {
            uint run = i / FOURS;
            uint at = (first_run + run) * OF(RUN) + step + i % FOURS * 4;
            if (at < list.count) {
                uint4 four = tile[tile_index(run, i % FOURS)];
                write_four(out, at, list.count, OF(finish_four)(&list, four, at));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
