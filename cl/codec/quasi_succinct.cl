/* Quasi-succinct lists. Twin: src/codec/monotone/quasi_succinct/. The parameter byte is b, the width of the lower bits.
 * The payload is the lower bits followed by the upper bits, whose positions fit in 32 bits. */

/* A position in the unary code of the docID with rank `block * BLOCK + rank`: where it begins, or a bit between there
 * and its stop bit. */
uint qs_upper_position(const List *list, uint block, uint rank) {
    uint position = (previous_doc_id(list, block, 0) >> list->parameter) + block * BLOCK;
    return rank == 0 ? position : ef_find_bit(list->second, position, ~0u, rank);
}

/* The word at which the lower bits of the docID with rank EF_ALIGNED * `at` begin. */
__global const uint *qs_aligned_lower(const List *list, uint at) {
    return list->payload + at * list->parameter;
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
    return ef_upper_parts(list->second, &walk->position, rank);
}

uint qs_next(const List *list, qs_Walk *walk, uint rank) {
    uint stop = ef_next_stop(list->second, walk->position);
    walk->position = stop + 1;
    return stop - rank;
}

/* These add the lower parts. */
uint4 qs_finish_four(const List *list, uint4 parts, uint rank) {
    uint width = list->parameter;
    return ef_with_lower(parts, qs_aligned_lower(list, rank / EF_ALIGNED), rank % EF_ALIGNED * width, width);
}

uint qs_finish(const List *list, uint part, uint rank) {
    return part << list->parameter | ef_lower_part(list->payload, list->parameter, rank);
}

bool qs_contains(const List *list, uint block, uint doc_id) {
    uint width = list->parameter;
    uint previous = previous_doc_id(list, block, 0) >> width;
    return ef_contains(list->payload, list->second, width, list->count, previous + block * BLOCK, previous, doc_id);
}
