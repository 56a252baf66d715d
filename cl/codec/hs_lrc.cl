/* HS_LRC: a line, a smallest deviation and a width for each hash bucket. Twin: src/codec/monotone/regression/hs_lrc.rs.
 * Buckets do not consist of blocks, so a walk keeps the bucket and yields docIDs. */

uint hs_lrc_bucket_of(const List *list, uint doc_id) {
    return (uint)((ulong)doc_id >> (list->parameter & 63));
}

/* The rank of the first docID of a bucket, which may be the one after the last. `second` is `payload` plus the number of
 * buckets. */
uint hs_lrc_first(const List *list, uint bucket) {
    return bucket < (uint)(list->second - list->payload) ? list->payload[4 * bucket] : list->count;
}

/* The piece of a bucket that has that rank: all of it or, with exceptions, a segment. */
regression_Piece hs_lrc_piece(const List *list, uint bucket, uint rank) {
    regression_Piece piece;
    __global const uint *record = list->payload + 4 * bucket;
    piece.first = record[0];
    piece.count = hs_lrc_first(list, bucket + 1) - piece.first;
    piece.origin = (ulong)record[2] << 32;
    piece.slope = regression_slope(record[3]);
    uint start = record[1];
    if ((list->parameter & REGRESSION_EXCEPTED) && piece.count > REGRESSION_SEGMENT) {
        uint index = (rank - piece.first) / REGRESSION_SEGMENT;
        uint skipped = index * REGRESSION_SEGMENT;
        piece.first += skipped;
        piece.count = min(REGRESSION_SEGMENT, piece.count - skipped);
        piece.origin += piece.slope * skipped;
        start = list->payload[start + index];
    }
    regression_set_fields(list, &piece, list->payload + start, record[3] >> 26);
    return piece;
}

/* --- the vocabulary of codecs --- */

void hs_lrc_open(List *list) {
    list->second = list->payload;
    if (list->count != 0) list->second += hs_lrc_bucket_of(list, list->last[list->blocks - 1]) + 1;
}

/* A walk over docIDs. */
typedef struct {
    ulong at; /* the line at the next docID */
    ulong slope;
    __global const uint *fields;
    uint width;
    uint index; /* of the next docID in its piece */
    uint end; /* the rank after the last of the piece */
    uint bucket;
    regression_Walk exceptions;
} hs_lrc_Walk;

/* Begins the piece that has that rank of the bucket. */
void hs_lrc_begin(const List *list, hs_lrc_Walk *walk, uint rank) {
    regression_Piece piece = hs_lrc_piece(list, walk->bucket, rank);
    walk->index = rank - piece.first;
    walk->at = regression_line(&piece, walk->index);
    walk->slope = piece.slope;
    walk->fields = piece.fields;
    walk->width = piece.width;
    walk->end = piece.first + piece.count;
    if (list->parameter & REGRESSION_EXCEPTED) walk->exceptions = regression_walk(&piece, rank);
}

/* The bucket is the last that begins at the rank or before, among those from that of the last docID before the block to
 * that of the last one in it. */
hs_lrc_Walk hs_lrc_walk(const List *list, uint rank) {
    hs_lrc_Walk walk = {0};
    uint block = rank / BLOCK;
    uint from = hs_lrc_bucket_of(list, previous_doc_id(list, block, 0));
    uint to = hs_lrc_bucket_of(list, list->last[block]);
    while (from < to) {
        uint middle = from + (to - from + 1) / 2;
        if (hs_lrc_first(list, middle) <= rank) {
            from = middle;
        } else {
            to = middle - 1;
        }
    }
    walk.bucket = from;
    hs_lrc_begin(list, &walk, rank);
    return walk;
}

uint hs_lrc_next(const List *list, hs_lrc_Walk *walk, uint rank) {
    if (rank == walk->end) {
        while (hs_lrc_first(list, walk->bucket + 1) <= rank) walk->bucket++;
        hs_lrc_begin(list, walk, rank);
    }
    uint width = walk->width;
    uint deviation = field_from(walk->fields + (walk->index >> 5) * width, (walk->index & 31) * width, width);
    if (list->parameter & REGRESSION_EXCEPTED) deviation += regression_high(&walk->exceptions, rank);
    uint doc_id = (uint)(walk->at >> 32) + deviation;
    walk->at += walk->slope;
    walk->index++;
    return doc_id;
}

uint4 hs_lrc_next_four(const List *list, hs_lrc_Walk *walk, uint rank) {
    uint4 doc_ids;
    doc_ids.x = hs_lrc_next(list, walk, rank);
    doc_ids.y = hs_lrc_next(list, walk, rank + 1);
    doc_ids.z = hs_lrc_next(list, walk, rank + 2);
    doc_ids.w = hs_lrc_next(list, walk, rank + 3);
    return doc_ids;
}

uint4 hs_lrc_finish_four(const List *list, uint4 four, uint rank) {
    return four;
}

uint hs_lrc_finish(const List *list, uint doc_id, uint rank) {
    return doc_id;
}

/* The docID's leading bits give its bucket, and the bucket's line about where it would be in it. With exceptions, which lines do not
 * tell of, the block is found first; its docIDs may be of two pieces. */
bool hs_lrc_contains(const List *list, uint block, uint doc_id) {
    uint bucket = hs_lrc_bucket_of(list, doc_id);
    uint from = hs_lrc_first(list, bucket);
    uint to = hs_lrc_first(list, bucket + 1);
    if (from < to && list->parameter & REGRESSION_EXCEPTED) {
        block = lower_bound(list->last, from / BLOCK, (to - 1) / BLOCK, doc_id);
        from = max(from, block * BLOCK);
        to = min(to, (block + 1) * BLOCK);
    }
    bool found = false;
    while (from < to && !found) {
        regression_Piece piece = hs_lrc_piece(list, bucket, from);
        uint end = min(to, piece.first + piece.count);
        uint most = regression_most(list, &piece);
        found = regression_is_among(list, &piece, from - piece.first, end - piece.first, most, doc_id);
        from = end;
    }
    return found;
}
