/* LRCSeg: one line for the list, a smallest deviation and a width for each segment. Twin:
 * src/codec/monotone/regression/lrc_seg.rs. */

/* The segment that has the docID of that rank. */
regression_Piece lrcseg_piece(const List *list, uint rank) {
    regression_Piece piece;
    __global const uint *head = list->payload;
    uint segment = rank / REGRESSION_SEGMENT;
    __global const uint *record = head + 4 + 2 * segment;
    piece.first = segment * REGRESSION_SEGMENT;
    piece.count = min(REGRESSION_SEGMENT, list->count - piece.first);
    piece.slope = (ulong)head[2] << 32 | head[1];
    piece.origin = ((ulong)record[1] << 32) + piece.slope * piece.first;
    regression_set_fields(list, &piece, head + record[0], (record[2] - record[0]) / (REGRESSION_SEGMENT / 32));
    return piece;
}

/* The rest of the vocabulary: regression_segments.cl. */
