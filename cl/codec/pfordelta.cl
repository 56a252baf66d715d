/* Gaps in PForDelta. Twin: src/codec/values/pfordelta/. A walk begins with a block. */

/* Exceptions are stored in two arrays of numbers, one of positions and one of bits above the slots, each with exceptions of
 * its own down to a number of levels. With at most one level, which is the default, numbers are read in order by a
 * pfordelta_Reader. Of more levels each number is found alone, by pfordelta_get. */

#define PFORDELTA_LEVELS 4

/* An array of numbers. In level 0 it has no header and no exceptions. */
typedef struct {
    uint width; /* of the slots */
    uint exceptions;
    uint slots_at; /* the bit at which the slots begin */
} pfordelta_Array;

pfordelta_Array pfordelta_array(uint level, __global const uint *words, uint at, uint count, uint positions) {
    pfordelta_Array array;
    array.width = positions ? 8 : 32;
    array.exceptions = 0;
    array.slots_at = at;
    if (level != 0) {
        uint width_bits = positions ? 3 : 6;
        uint exceptions_bits = 32 - clz(count);
        uint header = bits_from(words, at);
        array.width = header & low_mask(width_bits);
        array.exceptions = (header >> width_bits) & low_mask(exceptions_bits);
        array.slots_at = at + width_bits + exceptions_bits;
    }
    return array;
}

/* --- more than one level --- */

/* An array that is not read yet, in 12 bits, which are never 0. */
ulong pfordelta_ahead(uint level, uint count, uint positions) {
    return count | level << 8 | positions << 11;
}

/* The bit after an array that begins at bit `at`. An array is followed by those of its exceptions, so there are up to five
 * arrays ahead. */
uint pfordelta_end(uint level, __global const uint *words, uint at, uint count, uint positions) {
    ulong ahead = pfordelta_ahead(level, count, positions);
    while (ahead != 0) {
        count = (uint)ahead & 255;
        level = (uint)(ahead >> 8) & 7;
        positions = (uint)(ahead >> 11) & 1;
        ahead >>= 12;
        pfordelta_Array array = pfordelta_array(level, words, at, count, positions);
        at = array.slots_at + count * array.width;
        if (array.exceptions != 0) {
            ahead = ahead << 12 | pfordelta_ahead(level - 1, array.exceptions, positions);
            ahead = ahead << 12 | pfordelta_ahead(level - 1, array.exceptions, 1);
        }
    }
    return at;
}

/* An array of which number `rank` is wanted, and waits for a number of one of its exceptions' arrays. */
typedef struct {
    uint at;
    uint count;
    uint positions;
    uint rank;
    uint exception; /* the position of the latest exception */
    uint found; /* how many exceptions there are up to it */
} pfordelta_Wait;

/* The number `rank` of an array. There is no recursion in OpenCL C, so arrays that wait for a number of another are kept on
 * a stack. */
OUT_OF_LINE uint pfordelta_get(uint level, __global const uint *words, uint at, uint count, uint positions, uint rank) {
    pfordelta_Wait waits[PFORDELTA_LEVELS];
    uint depth = 0;
    uint number = 0;
    bool done = false;
    while (!done) {
        pfordelta_Array array = pfordelta_array(level, words, at, count, positions);
        number = field_from(words, array.slots_at + rank * array.width, array.width);
        bool descends = array.exceptions != 0;
        if (descends) {
            pfordelta_Wait wait = {at, count, positions, rank, ~0u, 0};
            waits[depth++] = wait;
            at = array.slots_at + count * array.width;
            count = array.exceptions;
            positions = 1;
            rank = 0;
            level--;
        }
        /* The number goes to the arrays that wait for it, until one wants another or none is left. */
        while (!descends && depth != 0) {
            pfordelta_Wait *wait = &waits[depth - 1];
            level++;
            array = pfordelta_array(level, words, wait->at, wait->count, wait->positions);
            uint slot = field_from(words, array.slots_at + wait->rank * array.width, array.width);
            uint inner = array.slots_at + wait->count * array.width;
            if (wait->exception == wait->rank) {
                number = slot | (number + 1) << array.width;
                depth--;
            } else {
                wait->exception += number + 1;
                wait->found++;
                bool is = wait->exception == wait->rank;
                descends = is || (wait->exception < wait->rank && wait->found < array.exceptions);
                if (descends) {
                    at = is ? pfordelta_end(level - 1, words, inner, array.exceptions, 1) : inner;
                    count = array.exceptions;
                    positions = is ? wait->positions : 1;
                    rank = is ? wait->found - 1 : wait->found;
                    level--;
                } else {
                    number = slot;
                    depth--;
                }
            }
        }
        done = !descends;
    }
    return number;
}

/* --- at most one level --- */

/* An array that is read from front to back. */
typedef struct {
    uint width; /* of the slots */
    uint slot_at; /* the bit of the next slot */
    uint left; /* how many numbers come before the next exception */
    uint exceptions; /* how many are left */
    uint position_at; /* the bit of the next exception's position */
    uint high_at; /* the bit of the next exception's bits above the slot */
} pfordelta_Reader;

/* An array of level 0 or 1. `end` is set to the bit after it. */
pfordelta_Reader pfordelta_read(uint level, __global const uint *words, uint at, uint count, uint positions, uint *end) {
    pfordelta_Array array = pfordelta_array(level, words, at, count, positions);
    pfordelta_Reader reader;
    reader.width = array.width;
    reader.slot_at = array.slots_at;
    reader.exceptions = array.exceptions;
    reader.position_at = array.slots_at + count * array.width;
    reader.high_at = reader.position_at + 8 * array.exceptions;
    reader.left = ~0u;
    *end = reader.high_at + array.exceptions * (positions ? 8 : 32);
    if (array.exceptions != 0) reader.left = field_from(words, reader.position_at, 8);
    return reader;
}

/* The next number. */
uint pfordelta_number(__global const uint *words, pfordelta_Reader *reader, uint positions) {
    uint number = field_from(words, reader->slot_at, reader->width);
    reader->slot_at += reader->width;
    if (reader->left == 0) {
        number |= (field_from(words, reader->high_at, positions ? 8 : 32) + 1) << reader->width;
        reader->high_at += positions ? 8 : 32;
        reader->position_at += 8;
        reader->exceptions--;
        reader->left = reader->exceptions != 0 ? field_from(words, reader->position_at, 8) + 1 : ~0u;
    }
    reader->left--;
    return number;
}

/* --- blocks --- */

/* A walk over the docIDs of a block. */
typedef struct {
    __global const uint *words; /* the part */
    uint doc_id; /* the latest docID */
    uint width; /* of the slots */
    /* A bit for each value: whether it is an exception. `now` has those of the 32 values in turn, `later` those of 32 each
     * after them. Finding all positions first takes less time than finding each when it is its turn, since neighbouring
     * work-items have exceptions at different places. */
    uint now;
    uint4 later;
    uint level;
    pfordelta_Reader highs; /* with more than one level: `slot_at` is where the array begins, and */
    uint count; /* of exceptions */
    uint next; /* the number of the next exception */
} pfordelta_Walk;

/* The bits above the slot of the next exception, in their place. */
uint pfordelta_high(pfordelta_Walk *walk) {
    uint high;
    if (walk->level <= 1) {
        high = pfordelta_number(walk->words, &walk->highs, 0);
    } else {
        high = pfordelta_get(walk->level, walk->words, walk->highs.slot_at, walk->count, 0, walk->next);
        walk->next++;
    }
    return (high + 1) << walk->width;
}

/* Finds the exceptions of a block, whose arrays begin at bit `at`. */
void pfordelta_find(pfordelta_Walk *walk, uint at) {
    uint end;
    pfordelta_Reader positions = {0};
    bool deep = walk->level > 1;
    if (deep) {
        end = pfordelta_end(walk->level, walk->words, at, walk->count, 1);
        walk->highs.slot_at = end;
    } else {
        positions = pfordelta_read(walk->level, walk->words, at, walk->count, 1, &end);
        walk->highs = pfordelta_read(walk->level, walk->words, end, walk->count, 0, &end);
    }
    uint position = ~0u;
    for (uint k = 0; k < walk->count; k++) {
        position += 1 + (deep ? pfordelta_get(walk->level, walk->words, at, walk->count, 1, k)
                              : pfordelta_number(walk->words, &positions, 1));
        uint bit = 1u << (position % 32);
        walk->later.x |= position / 32 == 0 ? bit : 0;
        walk->later.y |= position / 32 == 1 ? bit : 0;
        walk->later.z |= position / 32 == 2 ? bit : 0;
        walk->later.w |= position / 32 == 3 ? bit : 0;
    }
}

/* The bits of the values from that index on, up to that of the last of the 32 that it is one of. */
uint pfordelta_exceptions(pfordelta_Walk *walk, uint within) {
    if (within % 32 == 0) {
        walk->now = walk->later.x;
        walk->later = (uint4)(walk->later.y, walk->later.z, walk->later.w, 0);
    }
    return walk->now >> (within % 32);
}

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

pfordelta_Walk pfordelta_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    pfordelta_Walk walk = {0};
    walk.words = list->payload + list->start[block];
    walk.doc_id = previous_doc_id(list, block, ~0u);
    uint header = walk.words[0];
    walk.width = header & 63;
    walk.count = (header >> 6) & 255;
    walk.level = header >> 14;
    if (walk.count != 0) pfordelta_find(&walk, 32 + min(BLOCK, list->count - rank) * walk.width);
    return walk;
}

uint pfordelta_next(const List *list, pfordelta_Walk *walk, uint rank) {
    uint within = rank % BLOCK;
    uint value = field_from(walk->words, 32 + within * walk->width, walk->width);
    if (pfordelta_exceptions(walk, within) & 1) value |= pfordelta_high(walk);
    walk->doc_id += value + 1;
    return walk->doc_id;
}

uint4 pfordelta_next_four(const List *list, pfordelta_Walk *walk, uint rank) {
    uint within = rank % BLOCK;
    uint4 values = fields_from(walk->words, 32 + within * walk->width, walk->width);
    for (uint left = pfordelta_exceptions(walk, within) & 15; left != 0; left &= left - 1) {
        uint high = pfordelta_high(walk);
        uint lowest = left & -left;
        values.x |= lowest == 1 ? high : 0;
        values.y |= lowest == 2 ? high : 0;
        values.z |= lowest == 4 ? high : 0;
        values.w |= lowest == 8 ? high : 0;
    }
    uint4 doc_ids = doc_ids_after(walk->doc_id, values);
    walk->doc_id = doc_ids.w;
    return doc_ids;
}
