/* Gaps in PForDelta. Twin: src/codec/values/pfordelta/. A walk begins with a block. */

/* Arrays of exceptions are read one number at a time. There is no recursion in OpenCL C, so each level has functions of
 * its own, made by PFORDELTA_LEVEL of those of the level below:
 *
 * pfordelta_end_k(words, at, count, positions)         the bit after an array of `count` numbers that begins at bit `at`
 * pfordelta_get_k(words, at, count, positions, rank)   its number `rank`
 *
 * `positions` is 1 for an array of positions, 0 for one of bits above the slots. */

uint pfordelta_end_0(__global const uint *words, uint at, uint count, uint positions) {
    return at + count * (positions ? 8 : 32);
}

uint pfordelta_get_0(__global const uint *words, uint at, uint count, uint positions, uint rank) {
    return positions ? field_from(words, at + rank * 8, 8) : bits_from(words, at + rank * 32);
}

/* The header of an array of level 1 or above. */
typedef struct {
    uint width; /* of the slots */
    uint exceptions;
    uint slots_at; /* the bit at which the slots begin */
} pfordelta_Array;

pfordelta_Array pfordelta_array(__global const uint *words, uint at, uint count, uint positions) {
    uint width_bits = positions ? 3 : 6;
    uint exceptions_bits = 32 - clz(count);
    uint header = bits_from(words, at);
    pfordelta_Array array;
    array.width = header & low_mask(width_bits);
    array.exceptions = (header >> width_bits) & low_mask(exceptions_bits);
    array.slots_at = at + width_bits + exceptions_bits;
    return array;
}

#define PFORDELTA_LEVEL(level, below) \
uint pfordelta_end_##level(__global const uint *words, uint at, uint count, uint positions) { \
    pfordelta_Array array = pfordelta_array(words, at, count, positions); \
    uint end = array.slots_at + count * array.width; \
    if (array.exceptions != 0) { \
        end = pfordelta_end_##below(words, end, array.exceptions, 1); \
        end = pfordelta_end_##below(words, end, array.exceptions, positions); \
    } \
    return end; \
} \
uint pfordelta_get_##level(__global const uint *words, uint at, uint count, uint positions, uint rank) { \
    pfordelta_Array array = pfordelta_array(words, at, count, positions); \
    uint value = field_from(words, array.slots_at + rank * array.width, array.width); \
    if (array.exceptions != 0) { \
        uint inner = array.slots_at + count * array.width; \
        uint exception = ~0u; \
        uint k = 0; \
        while (k < array.exceptions && (exception == ~0u || exception < rank)) { \
            exception += pfordelta_get_##below(words, inner, array.exceptions, 1, k) + 1; \
            k++; \
        } \
        if (exception == rank) { \
            uint highs = pfordelta_end_##below(words, inner, array.exceptions, 1); \
            uint high = pfordelta_get_##below(words, highs, array.exceptions, positions, k - 1); \
            value |= (high + 1) << array.width; \
        } \
    } \
    return value; \
}

PFORDELTA_LEVEL(1, 0)
PFORDELTA_LEVEL(2, 1)
PFORDELTA_LEVEL(3, 2)
PFORDELTA_LEVEL(4, 3)

uint pfordelta_end(uint level, __global const uint *words, uint at, uint count, uint positions) {
    switch (level) {
        case 0: return pfordelta_end_0(words, at, count, positions);
        case 1: return pfordelta_end_1(words, at, count, positions);
        case 2: return pfordelta_end_2(words, at, count, positions);
        case 3: return pfordelta_end_3(words, at, count, positions);
        default: return pfordelta_end_4(words, at, count, positions);
    }
}

uint pfordelta_get(uint level, __global const uint *words, uint at, uint count, uint positions, uint rank) {
    switch (level) {
        case 0: return pfordelta_get_0(words, at, count, positions, rank);
        case 1: return pfordelta_get_1(words, at, count, positions, rank);
        case 2: return pfordelta_get_2(words, at, count, positions, rank);
        case 3: return pfordelta_get_3(words, at, count, positions, rank);
        default: return pfordelta_get_4(words, at, count, positions, rank);
    }
}

/* A walk over the docIDs of a block. */
typedef struct {
    __global const uint *words; /* the part */
    uint doc_id; /* the latest docID */
    uint width; /* of the slots */
    uint level; /* of the arrays */
    uint exceptions;
    uint exception; /* the position of the next exception; ~0 if there is none */
    uint rank; /* its number among the exceptions */
    uint positions; /* the bit at which the array of positions begins */
    uint highs; /* the bit at which the array of the bits above begins */
} pfordelta_Walk;

/* The bits above the slot of the next exception, in their place; moves on to the exception after it. */
uint pfordelta_high(pfordelta_Walk *walk) {
    uint high = pfordelta_get(walk->level, walk->words, walk->highs, walk->exceptions, 0, walk->rank) + 1;
    walk->rank++;
    if (walk->rank < walk->exceptions) {
        walk->exception +=
            pfordelta_get(walk->level, walk->words, walk->positions, walk->exceptions, 1, walk->rank) + 1;
    } else {
        walk->exception = ~0u;
    }
    return high << walk->width;
}

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

pfordelta_Walk pfordelta_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    pfordelta_Walk walk = {0};
    walk.words = list->payload + list->start[block];
    walk.doc_id = previous_doc_id(list, block, ~0u);
    uint header = walk.words[0];
    walk.width = header & 63;
    walk.exceptions = (header >> 6) & 255;
    walk.level = header >> 14;
    walk.exception = ~0u;
    if (walk.exceptions != 0) {
        walk.positions = 32 + min(BLOCK, list->count - rank) * walk.width;
        walk.highs = pfordelta_end(walk.level, walk.words, walk.positions, walk.exceptions, 1);
        walk.exception = pfordelta_get(walk.level, walk.words, walk.positions, walk.exceptions, 1, 0);
    }
    return walk;
}

uint pfordelta_next(const List *list, pfordelta_Walk *walk, uint rank) {
    uint within = rank % BLOCK;
    uint value = field_from(walk->words, 32 + within * walk->width, walk->width);
    if (walk->exception == within) value |= pfordelta_high(walk);
    walk->doc_id += value + 1;
    return walk->doc_id;
}

uint4 pfordelta_next_four(const List *list, pfordelta_Walk *walk, uint rank) {
    uint within = rank % BLOCK;
    uint4 doc_ids = fields_from(walk->words, 32 + within * walk->width, walk->width);
    while (walk->exception < within + 4) {
        uint at = walk->exception - within;
        uint high = pfordelta_high(walk);
        doc_ids.x |= at == 0 ? high : 0;
        doc_ids.y |= at == 1 ? high : 0;
        doc_ids.z |= at == 2 ? high : 0;
        doc_ids.w |= at == 3 ? high : 0;
    }
    doc_ids.x += walk->doc_id + 1;
    doc_ids.y += doc_ids.x + 1;
    doc_ids.z += doc_ids.y + 1;
    doc_ids.w += doc_ids.z + 1;
    walk->doc_id = doc_ids.w;
    return doc_ids;
}
