/* What every kernel knows of a posting list: the byte format of src/list/mod.rs, as it lies in device memory, and how
 * to walk it. Lists come checked: counts, offsets and selectors are right, a list has at most 2^30 docIDs (so that bit
 * positions of its upper bits fit in 32 bits), it begins at a multiple of 16 words, and 32 words after it are readable.
 *
 * Portable OpenCL C 1.2. No kernel returns before a barrier, not even all work-items together: PoCL 3.1 then runs what
 * follows with private values of other work-items. */

#define BLOCK 128u
#define HEADER_WORDS 6u
#define SIMPLE9 1u
#define QUASI_SUCCINCT 2u

/* Whether a list is a Simple-9 list. */
#ifdef ONLY_QUASI_SUCCINCT
#define IS_SIMPLE9(list) false
#else
#define IS_SIMPLE9(list) ((list)->codec == SIMPLE9)
#endif

/* docIDs that one work-item takes of a quasi-succinct list; their lower bits begin at a word. */
#define RUN 32u
#define RUNS_OF_BLOCK (BLOCK / RUN)

typedef struct {
    uint codec;
    uint lower_width;
    uint count;
    uint blocks;
    __global const uint *last; /* directory: the last docID of each block */
    __global const uint *start; /* Simple-9, directory: the word of the payload at which each block begins */
    __global const uint *upper; /* quasi-succinct: the upper bits */
    __global const uint *payload; /* Simple-9: the words; quasi-succinct: the lower bits */
} List;

List list_at(__global const uint *words) {
    List list;
    list.codec = (words[1] >> 8) & 0xFF;
    list.lower_width = (words[1] >> 16) & 0xFF;
    list.count = words[2];
    list.blocks = (list.count + (BLOCK - 1)) / BLOCK;
    list.last = words + HEADER_WORDS;
    list.start = list.last + list.blocks;
    list.payload = IS_SIMPLE9(&list) ? list.start + list.blocks : list.start;
    list.upper = list.payload + (((ulong)list.count * list.lower_width + 31) >> 5);
    return list;
}

/* The last docID before a block; `none` before the first. */
uint previous_doc_id(const List *list, uint block, uint none) {
    return block == 0 ? none : list->last[block - 1];
}

/* The first of `sorted[from .. to]` that is `target` or greater, `to` where there is none. The last steps are taken at
 * once, as their loads need not wait for each other. */
uint lower_bound(__global const uint *sorted, uint from, uint to, uint target) {
    while (to - from > 8) {
        uint middle = from + (to - from) / 2;
        if (sorted[middle] < target) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    uint below = 0;
    for (uint k = 0; k < 8; k++) {
        if (from + k < to) below += sorted[from + k] < target;
    }
    return from + below;
}

/* --- bits --- */

/* The 32 bits from bit `position` on. */
uint bits_from(__global const uint *words, uint position) {
    __global const uint *word = words + (position >> 5);
    return (uint)((((ulong)word[1] << 32) | word[0]) >> (position & 31));
}

/* Index of the lowest set bit of a word that has one. */
uint lowest_bit(uint word) {
    return 31 - clz(word & -word);
}

/* Index of the set bit of `word` before which `rank` others stand; `word` has more than `rank` set bits. */
uint select_bit(uint word, uint rank) {
    uint at = 0;
    for (uint span = 16; span != 0; span >>= 1) {
        uint below = popcount((word >> at) & ((1u << span) - 1));
        if (rank >= below) {
            rank -= below;
            at += span;
        }
    }
    return at;
}

/* --- quasi-succinct --- */

/* From bit `position` on, the set bit (of the upper bits ^ flip: 0 for the 1s, ~0 for the stop bits) before which `rank`
 * others stand. Four words at a time, as their loads need not wait for each other. */
uint find_bit(__global const uint *upper, uint position, uint flip, uint rank) {
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

/* Bit of the upper bits at which the unary code of the docID with rank `block * BLOCK + rank` begins, or a bit between
 * it and the stop bit. */
uint upper_position(const List *list, uint block, uint rank) {
    uint position = (previous_doc_id(list, block, 0) >> list->lower_width) + block * BLOCK;
    return rank == 0 ? position : find_bit(list->upper, position, ~0u, rank);
}

/* The stop bit at `position` or after it. */
uint next_stop(__global const uint *upper, uint position) {
    uint word = position >> 5;
    uint stops = ~upper[word] & (~0u << (position & 31));
    while (stops == 0) stops = ~upper[++word];
    return word * 32 + lowest_bit(stops);
}

/* The upper parts of the four docIDs from rank `rank` on, whose codes begin at `*position`, which moves behind the
 * fourth. One window of 32 bits nearly always holds all four stop bits, so that work-items seldom diverge. */
uint4 next_four(__global const uint *upper, uint *position, uint rank) {
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
        uint at = next_stop(upper, *position);
        parts.x = at - rank;
        at = next_stop(upper, at + 1);
        parts.y = at - rank - 1;
        at = next_stop(upper, at + 1);
        parts.z = at - rank - 2;
        at = next_stop(upper, at + 1);
        parts.w = at - rank - 3;
        *position = at + 1;
    }
    return parts;
}

/* docIDs from four upper parts and the four lower parts from bit `position` of `lower` on. */
uint4 with_lower(uint4 parts, __global const uint *lower, uint position, uint width) {
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

/* Where the lower bits of the run with that number begin. */
__global const uint *run_lower(const List *list, uint run) {
    return list->payload + run * list->lower_width;
}

/* The lower part of the docID with that rank. */
uint lower_part(const List *list, uint rank) {
    uint width = list->lower_width;
    return bits_from(run_lower(list, rank / RUN), rank % RUN * width) & ((1u << width) - 1);
}

/* --- Simple-9 --- */

/* Bits of a value of a word, by selector: five bits each in one constant. There are 28 / width values, rounded down. */
uint simple9_width(uint word) {
    return (uint)(((ulong)1 << 45 | (ulong)1 << 40 | (ulong)2 << 35 | (ulong)3 << 30 | 4u << 25 | 5u << 20
        | 7u << 15 | 9u << 10 | 14u << 5 | 28u) >> (5 * (word >> 28))) & 31;
}

/* A walk along the docIDs of Simple-9 words. */
typedef struct {
    __global const uint *next; /* the word after the one being taken apart */
    uint doc_id; /* the last docID that came out */
    uint word;
    uint left; /* bits of `word` still to come; a further value if they are `width` or more */
    uint width;
    uint mask;
} Simple9Walk;

Simple9Walk simple9_walk(__global const uint *words, uint previous) {
    Simple9Walk walk = {words, previous, 0, 0, 1, 0};
    return walk;
}

uint simple9_next(Simple9Walk *walk) {
    if (walk->left < walk->width) {
        walk->word = *walk->next++;
        walk->width = simple9_width(walk->word);
        walk->mask = (1u << walk->width) - 1;
        walk->left = 28;
    }
    walk->left -= walk->width;
    walk->doc_id += ((walk->word >> walk->left) & walk->mask) + 1;
    return walk->doc_id;
}

Simple9Walk simple9_block(const List *list, uint block) {
    return simple9_walk(list->payload + list->start[block], previous_doc_id(list, block, ~0u));
}
