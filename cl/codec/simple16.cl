/* Gaps in Simple-16 words. Twin: src/codec/values/simple16/. Comes after simple16_words.cl. A walk begins with a
 * block. */

/* A walk over the docIDs of Simple-16 words. */
typedef struct {
    simple16_Cursor cursor;
    uint doc_id; /* the latest docID */
} simple16_Walk;

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

simple16_Walk simple16_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    simple16_Walk walk = {{list->payload + list->start[block], 0, 0, 0, 0, 0}, previous_doc_id(list, block, ~0u)};
    return walk;
}

uint simple16_next(const List *list, simple16_Walk *walk, uint rank) {
    walk->doc_id += simple16_value(&walk->cursor) + 1;
    return walk->doc_id;
}

uint4 simple16_next_four(const List *list, simple16_Walk *walk, uint rank) {
    uint4 four;
    four.x = simple16_next(list, walk, rank);
    four.y = simple16_next(list, walk, rank + 1);
    four.z = simple16_next(list, walk, rank + 2);
    four.w = simple16_next(list, walk, rank + 3);
    return four;
}
