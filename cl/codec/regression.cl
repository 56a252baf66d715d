/* Linear regression: what its four codecs share. Twin: src/codec/monotone/regression/. A docID is the upper half of
 * `origin + slope * index`, modulo 2^64, plus a deviation, modulo 2^32. Included before each of these codecs' files, after
 * parapfor_segment.cl. */

#ifndef REGRESSION_SEGMENT
#define REGRESSION_SEGMENT 256u
/* The bit of the parameter byte that says that deviations are ParaPFor's segments. */
#define REGRESSION_EXCEPTED 0x80u

/* docIDs of consecutive ranks on one line. */
typedef struct {
    ulong origin; /* of the line; index 0 is the first docID */
    ulong slope;
    uint first; /* the rank of the first docID */
    uint count;
    uint width; /* of the fields */
    __global const uint *fields; /* deviations or, with exceptions, their low bits after the segment's header */
} regression_Piece;

/* The slope in short form: 21 bits of mantissa, above them five of exponent. */
ulong regression_slope(uint word) {
    return (ulong)(word & 0x1FFFFF) << (((word >> 21) & 31) + 12);
}

/* The field with that index, by a window whose position fits in 32 bits. */
uint regression_field(const regression_Piece *piece, uint index) {
    return field_from(piece->fields + (index >> 5) * piece->width, (index & 31) * piece->width, piece->width);
}

/* Sets the fields of a piece: those of that width at `start`, or of the segment there. */
void regression_set_fields(const List *list, regression_Piece *piece, __global const uint *start, uint width) {
    piece->fields = start;
    piece->width = width;
    if (list->parameter & REGRESSION_EXCEPTED) {
        piece->fields = start + 1;
        piece->width = start[0] & 63;
    }
}

/* The line at an index. */
ulong regression_line(const regression_Piece *piece, uint index) {
    return piece->origin + piece->slope * index;
}

/* The docID with an index, alone. */
uint regression_doc_id(const List *list, const regression_Piece *piece, uint index) {
    uint line = (uint)(regression_line(piece, index) >> 32);
    if (list->parameter & REGRESSION_EXCEPTED) return line + parapfor_get(piece->fields - 1, piece->count, index);
    return line + regression_field(piece, index);
}

/* The exceptions of a segment in the order of their indexes, those from `index` on. */
parapfor_Segment regression_exceptions(const regression_Piece *piece, uint index) {
    __global const uint *words = piece->fields - 1;
    parapfor_Segment segment = parapfor_open_segment(words, piece->count);
    uint count = words[0] >> 16;
    uint indexes = 32 + piece->count * piece->width;
    uint from = 0;
    uint to = count;
    while (from < to) {
        uint middle = (from + to) / 2;
        if (field_from(words, indexes + middle * segment.index_width, segment.index_width) < index) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    if (from != 0) {
        segment.high_at += (from - 1) * segment.high_width;
        segment.index_at = indexes + from * segment.index_width;
        segment.left = count - from;
        parapfor_high(&segment); /* moves on to the exception with number `from`, if there is one */
    }
    return segment;
}

/* A walk over exceptions, in which each comes up at its rank. */
typedef struct {
    uint first; /* the rank of index 0 */
    parapfor_Segment segment;
} regression_Walk;

regression_Walk regression_walk(const regression_Piece *piece, uint rank) {
    regression_Walk walk;
    walk.first = piece->first;
    walk.segment = regression_exceptions(piece, rank - piece->first);
    return walk;
}

/* The overflow of the docID of that rank in its place, 0 if it is no exception. */
uint regression_high(regression_Walk *walk, uint rank) {
    return walk->segment.exception == rank - walk->first ? parapfor_high(&walk->segment) : 0;
}

/* --- searching --- */

/* Whether a docID is among those with indexes from `from` on and before `to`, in one block or bucket. `most` is the largest
 * deviation. Its index is in the safe range, as `safe_range` of look_up.rs has it; a quotient of floats is off by less than a
 * millionth of itself, and one and that are added on both sides. */
bool regression_is_among(const List *list, const regression_Piece *piece, uint from, uint to, uint most, uint doc_id) {
    if (piece->slope != 0) {
        uint above = doc_id - (uint)(regression_line(piece, from) >> 32);
        float inverse = 4294967296.0f / (float)piece->slope;
        float least = above > most ? (float)(above - most - 1) * inverse : 0.0f;
        float largest = ((float)above + 1.0f) * inverse;
        least -= least * 1e-6f + 1.0f;
        largest += largest * 1e-6f + 2.0f;
        float count = (float)(to - from);
        to = from + min((uint)min(largest, count), to - from); /* the greatest counts are rounded */
        from += (uint)clamp(least, 0.0f, count);
    }
    while (to - from > 1 && from < to) {
        uint middle = from + (to - from) / 2;
        if (regression_doc_id(list, piece, middle) <= doc_id) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return from < to && regression_doc_id(list, piece, from) == doc_id;
}

/* The largest deviation of a piece. */
uint regression_most(const List *list, const regression_Piece *piece) {
    uint width = piece->width;
    if (list->parameter & REGRESSION_EXCEPTED) width += ((piece->fields - 1)[0] >> 10) & 63;
    return low_mask(width);
}
#endif
