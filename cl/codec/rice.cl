/* Gaps in Rice codes. Twin: src/codec/values/rice/. A walk begins with a block. Bits are counted from the beginning of
 * the block's words; there are at most 128 * 95 + 8. */

/* A walk over the docIDs of a block. */
typedef struct {
    __global const uint *words;
    uint width; /* b */
    uint remainder; /* the bit at which the next value's remainder begins */
    uint quotient; /* the bit at which its quotient begins */
    uint doc_id; /* the latest docID */
} rice_Walk;

/* The first stop bit at or after `position`. */
uint rice_next_stop(__global const uint *words, uint position) {
    uint word = position >> 5;
    uint stops = ~words[word] & (~0u << (position & 31));
    while (stops == 0) stops = ~words[++word];
    return word * 32 + lowest_bit(stops);
}

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

rice_Walk rice_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    rice_Walk walk;
    walk.words = list->payload + list->start[block];
    walk.width = walk.words[0] & 31;
    walk.remainder = 8;
    walk.quotient = 8 + min(BLOCK, list->count - rank) * walk.width;
    walk.doc_id = previous_doc_id(list, block, ~0u);
    return walk;
}

OUT_OF_LINE uint rice_next(const List *list, rice_Walk *walk, uint rank) {
    uint stop = rice_next_stop(walk->words, walk->quotient);
    uint field = bits_from(walk->words, walk->remainder) & ((1u << walk->width) - 1);
    walk->doc_id += ((stop - walk->quotient) << walk->width | field) + 1;
    walk->quotient = stop + 1;
    walk->remainder += walk->width;
    return walk->doc_id;
}

/* One window of 32 bits nearly always holds the stop bits of four values, so work-items seldom diverge. Four remainders
 * of up to eight bits are in one window too. */
uint4 rice_next_four(const List *list, rice_Walk *walk, uint rank) {
    uint stops = ~bits_from(walk->words, walk->quotient);
    uint first = lowest_bit(stops);
    stops &= stops - 1;
    uint second = lowest_bit(stops);
    stops &= stops - 1;
    uint third = lowest_bit(stops);
    stops &= stops - 1;
    uint4 doc_ids;
    if (stops != 0) {
        uint fourth = lowest_bit(stops);
        uint width = walk->width;
        uint mask = (1u << width) - 1;
        uint at = walk->remainder;
        uint4 fields;
        if (width <= 8) {
            uint window = bits_from(walk->words, at);
            fields = (uint4)(window, window >> width, window >> (2 * width), window >> (3 * width));
        } else {
            fields.x = bits_from(walk->words, at);
            fields.y = bits_from(walk->words, at + width);
            fields.z = bits_from(walk->words, at + 2 * width);
            fields.w = bits_from(walk->words, at + 3 * width);
        }
        doc_ids.x = walk->doc_id + 1 + (first << width | (fields.x & mask));
        doc_ids.y = doc_ids.x + 1 + ((second - first - 1) << width | (fields.y & mask));
        doc_ids.z = doc_ids.y + 1 + ((third - second - 1) << width | (fields.z & mask));
        doc_ids.w = doc_ids.z + 1 + ((fourth - third - 1) << width | (fields.w & mask));
        walk->doc_id = doc_ids.w;
        walk->quotient += fourth + 1;
        walk->remainder = at + 4 * width;
    } else {
        doc_ids.x = rice_next(list, walk, rank);
        doc_ids.y = rice_next(list, walk, rank + 1);
        doc_ids.z = rice_next(list, walk, rank + 2);
        doc_ids.w = rice_next(list, walk, rank + 3);
    }
    return doc_ids;
}
