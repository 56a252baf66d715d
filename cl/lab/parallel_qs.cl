/* The thesis' Parallel-QS (Li 2014, chapter 5): its naive, block-based and merged variants, as an experiment. What the
 * engine uses is in cl/codec/quasi_succinct.cl. The host is src/device/parallel_qs.rs; the CPU twin is
 * src/codec/monotone/quasi_succinct/raw.rs.
 *
 * Work-groups may have any power of two of work-items up to 256; local memory 2 KiB. Buffers have the
 * words that counts say; work-items beyond a count do nothing but wait at barriers. Bit i of a bit array is bit i % 32 of
 * word i / 32. A stop bit is 0. */

/* Naive, step 1: a word per bit; 1 for the bits of unary codes, 0 for stop bits. */
__kernel void qs_unpack(__global const uint *upper, uint bits, __global uint *unary) {
    uint i = get_global_id(0);
    if (i < bits) unary[i] = upper[i >> 5] >> (i & 31) & 1;
}

/* Block-based, step 1: the bits of unary codes in each word. Bits beyond the last stop bit are 0. */
__kernel void qs_count(__global const uint *upper, uint words, __global uint *counts) {
    uint i = get_global_id(0);
    if (i < words) counts[i] = popcount(upper[i]);
}

/* Step 2: exclusive prefix sums within each work-group's words, in place, and their total. */
__kernel void qs_scan(__global uint *values, uint count, __global uint *totals) {
    __local uint sums[2 * 256];
    uint i = get_global_id(0), here = get_local_id(0), size = get_local_size(0);
    uint value = i < count ? values[i] : 0;
    uint from = 0;
    sums[here] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < size; distance *= 2, from = size - from) {
        uint sum = sums[from + here] + (here >= distance ? sums[from + here - distance] : 0);
        sums[size - from + here] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint sum = sums[from + here];
    if (i < count) values[i] = sum - value;
    if (here == size - 1) totals[get_group_id(0)] = sum;
}

/* Step 2, after the totals were scanned: adds those before each work-group. */
__kernel void qs_add(__global uint *values, uint count, __global const uint *totals) {
    uint i = get_global_id(0);
    if (i < count) values[i] += totals[get_group_id(0)];
}

/* Naive, step 3: each stop bit writes the unary bits before it, which are the upper bits of its docID. */
__kernel void qs_gather_bits(__global const uint *upper, uint bits, __global const uint *before, uint count,
                             __global uint *uppers) {
    uint i = get_global_id(0);
    if (i < bits && (upper[i >> 5] >> (i & 31) & 1) == 0) {
        uint rank = i - before[i];
        if (rank < count) uppers[rank] = before[i];
    }
}

/* Block-based, step 3: the same, a word per work-item. */
__kernel void qs_gather_words(__global const uint *upper, uint words, __global const uint *before, uint count,
                              __global uint *uppers) {
    uint i = get_global_id(0);
    if (i < words) {
        uint word = upper[i], value = before[i], rank = 32 * i - value;
        for (uint bit = 0; bit < 32; bit++) {
            if (word >> bit & 1) {
                value++;
            } else {
                if (rank < count) uppers[rank] = value;
                rank++;
            }
        }
    }
}

/* The lower bits of a docID. */
inline uint lower_of(__global const uint *lower, uint width, uint rank) {
    ulong bit = (ulong)rank * width;
    uint at = (uint)(bit >> 5), shift = (uint)bit & 31;
    uint value = width == 0 ? 0 : lower[at] >> shift;
    if (shift + width > 32) value |= lower[at + 1] << (32 - shift);
    return value & ((1u << width) - 1);
}

/* Step 4: lower bits. */
__kernel void qs_lower(__global const uint *lower, uint width, uint count, __global uint *lowers) {
    uint i = get_global_id(0);
    if (i < count) lowers[i] = lower_of(lower, width, i);
}

/* Step 5: both parts of each docID. */
__kernel void qs_combine(__global const uint *lowers, uint width, uint count, __global uint *uppers) {
    uint i = get_global_id(0);
    if (i < count) uppers[i] = uppers[i] << width | lowers[i];
}

/* Steps 4 and 5 in one, of the merged variant. */
__kernel void qs_lower_combine(__global const uint *lower, uint width, uint count, __global uint *uppers) {
    uint i = get_global_id(0);
    if (i < count) uppers[i] = uppers[i] << width | lower_of(lower, width, i);
}
