/* Partitioned Elias–Fano lists. Twin: src/codec/monotone/partitioned_elias_fano/, which describes the words.
 *
 * A run of docIDs that a work-item takes lies in one block, and a block in one partition. A list without a directory is
 * one Elias–Fano partition, and its walk yields upper parts, to which `finish` adds the lower ones, as in quasi-succinct
 * lists; or it is one run. All other walks yield docIDs. */

/* Kinds of partitions; less is the width of lower bits. */
#define PEF_BITS 32u
#define PEF_RUN 33u
#define PEF_RUNS 34u
/* The parameter of a list with a directory. */
#define PEF_MANY 63u

typedef struct {
    uint kind;
    uint first; /* no docID is less */
    uint block; /* its first block */
    uint count;
    __global const uint *words;
} pef_Partition;

/* The bits that hold numbers up to `most`. */
uint pef_bits_for(uint most) {
    return 32 - clz(most);
}

uint pef_field(__global const uint *words, uint position, uint width) {
    return width == 0 ? 0 : bits_from(words, position) & (~0u >> (32 - width));
}

/* The largest docID of the list. */
uint pef_universe(const List *list) {
    return list->count == 0 ? 0 : list->last[list->blocks - 1];
}

/* The partition that contains a block. */
pef_Partition pef_partition(const List *list, uint block) {
    pef_Partition found;
    found.block = 0;
    found.words = list->payload;
    if (list->parameter != PEF_MANY) {
        found.kind = list->parameter;
        found.count = list->count;
        found.first = found.kind == PEF_RUN ? pef_universe(list) - (list->count - 1) : 0;
        /* The first docID stands before the runs. */
        if (found.kind == PEF_RUNS) found.first = *found.words++;
        return found;
    }
    uint head = list->own[0];
    uint first_width = pef_bits_for(pef_universe(list));
    uint block_width = pef_bits_for(list->blocks);
    uint word_width = head >> 26;
    uint step = 6 + first_width + block_width + word_width;
    __global const uint *entries = list->own + 1;
    uint from = 0;
    uint to = (head & 0x3FFFFFF) - 1;
    while (from < to) {
        uint middle = from + (to - from) / 2;
        if (pef_field(entries, middle * step + 6 + first_width, block_width) <= block) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    uint position = from * step;
    found.kind = pef_field(entries, position, 6);
    found.first = pef_field(entries, position + 6, first_width);
    uint end_block = pef_field(entries, position + 6 + first_width, block_width);
    if (from != 0) {
        position -= block_width + word_width;
        found.block = pef_field(entries, position, block_width);
        found.words += pef_field(entries, position + block_width, word_width);
    }
    found.count = min(list->count, end_block * BLOCK) - found.block * BLOCK;
    return found;
}

/* The upper bits of an Elias–Fano partition. */
__global const uint *pef_upper(const pef_Partition *partition) {
    return partition->words + (((ulong)partition->count * partition->kind + 31) >> 5);
}

/* Runs: the field at `position` of the entry of run `at`, which is not the first. */
typedef struct {
    uint count;
    uint start_width;
    uint before_width;
    __global const uint *entries;
} pef_Runs;

pef_Runs pef_runs(const pef_Partition *partition) {
    pef_Runs runs;
    uint head = partition->words[0];
    runs.count = (head & 0xFFFF) + 1;
    runs.start_width = (head >> 16) & 63;
    runs.before_width = pef_bits_for(partition->count - 1);
    runs.entries = partition->words + 1;
    return runs;
}

/* The first docID of a run, less that of the partition. */
uint pef_run_start(const pef_Runs *runs, uint at) {
    if (at == 0) return 0;
    return pef_field(runs->entries, (at - 1) * (runs->start_width + runs->before_width), runs->start_width);
}

/* The docIDs of the partition before a run; all of them after the last run. */
uint pef_run_before(const pef_Runs *runs, uint at, uint count) {
    if (at == 0) return 0;
    if (at == runs->count) return count;
    uint position = (at - 1) * (runs->start_width + runs->before_width) + runs->start_width;
    return pef_field(runs->entries, position, runs->before_width);
}

/* --- the vocabulary of codecs --- */

void pef_open(List *list) {
    list->second = list->payload;
    if (list->parameter < PEF_BITS) {
        list->second += ((ulong)list->count * list->parameter + 31) >> 5;
    }
}

typedef struct {
    uint kind;
    uint position; /* Elias–Fano: of the next code in the upper bits; bit sets: of the next bit */
    uint rank; /* Elias–Fano: the rank at which the partition begins; runs: the next run */
    uint base; /* Elias–Fano: the upper part from which they count; bit sets: the docID of bit 0 */
    uint doc_id; /* runs: the next docID */
    uint left; /* runs: how many docIDs of the run are left */
    __global const uint *lower; /* Elias–Fano: the lower bits */
    __global const uint *words; /* the upper bits; the bit set; the partition of runs */
} pef_Walk;

pef_Walk pef_walk(const List *list, uint rank) {
    uint block = rank / BLOCK;
    uint within = rank % BLOCK;
    pef_Partition partition = pef_partition(list, block);
    pef_Walk walk = {0};
    walk.kind = partition.kind;
    walk.words = partition.words;
    walk.rank = partition.block * BLOCK;
    uint first = partition.first;
    bool begins = block == partition.block;
    uint previous = begins ? first : list->last[block - 1];
    if (walk.kind < PEF_BITS) {
        walk.lower = partition.words;
        walk.words = pef_upper(&partition);
        walk.base = first >> walk.kind;
        uint position = (previous >> walk.kind) - walk.base + (block * BLOCK - walk.rank);
        walk.position = within == 0 ? position : ef_find_bit(walk.words, position, ~0u, within);
    } else if (walk.kind == PEF_BITS) {
        walk.base = first & ~63u;
        uint position = previous - walk.base + (begins ? 0 : 1);
        walk.position = within == 0 ? position : ef_find_bit(walk.words, position, 0, within);
    } else if (walk.kind == PEF_RUN) {
        walk.doc_id = first + (rank - walk.rank);
        walk.left = ~0u;
    } else {
        pef_Runs runs = pef_runs(&partition);
        uint wanted = rank - walk.rank;
        uint from = 0;
        uint to = runs.count - 1;
        while (from < to) {
            uint middle = to - (to - from) / 2;
            if (pef_run_before(&runs, middle, partition.count) <= wanted) {
                from = middle;
            } else {
                to = middle - 1;
            }
        }
        uint before = pef_run_before(&runs, from, partition.count);
        walk.doc_id = first + pef_run_start(&runs, from) + (wanted - before);
        walk.left = pef_run_before(&runs, from + 1, partition.count) - wanted;
        /* The rest of what the next runs need. */
        walk.position = from + 1;
        walk.base = first;
        walk.rank = partition.count;
    }
    return walk;
}

uint pef_next_in_runs(pef_Walk *walk) {
    if (walk->left == 0) {
        pef_Partition partition;
        partition.words = walk->words;
        partition.count = walk->rank;
        pef_Runs runs = pef_runs(&partition);
        walk->doc_id = walk->base + pef_run_start(&runs, walk->position);
        walk->left = pef_run_before(&runs, walk->position + 1, walk->rank);
        walk->left -= pef_run_before(&runs, walk->position, walk->rank);
        walk->position++;
    }
    walk->left--;
    return walk->doc_id++;
}

uint pef_next_in_bits(pef_Walk *walk) {
    uint word = walk->position >> 5;
    uint bits = walk->words[word] & (~0u << (walk->position & 31));
    while (bits == 0) bits = walk->words[++word];
    uint at = word * 32 + lowest_bit(bits);
    walk->position = at + 1;
    return walk->base + at;
}

uint pef_next(const List *list, pef_Walk *walk, uint rank) {
    uint width = walk->kind;
    if (width == PEF_BITS) return pef_next_in_bits(walk);
    if (width > PEF_BITS) return pef_next_in_runs(walk);
    uint within = rank - walk->rank;
    uint stop = ef_next_stop(walk->words, walk->position);
    walk->position = stop + 1;
    uint part = stop - within + walk->base;
    return list->parameter < PEF_BITS ? part : part << width | ef_lower_part(walk->lower, width, within);
}

uint4 pef_next_four(const List *list, pef_Walk *walk, uint rank) {
    uint width = walk->kind;
    uint4 four;
    if (width >= PEF_BITS) {
        four.x = pef_next(list, walk, rank);
        four.y = pef_next(list, walk, rank + 1);
        four.z = pef_next(list, walk, rank + 2);
        four.w = pef_next(list, walk, rank + 3);
        return four;
    }
    uint within = rank - walk->rank;
    four = ef_upper_parts(walk->words, &walk->position, within) + walk->base;
    if (list->parameter < PEF_BITS) return four;
    return ef_with_lower(four, walk->lower + within / EF_ALIGNED * width, within % EF_ALIGNED * width, width);
}

/* These add the lower parts if the walk left them out. */
uint4 pef_finish_four(const List *list, uint4 parts, uint rank) {
    uint width = list->parameter;
    if (width >= PEF_BITS) return parts;
    return ef_with_lower(parts, list->payload + rank / EF_ALIGNED * width, rank % EF_ALIGNED * width, width);
}

uint pef_finish(const List *list, uint part, uint rank) {
    uint width = list->parameter;
    return width >= PEF_BITS ? part : part << width | ef_lower_part(list->payload, width, rank);
}

bool pef_contains(const List *list, uint block, uint doc_id) {
    pef_Partition partition = pef_partition(list, block);
    uint first = partition.first;
    bool begins = block == partition.block;
    uint width = partition.kind;
    if (doc_id < first) return false;
    if (width == PEF_RUN) return true;
    if (width == PEF_BITS) {
        uint at = doc_id - (first & ~63u);
        return (partition.words[at >> 5] >> (at & 31)) & 1;
    }
    if (width == PEF_RUNS) {
        pef_Runs runs = pef_runs(&partition);
        uint wanted = doc_id - first;
        uint from = 0;
        uint to = runs.count - 1;
        while (from < to) {
            uint middle = to - (to - from) / 2;
            if (pef_run_start(&runs, middle) <= wanted) {
                from = middle;
            } else {
                to = middle - 1;
            }
        }
        uint length = pef_run_before(&runs, from + 1, partition.count) - pef_run_before(&runs, from, partition.count);
        return wanted - pef_run_start(&runs, from) < length;
    }
    uint base = first >> width;
    uint previous = begins ? 0 : (list->last[block - 1] >> width) - base;
    uint position = previous + (block - partition.block) * BLOCK;
    return ef_contains(partition.words, pef_upper(&partition), width, partition.count, position, previous,
        doc_id - (base << width));
}
