/* J2: many small operations cost much more than one big one; recorded together they are fused. */
#include "chapter.h"

enum { MANY = 1000 };

static double small_ones(situ_tensor *x, int count, bool each, double *value)
{
    situ_scope *scope = situ_scope_open();
    double start = row_clock();
    for (int i = 0; i < count; i++) {
        x = situ_add(x, 1);
        if (each) situ_wait(x); /* as if every operation were asked for by itself */
    }
    situ_wait(x);
    double seconds = row_clock() - start;
    *value = situ_item(situ_select(x, 0, 0));
    situ_scope_close(scope);
    return seconds;
}

int row_J2(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *small = situ_zeros(SHAPE(1000)), *big = situ_zeros(SHAPE(1000 * MANY));
    situ_wait(small);
    situ_wait(big);
    double each, fused, one, time[3];
    for (int r = 0; r < 2; r++) { /* the second round finds its plans made */
        time[0] = small_ones(small, MANY, true, &each);
        time[1] = small_ones(small, MANY, false, &fused);
        time[2] = small_ones(big, 1, false, &one);
    }
    static const char *const name[] = {"1000 operations on 1,000 numbers, one by one", "the same, recorded together",
                                       "1 operation on 1,000,000 numbers"};
    for (int i = 0; i < 3; i++) printf("%-46s %9.1f us %s\n", name[i], 1e6 * time[i], row_bar(time[i], time[0]));
    HOLDS(each == MANY && fused == MANY && one == 1);
    HOLDS(time[1] < time[0]);
    situ_scope_close(scope);
    return row_end();
}
