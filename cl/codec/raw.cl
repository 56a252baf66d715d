/* Uncompressed docIDs, with the pointers of hash segmentation. Twin: src/codec/monotone/raw/. The parameter byte is s:
 * docID x is in bucket x >> s. The own words are an option and the pointers; the word before them is their number. */

/* The rank at which bucket `bucket` begins is list->own[RAW_POINTERS + bucket]. */
#define RAW_POINTERS 1u

/* --- the vocabulary of codecs --- */

void raw_open(List *list) {
    list->second = list->payload;
}

/* A walk needs no state but the rank. */
typedef struct {
    uint unused;
} raw_Walk;

raw_Walk raw_walk(const List *list, uint rank) {
    raw_Walk walk = {0};
    return walk;
}

uint4 raw_next_four(const List *list, raw_Walk *walk, uint rank) {
    return vload4(0, list->payload + rank);
}

uint raw_next(const List *list, raw_Walk *walk, uint rank) {
    return list->payload[rank];
}

uint4 raw_finish_four(const List *list, uint4 four, uint rank) {
    return four;
}

uint raw_finish(const List *list, uint doc_id, uint rank) {
    return doc_id;
}

/* The block is not used: the bucket says where to search. */
bool raw_contains(const List *list, uint block, uint doc_id) {
    uint bucket = doc_id >> list->parameter;
    if (RAW_POINTERS + bucket + 1 >= list->own[-1]) return false;
    uint to = list->own[RAW_POINTERS + bucket + 1];
    uint rank = lower_bound(list->payload, list->own[RAW_POINTERS + bucket], to, doc_id);
    return rank < to && list->payload[rank] == doc_id;
}
