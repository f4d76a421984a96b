/* L1: the functions that the chapter uses. */
#include "chapter.h"

int row_L1(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_linspace(0, 100, 5);
    situ_print(x);
    situ_print(situ_pow(x, 0.5));
    situ_print(situ_log(situ_abs(situ_negative(x))));
    situ_print(situ_exp(situ_div(x, 50)));

    situ_tensor *pair[2];
    situ_key_split_into(situ_key(0), 2, pair);
    situ_print(pair[0]);
    situ_tensor *normal = situ_normal(pair[1], SHAPE(10));
    situ_print(normal);

    double root[5];
    situ_read(situ_cast(situ_pow(x, 0.5), SITU_F64), root, sizeof root);
    HOLDS(root[0] == 0 && root[1] == 5 && root[4] == 10);
    uint32_t key[2];
    situ_read(pair[0], key, sizeof key);
    HOLDS(key[0] == 4146024105u && key[1] == 967050713u); /* JAX's numbers */
    HOLDS(fabs(situ_item(situ_mean(normal))) < 1);
    situ_scope_close(scope);
    return row_end();
}
