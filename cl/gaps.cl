/* What codecs of gaps share of the vocabulary: a walk yields docIDs. Included after such a codec's file, with CODEC
 * defined. Twin: src/codec/gaps/. */

void OF(open)(List *list) {
    list->second = list->payload;
}

uint4 OF(finish_four)(const List *list, uint4 four, uint rank) {
    return four;
}

uint OF(finish)(const List *list, uint doc_id, uint rank) {
    return doc_id;
}

bool OF(contains)(const List *list, uint block, uint doc_id) {
    uint rank = block * BLOCK;
    OF(Walk) walk = OF(walk)(list, rank);
    uint at;
    do {
        at = OF(next)(list, &walk, rank++);
    } while (at < doc_id);
    return at == doc_id;
}
