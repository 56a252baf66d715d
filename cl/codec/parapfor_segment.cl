/* Segments of ParaPFor, for all codecs that use them. Twin: src/codec/values/parapfor/segment.rs, whose header and
 * arrays these are. A segment has up to 256 values. */
#ifndef PARAPFOR_SEGMENT
#define PARAPFOR_SEGMENT

/* The exceptions of a segment that are still ahead. */
typedef struct {
    __global const uint *words; /* the segment */
    uint slot_width;
    uint index_width;
    uint high_width;
    uint exception; /* the index of the next exception; ~0 if there is none */
    uint left; /* exceptions after it */
    uint index_at; /* the bit at which the index after that begins */
    uint high_at; /* the bit at which the next exception's overflow begins */
} parapfor_Segment;

/* A segment of `count` values, to be read from its first value on. */
parapfor_Segment parapfor_open_segment(__global const uint *words, uint count) {
    uint header = words[0];
    uint exceptions = header >> 16;
    parapfor_Segment segment;
    segment.words = words;
    segment.slot_width = header & 63;
    segment.index_width = (header >> 6) & 15;
    segment.high_width = (header >> 10) & 63;
    segment.exception = ~0u;
    segment.left = 0;
    segment.index_at = 32 + count * segment.slot_width;
    segment.high_at = segment.index_at + exceptions * segment.index_width;
    if (exceptions != 0) {
        segment.exception = field_from(words, segment.index_at, segment.index_width);
        segment.left = exceptions - 1;
        segment.index_at += segment.index_width;
    }
    return segment;
}

/* The bits above the slot of the next exception, in their place; moves on to the exception after it. */
uint parapfor_high(parapfor_Segment *segment) {
    uint high = field_from(segment->words, segment->high_at, segment->high_width);
    segment->high_at += segment->high_width;
    segment->exception = ~0u;
    if (segment->left != 0) {
        segment->exception = field_from(segment->words, segment->index_at, segment->index_width);
        segment->left--;
        segment->index_at += segment->index_width;
    }
    return high << segment->slot_width;
}

/* The value with that index. Indices are asked for in order. */
uint parapfor_value(parapfor_Segment *segment, uint index) {
    uint value = field_from(segment->words, 32 + index * segment->slot_width, segment->slot_width);
    if (segment->exception == index) value |= parapfor_high(segment);
    return value;
}

/* Four values from that index on. */
uint4 parapfor_four(parapfor_Segment *segment, uint index) {
    uint4 four = fields_from(segment->words, 32 + index * segment->slot_width, segment->slot_width);
    while (segment->exception < index + 4) {
        uint at = segment->exception - index;
        uint high = parapfor_high(segment);
        four.x |= at == 0 ? high : 0;
        four.y |= at == 1 ? high : 0;
        four.z |= at == 2 ? high : 0;
        four.w |= at == 3 ? high : 0;
    }
    return four;
}

/* The value with that index in a segment of `count` values, without reading the others. */
uint parapfor_get(__global const uint *words, uint count, uint index) {
    uint header = words[0];
    uint slot_width = header & 63;
    uint index_width = (header >> 6) & 15;
    uint high_width = (header >> 10) & 63;
    uint exceptions = header >> 16;
    uint value = field_from(words, 32 + index * slot_width, slot_width);
    uint indices = 32 + count * slot_width;
    uint from = 0;
    uint to = exceptions;
    while (from < to) {
        uint middle = (from + to) / 2;
        if (field_from(words, indices + middle * index_width, index_width) < index) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    if (from < exceptions && field_from(words, indices + from * index_width, index_width) == index) {
        uint highs = indices + exceptions * index_width;
        value |= field_from(words, highs + from * high_width, high_width) << slot_width;
    }
    return value;
}

#endif
