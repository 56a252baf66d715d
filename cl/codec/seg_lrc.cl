/* SegLRC: a line, a smallest deviation and a width for each segment. Twin: src/codec/monotone/regression/seg_lrc.rs. */

/* The segment that has the docID of that rank. */
regression_Piece seglrc_piece(const List *list, uint rank) {
    regression_Piece piece;
    uint segment = rank / REGRESSION_SEGMENT;
    __global const uint *record = list->payload + 3 * segment;
    piece.first = segment * REGRESSION_SEGMENT;
    piece.count = min(REGRESSION_SEGMENT, list->count - piece.first);
    piece.origin = (ulong)record[1] << 32;
    piece.slope = regression_slope(record[2]);
    regression_set_fields(list, &piece, list->payload + record[0], record[2] >> 26);
    return piece;
}

/* The rest of the vocabulary: regression_segments.cl. */
