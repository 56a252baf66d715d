/* Dispatch by codec. EACH_CODEC(CASE, LAST) lists the codecs of the program. The last one needs no comparison, so a
 * program for a single codec makes none. */

#define OPEN(prefix) prefix##_open(&list); break;
#define OPEN_CASE(number, prefix) case number: OPEN(prefix)
#define OPEN_LAST(number, prefix) default: OPEN(prefix)

/* The list whose words begin at `words`. */
List list_at(__global const uint *words) {
    List list;
    uint format = words[1];
    list.codec = (format >> 8) & 0xFF;
    list.parameter = (format >> 16) & 0xFF;
    list.count = words[2];
    list.blocks = (list.count + (BLOCK - 1)) / BLOCK;
    list.own = words + HEADER_WORDS;
    list.last = list.own;
    if ((format & 0xFF) != 1) {
        list.own = words + HEADER_WORDS + 1;
        list.last = list.own + words[HEADER_WORDS];
    }
    list.start = DERIVES_LASTS(list.codec) ? list.last : list.last + list.blocks;
    list.payload = HAS_STARTS(list.codec) ? list.start + list.blocks : list.start;
    /* Derived last docIDs follow the list. */
    if (DERIVES_LASTS(list.codec)) list.last = list.payload + words[4];
    switch (list.codec) { EACH_CODEC(OPEN_CASE, OPEN_LAST) }
    return list;
}
