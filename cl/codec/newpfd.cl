/* Gaps in NewPFD and OptPFD, whose lists are the same. Twin: src/codec/values/newpfd/. Comes after simple16_words.cl,
 * with CODEC defined. A walk begins with a block. */

/* A walk over the docIDs of a block. */
typedef struct {
    __global const uint *slots;
    uint width; /* of the slots */
    uint doc_id; /* the latest docID */
    uint exception; /* the position of the next exception; ~0 if there is none */
    uint left; /* exceptions after it */
    simple16_Cursor positions;
    simple16_Cursor highs;
} OF(Walk);

OF(Walk) OF(walk)(const List *list, uint rank) {
    uint block = rank / BLOCK;
    uint count = min(BLOCK, list->count - rank);
    __global const uint *words = list->payload + list->start[block];
    uint header = words[0];
    uint exceptions = (header >> 6) & 255;
    OF(Walk) walk = {0};
    walk.slots = words + 1;
    walk.width = header & 63;
    walk.doc_id = previous_doc_id(list, block, ~0u);
    walk.exception = ~0u;
    if (exceptions != 0) {
        walk.positions.next = walk.slots + (count * walk.width + 31) / 32;
        walk.highs.next = walk.positions.next + (header >> 14);
        walk.exception = simple16_value(&walk.positions);
        walk.left = exceptions - 1;
    }
    return walk;
}

/* The bits above the slot of the next exception, in their place; moves on to the exception after it. */
uint OF(high)(OF(Walk) *walk) {
    uint high = (simple16_value(&walk->highs) + 1) << walk->width;
    if (walk->left != 0) {
        walk->exception += simple16_value(&walk->positions) + 1;
        walk->left--;
    } else {
        walk->exception = ~0u;
    }
    return high;
}

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

uint OF(next)(const List *list, OF(Walk) *walk, uint rank) {
    uint within = rank % BLOCK;
    uint value = field_from(walk->slots, within * walk->width, walk->width);
    if (walk->exception == within) value |= OF(high)(walk);
    walk->doc_id += value + 1;
    return walk->doc_id;
}

uint4 OF(next_four)(const List *list, OF(Walk) *walk, uint rank) {
    uint within = rank % BLOCK;
    uint4 values = fields_from(walk->slots, within * walk->width, walk->width);
    while (walk->exception < within + 4) {
        uint at = walk->exception - within;
        uint high = OF(high)(walk);
        values.x |= at == 0 ? high : 0;
        values.y |= at == 1 ? high : 0;
        values.z |= at == 2 ? high : 0;
        values.w |= at == 3 ? high : 0;
    }
    uint4 doc_ids = doc_ids_after(walk->doc_id, values);
    walk->doc_id = doc_ids.w;
    return doc_ids;
}
