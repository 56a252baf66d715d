/* The two bounds that memory sets: copying, and writing alone. For measurements (src/device/ceiling.rs), so there
 * is no CPU twin.
 *
 * Work-groups may have any size. Each processes `per_item` uint4s per work-item, one work-group after the other, and
 * the buffers have exactly as many as all work-groups process together. No local memory, no padding. */

__kernel void ceiling_copy(__global const uint4 *restrict from, __global uint4 *restrict to, uint per_item) {
    size_t at = get_group_id(0) * get_local_size(0) * per_item + get_local_id(0);
    for (uint i = 0; i < per_item; i++, at += get_local_size(0)) to[at] = from[at];
}

__kernel void ceiling_write(__global uint4 *restrict to, uint per_item) {
    size_t at = get_group_id(0) * get_local_size(0) * per_item + get_local_id(0);
    for (uint i = 0; i < per_item; i++, at += get_local_size(0)) to[at] = (uint4)((uint)at);
}
