/* The first program: values on a device, a gradient, and the one place where something is computed. */
#include <situ.h>

int main(void)
{
    situ_scope *scope = situ_scope_open();                 /* owns every temporary made below          */
    situ_device best = situ_try_gpu(0);                    /* gpu(0) if there is one, else the CPU     */

    situ_tensor *x = situ_uniform(situ_key(0, .device = best), SHAPE(2, 3));
    situ_tensor *y = situ_mul(situ_exp(situ_add(x, 2)), x); /* nests like the formula; numbers welcome */
    situ_tensor *loss = situ_mean(y), *gradient;
    situ_grad(loss, TENSORS(x), &gradient);                /* still nothing has been computed          */

    situ_print(gradient);                                  /* now: one plan, run where x lives         */
    printf("loss %.6f\n", situ_item(loss));
    situ_scope_close(scope);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed();                                  /* the first error sticks                   */
}
