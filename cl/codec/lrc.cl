/* LRC: one line and one width for the list. Twin: src/codec/monotone/regression/lrc.rs. */

/* The piece that has the docID of that rank: the list or, with exceptions, a segment. */
regression_Piece lrc_piece(const List *list, uint rank) {
    regression_Piece piece;
    __global const uint *head = list->payload;
    piece.origin = (ulong)head[0] << 32;
    piece.slope = (ulong)head[2] << 32 | head[1];
    piece.first = 0;
    piece.count = list->count;
    uint start = 4;
    if (list->parameter & REGRESSION_EXCEPTED) {
        uint segment = rank / REGRESSION_SEGMENT;
        piece.first = segment * REGRESSION_SEGMENT;
        piece.count = min(REGRESSION_SEGMENT, list->count - piece.first);
        piece.origin += piece.slope * piece.first;
        start = head[4 + segment];
    }
    regression_set_fields(list, &piece, head + start, head[3]);
    return piece;
}

/* The rest of the vocabulary: regression_segments.cl. */
