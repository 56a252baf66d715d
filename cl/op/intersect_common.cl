/* The tiles of intersect.cl, as the parts of all codecs use them. */

#define TILE (1u << TILE_LOG)
#define TILE_WORDS (TILE / 32)

/* Where a list marks its docIDs. */
typedef struct {
    uint start; /* the first docID of the tile */
    bool first; /* whether the list is the first of its query */
    __local uint *marked;
    __local const uint *among; /* what the previous list has marked */
} Marks;

/* Marks a docID if it lies in the tile and all previous lists contain it. */
void mark(const Marks *marks, uint doc_id) {
    uint at = doc_id - marks->start;
    if (at < TILE) {
        uint bit = 1u << (at % 32);
        if (marks->first || (marks->among[at / 32] & bit)) atomic_or(&marks->marked[at / 32], bit);
    }
}
