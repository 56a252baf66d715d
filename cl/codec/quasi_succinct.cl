/* Quasi-succinct lists. Twin: src/codec/monotone/quasi_succinct/. The parameter byte is b, the width of the lower bits.
 * The payload is the lower bits followed by the upper bits, whose positions fit in 32 bits. */

/* The lower bits of every QS_ALIGNED-th docID begin at a word boundary. */
#define QS_ALIGNED 32u

/* The position of set bit number `rank`, counted from 0, at or after `position` in the upper bits ^ flip. `flip` is 0
 * to find 1 bits and ~0 to find stop bits. Four words are examined at a time, so that their loads need not wait for
 * each other. */
uint qs_find_bit(__global const uint *upper, uint position, uint flip, uint rank) {
    uint word = position >> 5;
    uint bits = (upper[word] ^ flip) & (~0u << (position & 31));
    for (;;) {
        uint second = upper[word + 1] ^ flip;
        uint third = upper[word + 2] ^ flip;
        uint fourth = upper[word + 3] ^ flip;
        uint next = upper[word + 4] ^ flip;
        uint one = popcount(bits);
        uint two = one + popcount(second);
        uint three = two + popcount(third);
        uint four = three + popcount(fourth);
        if (rank < four) {
            uint skipped = 0;
            if (rank >= one) { bits = second; skipped = one; word++; }
            if (rank >= two) { bits = third; skipped = two; word++; }
            if (rank >= three) { bits = fourth; skipped = three; word++; }
            return word * 32 + select_bit(bits, rank - skipped);
        }
        rank -= four;
        bits = next;
        word += 4;
    }
}

/* A position in the unary code of the docID with rank `block * BLOCK + rank`: where it begins, or a bit between there
 * and its stop bit. */
uint qs_upper_position(const List *list, uint block, uint rank) {
    uint position = (previous_doc_id(list, block, 0) >> list->parameter) + block * BLOCK;
    return rank == 0 ? position : qs_find_bit(list->second, position, ~0u, rank);
}

/* The first stop bit at or after `position`. */
uint qs_next_stop(__global const uint *upper, uint position) {
    uint word = position >> 5;
    uint stops = ~upper[word] & (~0u << (position & 31));
    while (stops == 0) stops = ~upper[++word];
    return word * 32 + lowest_bit(stops);
}

/* The upper parts of the four docIDs from rank `rank` on. Their codes begin at `*position`, which is moved past the
 * fourth. One window of 32 bits nearly always holds all four stop bits, so work-items seldom diverge. */
uint4 qs_upper_parts(__global const uint *upper, uint *position, uint rank) {
    uint stops = ~bits_from(upper, *position);
    uint base = *position - rank;
    uint4 parts;
    parts.x = base + lowest_bit(stops);
    stops &= stops - 1;
    parts.y = base - 1 + lowest_bit(stops);
    stops &= stops - 1;
    parts.z = base - 2 + lowest_bit(stops);
    stops &= stops - 1;
    if (stops != 0) {
        uint last = lowest_bit(stops);
        parts.w = base - 3 + last;
        *position += last + 1;
    } else {
        uint at = qs_next_stop(upper, *position);
        parts.x = at - rank;
        at = qs_next_stop(upper, at + 1);
        parts.y = at - rank - 1;
        at = qs_next_stop(upper, at + 1);
        parts.z = at - rank - 2;
        at = qs_next_stop(upper, at + 1);
        parts.w = at - rank - 3;
        *position = at + 1;
    }
    return parts;
}

/* Combines four upper parts with the four lower parts that begin at bit `position` of `lower`. */
uint4 qs_with_lower(uint4 parts, __global const uint *lower, uint position, uint width) {
    uint mask = (1u << width) - 1;
    if (width <= 8) {
        uint fields = bits_from(lower, position);
        parts.x = parts.x << width | (fields & mask);
        parts.y = parts.y << width | ((fields >> width) & mask);
        parts.z = parts.z << width | ((fields >> (2 * width)) & mask);
        parts.w = parts.w << width | ((fields >> (3 * width)) & mask);
    } else {
        parts.x = parts.x << width | (bits_from(lower, position) & mask);
        parts.y = parts.y << width | (bits_from(lower, position + width) & mask);
        parts.z = parts.z << width | (bits_from(lower, position + 2 * width) & mask);
        parts.w = parts.w << width | (bits_from(lower, position + 3 * width) & mask);
    }
    return parts;
}

/* The word at which the lower bits of the docID with rank QS_ALIGNED * `at` begin. */
__global const uint *qs_aligned_lower(const List *list, uint at) {
    return list->payload + at * list->parameter;
}

/* The lower part of the docID with rank `rank`. */
uint qs_lower_part(const List *list, uint rank) {
    uint width = list->parameter;
    return bits_from(qs_aligned_lower(list, rank / QS_ALIGNED), rank % QS_ALIGNED * width) & ((1u << width) - 1);
}

/* --- the vocabulary of codecs --- */

void qs_open(List *list) {
    list->second = list->payload + (((ulong)list->count * list->parameter + 31) >> 5);
}

/* A walk over the upper bits: the position of the next code. */
typedef struct {
    uint position;
} qs_Walk;

qs_Walk qs_walk(const List *list, uint rank) {
    qs_Walk walk = {qs_upper_position(list, rank / BLOCK, rank % BLOCK)};
    return walk;
}

/* These return upper parts. */
uint4 qs_next_four(const List *list, qs_Walk *walk, uint rank) {
    return qs_upper_parts(list->second, &walk->position, rank);
}

uint qs_next(const List *list, qs_Walk *walk, uint rank) {
    uint stop = qs_next_stop(list->second, walk->position);
    walk->position = stop + 1;
    return stop - rank;
}

/* These add the lower parts. */
uint4 qs_finish_four(const List *list, uint4 parts, uint rank) {
    uint width = list->parameter;
    return qs_with_lower(parts, qs_aligned_lower(list, rank / QS_ALIGNED), rank % QS_ALIGNED * width, width);
}

uint qs_finish(const List *list, uint part, uint rank) {
    return part << list->parameter | qs_lower_part(list, rank);
}

/* Reads the upper bits of the block up to the upper part of `doc_id`, and the lower bits of the docIDs with that upper
 * part. */
bool qs_contains(const List *list, uint block, uint doc_id) {
    uint width = list->parameter;
    uint previous = previous_doc_id(list, block, 0) >> width;
    uint upper = doc_id >> width;
    uint position = previous + block * BLOCK;
    /* The stop bits of the docIDs with that upper part follow the first `ones` 1 bits. */
    uint ones = upper - previous;
    if (ones != 0) position = qs_find_bit(list->second, position, 0, ones - 1) + 1;
    /* As many docIDs have that upper part as stop bits follow here. */
    uint low = doc_id & ((1u << width) - 1);
    uint rank = position - upper;
    for (;;) {
        uint ones = bits_from(list->second, position);
        uint end = rank + min(ones == 0 ? 32 : lowest_bit(ones), list->count - rank);
        for (; rank < end; rank++) {
            uint field = qs_lower_part(list, rank);
            if (field >= low) return field == low;
        }
        if (ones != 0 || rank == list->count) return false;
        position += 32;
    }
}
