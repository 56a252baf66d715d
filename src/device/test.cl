// Kernels for src/device/tests.rs, which tests sessions without any operation.

// Sums the words of each list and the padding after it, mod 2^32. One work-group of 64 per list.
kernel void sum(global const uint *arena, global const uint *tasks, global uint *sums, uint lists)
{
    local uint part[64];
    uint list = get_group_id(0), item = get_local_id(0), items = get_local_size(0);
    ulong begin = tasks[3 * list] | (ulong)tasks[3 * list + 1] << 32;
    uint words = tasks[3 * list + 2], sum = 0;
    for (uint i = item; i < words; i += items)
        sum += arena[begin + i];
    part[item] = sum;
    for (uint step = items / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            part[item] += part[item + step];
    }
    if (item == 0 && list < lists)
        sums[list] = part[0];
}

// Adds a number to each of `n` words.
kernel void add(global uint *words, ulong n, uint number)
{
    if (get_global_id(0) < n)
        words[get_global_id(0)] += number;
}

#ifdef BY
// Adds the build option BY to the first word.
kernel void add_option(global uint *words)
{
    words[0] += BY;
}
#endif
