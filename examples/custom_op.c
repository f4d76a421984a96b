/* An operation of one's own: softsign(x) = x / (1 + |x|), with its gradient 1 / (1 + |x|)^2 written as operations. */
#include <math.h>

#include <situ.h>

static int infer(situ_custom_shape *c)
{
    c->shape = c->in_shape[0];
    c->dtype = c->in_dtype[0];
    return c->dtype == SITU_F32 ? 0 : -1; /* other dtypes are refused at the call */
}

/* Runs on contiguous memory, in any thread. */
static int run(const situ_custom_run *c)
{
    const float *x = c->in[0];
    float *y = c->out;
    int64_t count = 1;
    for (int i = 0; i < c->shape.ndim; i++) count *= c->shape.dim[i];
    for (int64_t i = 0; i < count; i++) y[i] = x[i] / (1 + fabsf(x[i]));
    return 0;
}

static situ_tensor *gradient(const situ_custom_grad *c)
{
    return situ_div(c->g, situ_square(situ_add(1, situ_abs(c->in[0]))));
}

int main(void)
{
    const situ_custom *softsign = situ_custom_new("softsign", 1, infer, run, gradient);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_linspace(-2, 2, 5), *g, *gg;
    situ_tensor *y = situ_custom_call(softsign, TENSORS(x), NULL, 0);
    situ_print(y);
    situ_grad(situ_sum(y), TENSORS(x), &g);
    situ_print(g);
    situ_grad(situ_sum(g), TENSORS(x), &gg); /* the gradient is made of operations, so it has one too */
    situ_print(gg);

    situ_custom_call(softsign, TENSORS(situ_arange(0, 3, 1)), NULL, 0);
    situ_error error;
    situ_error_take(&error);
    printf("\nintegers: %s\n", error.message);
    situ_scope_close(scope);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed();
}
