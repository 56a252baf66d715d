/* Gaps in Simple-9 words. Twin: src/codec/values/simple9/. A walk begins with a block. */

/* The width of the values in a word, looked up by its selector in a constant with five bits per selector. A word has
 * 28 / width values, rounded down. */
uint simple9_width(uint word) {
    return (uint)(((ulong)1 << 45 | (ulong)1 << 40 | (ulong)2 << 35 | (ulong)3 << 30 | 4u << 25 | 5u << 20
        | 7u << 15 | 9u << 10 | 14u << 5 | 28u) >> (5 * (word >> 28))) & 31;
}

/* A walk over the docIDs of Simple-9 words. */
typedef struct {
    __global const uint *next; /* the word after the current one */
    uint doc_id; /* the latest docID */
    uint word;
    uint left; /* unread bits of `word`; if they are fewer than `width`, no value is left */
    uint width;
    uint mask;
} simple9_Walk;

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

simple9_Walk simple9_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    simple9_Walk walk = {list->payload + list->start[block], previous_doc_id(list, block, ~0u), 0, 0, 1, 0};
    return walk;
}

uint simple9_next(const List *list, simple9_Walk *walk, uint rank) {
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

uint4 simple9_next_four(const List *list, simple9_Walk *walk, uint rank) {
    uint4 four;
    four.x = simple9_next(list, walk, rank);
    four.y = simple9_next(list, walk, rank + 1);
    four.z = simple9_next(list, walk, rank + 2);
    four.w = simple9_next(list, walk, rank + 3);
    return four;
}
