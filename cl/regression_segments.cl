/* What the codecs of linear regression whose pieces consist of blocks share of the vocabulary. A walk yields overflows,
 * which are 0 without exceptions; no docID depends on another, so `finish` adds line and fields, where neighbouring
 * work-items read neighbouring fields. Included after such a codec's file, with CODEC defined. */

typedef regression_Walk OF(Walk);

void OF(open)(List *list) {
    list->second = list->payload;
}

OF(Walk) OF(walk)(const List *list, uint rank) {
    OF(Walk) walk = {0};
    if (list->parameter & REGRESSION_EXCEPTED) {
        regression_Piece piece = OF(piece)(list, rank);
        walk = regression_walk(&piece, rank);
    }
    return walk;
}

uint OF(next)(const List *list, OF(Walk) *walk, uint rank) {
    return list->parameter & REGRESSION_EXCEPTED ? regression_high(walk, rank) : 0;
}

uint4 OF(next_four)(const List *list, OF(Walk) *walk, uint rank) {
    uint4 highs = (uint4)(0);
    if (list->parameter & REGRESSION_EXCEPTED) {
        highs.x = regression_high(walk, rank);
        highs.y = regression_high(walk, rank + 1);
        highs.z = regression_high(walk, rank + 2);
        highs.w = regression_high(walk, rank + 3);
    }
    return highs;
}

uint OF(finish)(const List *list, uint high, uint rank) {
    regression_Piece piece = OF(piece)(list, rank);
    uint index = rank - piece.first;
    return (uint)(regression_line(&piece, index) >> 32) + high + regression_field(&piece, index);
}

/* `rank` is a multiple of four, so the four docIDs are in one segment, and their fields in one group of 32. */
uint4 OF(finish_four)(const List *list, uint4 highs, uint rank) {
    regression_Piece piece = OF(piece)(list, rank);
    uint index = rank - piece.first;
    __global const uint *group = piece.fields + (index >> 5) * piece.width;
    uint4 fields = fields_from(group, (index & 31) * piece.width, piece.width);
    ulong first = regression_line(&piece, index);
    ulong second = first + piece.slope;
    ulong third = second + piece.slope;
    ulong fourth = third + piece.slope;
    return highs + fields
        + (uint4)((uint)(first >> 32), (uint)(second >> 32), (uint)(third >> 32), (uint)(fourth >> 32));
}

bool OF(contains)(const List *list, uint block, uint doc_id) {
    uint rank = block * BLOCK;
    regression_Piece piece = OF(piece)(list, rank);
    uint from = rank - piece.first;
    uint to = from + min(BLOCK, list->count - rank);
    return regression_is_among(list, &piece, from, to, regression_most(list, &piece), doc_id);
}
