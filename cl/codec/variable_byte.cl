/* Gaps in variable bytes. Twin: src/codec/values/variable_byte/. A walk begins with a block. */

/* A walk over the docIDs of a block. */
typedef struct {
    __global const uint *control; /* the word that holds the next value's length */
    __global const uint *data;
    uint bit; /* the bit of the data at which the next value begins */
    uint doc_id; /* the latest docID */
} variable_byte_Walk;

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

variable_byte_Walk variable_byte_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    variable_byte_Walk walk;
    walk.control = list->payload + list->start[block];
    walk.data = walk.control + (min(BLOCK, list->count - rank) + 15) / 16;
    walk.bit = 0;
    walk.doc_id = previous_doc_id(list, block, ~0u);
    return walk;
}

uint variable_byte_next(const List *list, variable_byte_Walk *walk, uint rank) {
    uint within = rank % BLOCK;
    uint bytes = (walk->control[within / 16] >> (2 * (within % 16))) & 3;
    uint value = bits_from(walk->data, walk->bit) & (~0u >> (24 - 8 * bytes));
    walk->bit += 8 * bytes + 8;
    walk->doc_id += value + 1;
    return walk->doc_id;
}

/* The lengths of four values are in one byte. It is mostly 0: each value has one byte, and one load gets all four. */
uint4 variable_byte_next_four(const List *list, variable_byte_Walk *walk, uint rank) {
    uint within = rank % BLOCK;
    uint lengths = (walk->control[within / 16] >> (2 * (within % 16))) & 0xFF;
    uint4 doc_ids;
    if (lengths == 0) {
        uint bytes = bits_from(walk->data, walk->bit);
        walk->bit += 32;
        doc_ids.x = walk->doc_id + 1 + (bytes & 0xFF);
        doc_ids.y = doc_ids.x + 1 + ((bytes >> 8) & 0xFF);
        doc_ids.z = doc_ids.y + 1 + ((bytes >> 16) & 0xFF);
        doc_ids.w = doc_ids.z + 1 + (bytes >> 24);
        walk->doc_id = doc_ids.w;
    } else {
        doc_ids.x = variable_byte_next(list, walk, rank);
        doc_ids.y = variable_byte_next(list, walk, rank + 1);
        doc_ids.z = variable_byte_next(list, walk, rank + 2);
        doc_ids.w = variable_byte_next(list, walk, rank + 3);
    }
    return doc_ids;
}
