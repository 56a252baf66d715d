/* Gaps in BP128. Twin: src/codec/values/bp128/. A walk begins with a block. Bits are counted from the beginning of a lane;
 * each word of a lane is followed by the words of the three others. */

/* A walk over the docIDs of a block. */
typedef struct {
    __global const uint *packed; /* the block's words after its header */
    uint width;
    uint mask;
    uint doc_id; /* the latest docID */
} bp128_Walk;

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

bp128_Walk bp128_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    __global const uint *words = list->payload + list->start[block];
    bp128_Walk walk;
    walk.packed = words + 1;
    walk.width = words[0];
    walk.mask = low_mask(walk.width);
    walk.doc_id = previous_doc_id(list, block, ~0u);
    return walk;
}

uint bp128_next(const List *list, bp128_Walk *walk, uint rank) {
    uint within = rank % BLOCK;
    uint bit = within / 4 * walk->width;
    __global const uint *word = walk->packed + bit / 32 * 4 + within % 4;
    ulong bits = ((ulong)word[4] << 32) | word[0];
    walk->doc_id += ((uint)(bits >> (bit % 32)) & walk->mask) + 1;
    return walk->doc_id;
}

/* Four values are a row: one per lane. The next words of the lanes may be past the end of the list, where they are
 * readable, and add nothing then. */
uint4 bp128_next_four(const List *list, bp128_Walk *walk, uint rank) {
    uint bit = rank % BLOCK / 4 * walk->width;
    uint shift = bit % 32;
    uint4 low = vload4(bit / 32, walk->packed);
    uint4 high = vload4(bit / 32 + 1, walk->packed);
    /* In two steps, because a shift by 32 would be one by 0. */
    uint4 values = ((low >> shift) | ((high << 1) << (31 - shift))) & walk->mask;
    uint4 doc_ids = doc_ids_after(walk->doc_id, values);
    walk->doc_id = doc_ids.w;
    return doc_ids;
}
