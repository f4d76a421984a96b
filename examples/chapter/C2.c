/* C2: printing a tensor shows its values, shape and device. */
#include "chapter.h"

int row_C2(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_reshape(situ_arange(1, 7, 1, .dtype = SITU_F32), SHAPE(2, 3));
    situ_print(x);
    situ_print(situ_linspace(0, 1, 10000000)); /* large ones in summary */

    char *text = situ_text(x);
    HOLDS(text && !strcmp(text, "[[1., 2., 3.],\n [4., 5., 6.]] f32[2,3] @cpu(0)"));
    free(text);
    situ_scope_close(scope);
    return row_end();
}
