/* From the start of a process to its first printed product: timed by bench/lines start. */
#include <situ.h>

int main(void)
{
    situ_scope *scope = situ_scope_open();
    situ_print(situ_matmul(situ_ones(SHAPE(3, 4)), situ_uniform(situ_key(0), SHAPE(4, 2))));
    situ_scope_close(scope);
    return situ_failed();
}
