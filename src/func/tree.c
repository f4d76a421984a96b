#include "func/tree.h"

/* last */
#include "op/here.h"

situ_tensor *situ_tree_sum(situ_tensor **value, int n, situ_site site)
{
    for (; n > 1; n = (n + 1) / 2) {
        for (int i = 0; i + 1 < n; i += 2) value[i / 2] = situ_add(value[i], situ_to(value[i + 1], situ_device_of(value[i])));
        if (n & 1) value[n / 2] = value[n - 1];
    }
    return value[0];
}
