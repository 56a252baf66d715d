/* Gaps in PForDelta with linked exceptions. Twin: src/codec/values/pfordelta_segments/. A walk begins with a block, and
 * its first segment. */

/* A walk over the docIDs of a block. */
typedef struct {
    __global const uint *words; /* the part */
    uint doc_id; /* the latest docID */
    uint slots_at; /* the bit at which the slot of index 0 would begin, if all slots were as wide as the segment's */
    uint width; /* of the segment's slots */
    uint exception; /* the index in the block of the segment's next exception; ~0 if there is none */
    uint left; /* exceptions of the segment after it */
    uint value_at; /* the bit at which the next exception begins */
    uint value_width;
    uint second; /* the index at which the second segment begins, ~0 in the second */
} pfordelta_segments_Walk;

/* Enters a segment, number 0 or 1, of a part of `count` values. */
void pfordelta_segments_enter(pfordelta_segments_Walk *walk, uint count, uint segment) {
    uint header = walk->words[0];
    uint widths[2] = {header & 63, (header >> 6) & 63};
    uint value_widths[2] = {(header >> 15) & 63, (header >> 21) & 63};
    uint first = min(count, ((header >> 12) & 7) * 32);
    uint chain_at = 32 + first * widths[0] + (count - first) * widths[1];
    uint chains = chain_at + (value_widths[0] != 0 ? 14 : 0);
    if (segment == 0) {
        walk->second = first;
        walk->slots_at = 32;
        walk->width = widths[0];
        walk->value_width = value_widths[0];
        walk->value_at = chains + (value_widths[1] != 0 ? 14 : 0);
    } else {
        walk->second = ~0u;
        walk->slots_at = 32 + first * widths[0] - first * widths[1];
        walk->width = widths[1];
        walk->value_width = value_widths[1];
        chain_at = chains;
    }
    walk->exception = ~0u;
    if (walk->value_width != 0) {
        uint chain = bits_from(walk->words, chain_at);
        walk->exception = segment * first + (chain & 127);
        walk->left = (chain >> 7) & 127;
    }
}

/* The exception that is next, whose slot holds `link`; moves on to the one after it. */
uint pfordelta_segments_exception(pfordelta_segments_Walk *walk, uint link) {
    uint value = field_from(walk->words, walk->value_at, walk->value_width);
    walk->value_at += walk->value_width;
    if (walk->left != 0) {
        walk->exception += link + 1;
        walk->left--;
    } else {
        walk->exception = ~0u;
    }
    return value;
}

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

pfordelta_segments_Walk pfordelta_segments_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    pfordelta_segments_Walk walk = {0};
    walk.words = list->payload + list->start[block];
    walk.doc_id = previous_doc_id(list, block, ~0u);
    pfordelta_segments_enter(&walk, min(BLOCK, list->count - rank), 0);
    return walk;
}

uint pfordelta_segments_next(const List *list, pfordelta_segments_Walk *walk, uint rank) {
    uint within = rank % BLOCK;
    if (within == walk->second) pfordelta_segments_enter(walk, min(BLOCK, list->count - (rank - within)), 1);
    uint value = field_from(walk->words, walk->slots_at + within * walk->width, walk->width);
    if (walk->exception == within) value = pfordelta_segments_exception(walk, value);
    walk->doc_id += value + 1;
    return walk->doc_id;
}

/* Segments have a multiple of four values. */
uint4 pfordelta_segments_next_four(const List *list, pfordelta_segments_Walk *walk, uint rank) {
    uint within = rank % BLOCK;
    if (within == walk->second) pfordelta_segments_enter(walk, min(BLOCK, list->count - (rank - within)), 1);
    uint4 values = fields_from(walk->words, walk->slots_at + within * walk->width, walk->width);
    if (walk->exception == within) values.x = pfordelta_segments_exception(walk, values.x);
    if (walk->exception == within + 1) values.y = pfordelta_segments_exception(walk, values.y);
    if (walk->exception == within + 2) values.z = pfordelta_segments_exception(walk, values.z);
    if (walk->exception == within + 3) values.w = pfordelta_segments_exception(walk, values.w);
    uint4 doc_ids = doc_ids_after(walk->doc_id, values);
    walk->doc_id = doc_ids.w;
    return doc_ids;
}
