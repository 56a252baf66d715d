/* The parts of intersect.cl that depend on the codec. Included once per codec, with CODEC defined. */

/* Decodes consecutive blocks to local memory. Called by all work-items of a work-group of BLOCK, which must reach a
 * barrier before they read the result. LANES work-items decode a block together. */
void OF(decode_blocks)(const List *list, uint first_block, uint blocks, __local uint *doc_ids) {
    uint item = get_local_id(0);
    uint share = BLOCK / OF(LANES);
    uint within = item % OF(LANES) * share;
    for (uint k = item / OF(LANES); k < blocks; k += BLOCK / OF(LANES)) {
        uint rank = (first_block + k) * BLOCK + within;
        __local uint *to = doc_ids + k * BLOCK + within;
        if (rank < list->count) {
            OF(Walk) walk = OF(walk)(list, rank);
            if (rank + share <= list->count) {
                for (uint i = 0; i < share; i += 4) {
                    uint4 four = OF(next_four)(list, &walk, rank + i);
                    vstore4(OF(finish_four)(list, four, rank + i), 0, to + i);
                }
            } else {
                for (; rank < list->count; rank++) *to++ = OF(finish)(list, OF(next)(list, &walk, rank), rank);
            }
        }
    }
}

/* Marks the docIDs of blocks `from` to `to` that lie in the tile. Called by all work-items of a work-group. */
void OF(mark_blocks)(const List *list, uint from, uint to, const Marks *marks) {
    uint runs = min(to * (BLOCK / OF(RUN)), (list->count + (OF(RUN) - 1)) / OF(RUN));
    for (uint run = from * (BLOCK / OF(RUN)) + get_local_id(0); run < runs; run += TILE_ITEMS) {
        uint rank = run * OF(RUN);
        OF(Walk) walk = OF(walk)(list, rank);
        if (rank + OF(RUN) <= list->count) {
            for (uint k = 0; k < OF(RUN); k += 4) {
                uint4 four = OF(finish_four)(list, OF(next_four)(list, &walk, rank + k), rank + k);
                mark(marks, four.x);
                mark(marks, four.y);
                mark(marks, four.z);
                mark(marks, four.w);
            }
        } else {
            for (; rank < list->count; rank++) mark(marks, OF(finish)(list, OF(next)(list, &walk, rank), rank));
        }
    }
}
