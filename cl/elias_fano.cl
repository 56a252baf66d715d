/* Elias–Fano lists: what quasi-succinct lists and partitions of others share. Included before each of their files; the
 * second time, it is empty. */
#ifndef ELIAS_FANO
#define ELIAS_FANO

/* The lower bits of every EF_ALIGNED-th docID begin at a word boundary. */
#define EF_ALIGNED 32u

/* The position of set bit number `rank`, counted from 0, at or after `position` in the upper bits ^ flip. `flip` is 0
 * to find 1 bits and ~0 to find stop bits. Four words are examined at a time, so that their loads need not wait for
 * each other. */
uint ef_find_bit(__global const uint *upper, uint position, uint flip, uint rank) {
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

/* The first stop bit at or after `position`. */
uint ef_next_stop(__global const uint *upper, uint position) {
    uint word = position >> 5;
    uint stops = ~upper[word] & (~0u << (position & 31));
    while (stops == 0) stops = ~upper[++word];
    return word * 32 + lowest_bit(stops);
}

/* The upper parts of the four docIDs from rank `rank` on. Their codes begin at `*position`, which is moved past the
 * fourth. One window of 32 bits nearly always holds all four stop bits, so work-items seldom diverge. */
uint4 ef_upper_parts(__global const uint *upper, uint *position, uint rank) {
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
        uint at = ef_next_stop(upper, *position);
        parts.x = at - rank;
        at = ef_next_stop(upper, at + 1);
        parts.y = at - rank - 1;
        at = ef_next_stop(upper, at + 1);
        parts.z = at - rank - 2;
        at = ef_next_stop(upper, at + 1);
        parts.w = at - rank - 3;
        *position = at + 1;
    }
    return parts;
}

/* Combines four upper parts with the four lower parts that begin at bit `position` of `lower`. */
uint4 ef_with_lower(uint4 parts, __global const uint *lower, uint position, uint width) {
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

/* The lower part of the docID with rank `rank`, with lower bits of `width` bits from `lower` on. */
uint ef_lower_part(__global const uint *lower, uint width, uint rank) {
    return bits_from(lower + rank / EF_ALIGNED * width, rank % EF_ALIGNED * width) & ((1u << width) - 1);
}

/* Whether `doc_id` is in a list of `count` docIDs. The upper bits are read from `position` on, where the code of a docID
 * begins that has upper part `previous` or more, or a block after it; and the lower bits of the docIDs that have the upper
 * part of `doc_id`. Upper parts count from 0 at the beginning of the list. */
bool ef_contains(__global const uint *lower, __global const uint *upper_bits, uint width, uint count, uint position,
        uint previous, uint doc_id) {
    uint upper = doc_id >> width;
    /* The stop bits of the docIDs with that upper part follow the first `ones` 1 bits. */
    uint ones = upper - previous;
    if (ones != 0) position = ef_find_bit(upper_bits, position, 0, ones - 1) + 1;
    /* As many docIDs have that upper part as stop bits follow here. */
    uint low = doc_id & ((1u << width) - 1);
    uint rank = position - upper;
    for (;;) {
        uint ones = bits_from(upper_bits, position);
        uint end = rank + min(ones == 0 ? 32 : lowest_bit(ones), count - rank);
        for (; rank < end; rank++) {
            uint field = ef_lower_part(lower, width, rank);
            if (field >= low) return field == low;
        }
        if (ones != 0 || rank == count) return false;
        position += 32;
    }
}

#endif
