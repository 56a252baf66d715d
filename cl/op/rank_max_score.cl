/* Ranked search, OR of few terms: postings of leading terms are looked up in the other lists, as far as they can reach the
 * threshold (MaxScore: Turtle, Flood 1995). See rank_common.cl. */

/* A term whose postings lead, by what it adds to a score at most, the greatest first. */
typedef struct {
    Postings list;
    __global const float *table;
    float weight;
    uint pieces; /* pieces of the terms before it */
    ulong rest;  /* what it and the terms after it add to a score at most */
} Lead;

/* Puts a query's terms in their order, those that the segment does not have, and one more, at the end: they have neither
 * postings nor scores. */
void order_leads(__local Lead *leads, __local ulong *bounds, __global const uint *arena, __global const uint4 *terms,
                 uint4 own, uint item) {
    uint count = own.y - own.x;
    Lead lead = {.pieces = 0, .rest = 0};
    if (item < count) {
        uint4 term = terms[own.x + item];
        if (term.x != NONE) {
            lead.list = postings_at(arena, term.x);
            lead.table = (__global const float *)(arena + (ulong)term.w * ALIGNMENT);
            lead.weight = as_float(term.y);
            lead.pieces = (lead.list.count + PIECE - 1) / PIECE;
            lead.rest = bound_of(lead.list.most, lead.weight, as_float(own.z), lead.table);
        }
        bounds[item] = lead.rest;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count) {
        uint before = 0;
        for (uint t = 0; t < count; t++) {
            before += bounds[t] > lead.rest || (bounds[t] == lead.rest && t < item);
        }
        leads[before] = lead;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        uint pieces = 0;
        for (uint t = 0; t < count; t++) {
            uint of_lead = leads[t].pieces;
            leads[t].pieces = pieces;
            pieces += of_lead;
        }
        ulong rest = 0;
        for (uint t = count; t > 0; t--) {
            rest += leads[t - 1].rest;
            leads[t - 1].rest = rest;
        }
        leads[count].pieces = pieces;
        leads[count].rest = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* No posting with a smaller saturation reaches `limit`, if other terms add `rest` at most. A little less than exact. */
float least_saturation(ulong limit, ulong rest, float weight, float scale) {
    /* The least score is 1. */
    if (limit <= rest + 1) return 0;
    return convert_float(limit - rest - 1) / scale / weight * (1.0f - 0x1p-20f);
}

/* Which of four postings, of which the first is at a multiple of four, have such a saturation or a greater one: a bit each. */
uint reaching_of(const Postings *list, uint at, float saturation, __global const float *table) {
    if (at >= list->count) return 0;
    uint2 codes = ((__global const uint2 *)list->codes)[at / 4];
    uint reaching = 0;
    for (uint i = 0; i < 4; i++) {
        uint code = (i < 2 ? codes.x : codes.y) >> (i % 2 * 16) & 0xFFFFu;
        reaching |= (uint)(at + i < list->count && table[code] >= saturation) << i;
    }
    return reaching;
}

/* The score of a document of a lead, whose own part is `score`; 0 if it does not reach `limit`, has a term that leads before,
 * or is excluded. */
ulong score_of_any(__local const Lead *leads, uint lead, uint doc_id, ulong score, ulong limit,
                   __global const uint *arena, __global const uint4 *terms, uint4 own, uint end) {
    uint at;
    for (uint t = lead + 1; leads[t].rest != 0 && score + leads[t].rest >= limit; t++) {
        Postings list = leads[t].list;
        ulong most = bound_of(list.maxima[doc_id >> list.shift], leads[t].weight, as_float(own.z), leads[t].table);
        if (score + most + leads[t + 1].rest < limit) return 0;
        if (find_posting(&list, doc_id, &at)) {
            score += score_at(&list, at, leads[t].weight, as_float(own.z), leads[t].table);
        }
    }
    if (score < limit) return 0;
    for (uint t = 0; t < lead; t++) {
        Postings list = leads[t].list;
        if (find_posting(&list, doc_id, &at)) return 0;
    }
    for (uint t = own.y; t < end; t++) {
        uint place = terms[t].x;
        if (place == NONE) continue;
        Postings list = postings_at(arena, place);
        if (find_posting(&list, doc_id, &at)) return 0;
    }
    return score;
}

/* Work-groups take turns at the pieces, of PIECE postings each, of a query's leads: those from `from` to `to`, each `step`
 * after its last one. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void rank_max_score(__global const uint *arena, __global const uint4 *tables, uint terms_at,
                    __global const uint *allowed, uint restricted, uint ordinals, uint base, __global uint *states,
                    uint batch, __global uint4 *candidates, uint room, uint k, uint from, uint to, uint step) {
    __local Lead leads[MOST_LEADS + 1];
    __local ulong bounds[MOST_LEADS];
    __local ulong scores[PIECE];
    __local uint doc_ids[PIECE];
    __local ushort queue[PIECE];
    __local uint found[ITEMS];
    __local uint least, queued, reached, counter, reserved;
    uint item = get_local_id(0);
    uint query = get_group_id(0) % batch;
    __global const uint4 *terms = tables + terms_at;
    __global uint *state = states + STATE * query;
    uint4 own = tables[query];
    uint end = tables[query + 1].x;
    float scale = as_float(own.z);
    ulong worst_score = (ulong)state[WORST + 1] << 32 | state[WORST];
    uint worst_ordinal = state[WORST + 2];
    order_leads(leads, bounds, arena, terms, own, item);
    uint last = min(to, leads[own.y - own.x].pieces);
    uint lead = 0;
    for (uint piece = from + get_group_id(0) / batch; piece < last; piece += step) {
        while (piece >= leads[lead + 1].pieces) lead++;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            least = ((volatile __global uint *)state)[THRESHOLD];
            queued = reached = 0;
        }
        found[item] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        ulong limit = max((ulong)least << BELOW_BUCKET, worst_score);
        /* If this lead cannot reach it, those that follow cannot either. */
        if (leads[lead].rest >= limit) {
            /* Postings that reach it if the terms that follow add all they can. */
            Postings list = leads[lead].list;
            __global const float *table = leads[lead].table;
            float weight = leads[lead].weight;
            float saturation = least_saturation(limit, leads[lead + 1].rest, weight, scale);
            uint first = (piece - leads[lead].pieces) * PIECE;
            uint reaching = reaching_of(&list, first + 4 * item, saturation, table);
            if (reaching != 0) {
                uint place = atomic_add(&queued, popcount(reaching));
                for (uint i = 0; i < 4; i++) {
                    if (reaching >> i & 1) queue[place++] = 4 * item + i;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint at = item; at < queued; at += ITEMS) {
                uint posting = first + queue[at];
                uint doc_id = list.doc_ids[posting];
                if (!is_allowed(allowed, restricted, doc_id)) continue;
                ulong score = score_at(&list, posting, weight, scale, table);
                score = score_of_any(leads, lead, doc_id, score, limit, arena, terms, own, end);
                if (score == 0) continue;
                if (score == worst_score && ordinal_of(arena, ordinals, base, doc_id) >= worst_ordinal) continue;
                uint place = atomic_inc(&reached);
                scores[place] = score;
                doc_ids[place] = doc_id;
                atomic_inc(&found[bucket_of(score)]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (reached != 0) {
                raise_threshold(found, histogram_of(states, batch, query), &state[THRESHOLD], k, item, &least);
                uint kept = 0;
                for (uint at = item; at < reached; at += ITEMS) kept += bucket_of(scores[at]) >= least;
                uint place = reserve(kept, &counter, &reserved, &state[CANDIDATES], item);
                for (uint at = item; at < reached; at += ITEMS) {
                    if (bucket_of(scores[at]) < least) continue;
                    if (place < room) {
                        uint ordinal = ordinal_of(arena, ordinals, base, doc_ids[at]);
                        candidates[(ulong)query * room + place] = candidate(scores[at], ordinal, base + doc_ids[at]);
                    }
                    place++;
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        } else {
            last = piece;
        }
    }
}
