/* The two bounds of memory: copying, and writing alone. Twin: none, they are for measurements (src/device/ceiling.rs).
 *
 * Work-groups of any size; each takes `per_item` uint4s a work-item, one behind the other, and the buffers have exactly
 * as many as all work-groups take together. No local memory, no padding. */

__kernel void ceiling_copy(__global const uint4 *restrict from, __global uint4 *restrict to, uint per_item) {
    size_t at = get_group_id(0) * get_local_size(0) * per_item + get_local_id(0);
    for (uint i = 0; i < per_item; i++, at += get_local_size(0)) to[at] = from[at];
}

__kernel void ceiling_write(__global uint4 *restrict to, uint per_item) {
    size_t at = get_group_id(0) * get_local_size(0) * per_item + get_local_id(0);
    for (uint i = 0; i < per_item; i++, at += get_local_size(0)) to[at] = (uint4)((uint)at);
}
