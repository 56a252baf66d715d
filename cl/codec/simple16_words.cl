/* Words of Simple-16, one value at a time, for all codecs that use them. Twin: src/codec/values/simple16/. */
#ifndef SIMPLE16_WORDS
#define SIMPLE16_WORDS

/* Up to three runs of values of one width, each as number and width in five bits. */
#define RUNS(count, width, more) ((count) | (width) << 5 | (more) << 10)
__constant uint simple16_runs[16] = {
    RUNS(28u, 1u, 0u),
    RUNS(7u, 2u, RUNS(14u, 1u, 0u)),
    RUNS(7u, 1u, RUNS(7u, 2u, RUNS(7u, 1u, 0u))),
    RUNS(14u, 1u, RUNS(7u, 2u, 0u)),
    RUNS(14u, 2u, 0u),
    RUNS(1u, 4u, RUNS(8u, 3u, 0u)),
    RUNS(1u, 3u, RUNS(4u, 4u, RUNS(3u, 3u, 0u))),
    RUNS(7u, 4u, 0u),
    RUNS(4u, 5u, RUNS(2u, 4u, 0u)),
    RUNS(2u, 4u, RUNS(4u, 5u, 0u)),
    RUNS(3u, 6u, RUNS(2u, 5u, 0u)),
    RUNS(2u, 5u, RUNS(3u, 6u, 0u)),
    RUNS(4u, 7u, 0u),
    RUNS(1u, 10u, RUNS(2u, 9u, 0u)),
    RUNS(2u, 14u, 0u),
    RUNS(1u, 28u, 0u)
};
#undef RUNS

/* The values from a word on. All zero but `next`, it is before the first value of the word at `next`. */
typedef struct {
    __global const uint *next; /* the word after the current one */
    uint word;
    uint left; /* unread bits of `word` */
    uint run; /* unread values of the current run */
    uint width; /* their width */
    uint runs; /* the runs after it */
} simple16_Cursor;

uint simple16_value(simple16_Cursor *cursor) {
    if (cursor->run == 0) {
        if (cursor->runs == 0) {
            cursor->word = *cursor->next++;
            if (cursor->word == ~0u) return *cursor->next++;
            cursor->runs = simple16_runs[cursor->word >> 28];
            cursor->left = 28;
        }
        cursor->run = cursor->runs & 31;
        cursor->width = (cursor->runs >> 5) & 31;
        cursor->runs >>= 10;
    }
    cursor->run--;
    cursor->left -= cursor->width;
    return (cursor->word >> cursor->left) & ((1u << cursor->width) - 1);
}

#endif
