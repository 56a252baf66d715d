/* Gaps in ParaPFor. Twin: src/codec/values/parapfor/. Comes after parapfor_segment.cl. A walk begins with a block. */

/* A walk over the docIDs of a block. */
typedef struct {
    parapfor_Segment segment;
    uint doc_id; /* the latest docID */
} parapfor_Walk;

/* --- the vocabulary of codecs, with cl/gaps.cl --- */

parapfor_Walk parapfor_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    parapfor_Walk walk;
    walk.segment = parapfor_open_segment(list->payload + list->start[block], min(BLOCK, list->count - rank));
    walk.doc_id = previous_doc_id(list, block, ~0u);
    return walk;
}

uint parapfor_next(const List *list, parapfor_Walk *walk, uint rank) {
    walk->doc_id += parapfor_value(&walk->segment, rank % BLOCK) + 1;
    return walk->doc_id;
}

uint4 parapfor_next_four(const List *list, parapfor_Walk *walk, uint rank) {
    uint4 values = parapfor_four(&walk->segment, rank % BLOCK);
    uint4 doc_ids = doc_ids_after(walk->doc_id, values);
    walk->doc_id = doc_ids.w;
    return doc_ids;
}
