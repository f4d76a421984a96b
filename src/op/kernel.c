#include "op/kernel.h"

void situ_kernel_shape(const situ_call_desc *c, int64_t *k)
{
    situ_domain *domain = (situ_domain *)(void *)k;
    *domain = (situ_domain){.outer = 1, .rows = 1, .inner = 1, .work = 1};
    c->op->kernel->shape(c, k);
}

static void piece(void *part, int64_t first, int64_t end)
{
    const situ_part *p = part;
    p->call->op->kernel->run[p->call->in[0].dtype](p, first, end);
}

void situ_kernel_host(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    situ_host quiet = *h;
    if (!c->op->can_fail) quiet.fault = NULL, h = &quiet;
    situ_part p = {.call = c, .host = h, .out = address[0]};
    for (int i = 0; i < c->nin && i < 3; i++) p.in[i] = address[1 + i];
    if (c->nin > 1) p.index = (situ_dtype)c->in[1].dtype;
    situ_host_missing((situ_dtype)c->out.dtype, p.missing);
    situ_kernel_shape(c, p.k);
    const situ_domain *d = (const situ_domain *)(const void *)p.k;
    int64_t count = d->outer * d->rows * d->inner;
    if (!d->ordered) {
        situ_host_pieces(h, piece, &p, count, SITU_HOST_LEAST / d->work);
        return;
    }
    if (address[0] != address[1])
        memcpy(address[0], address[1], (size_t)situ_layout_count(&c->out) * situ_dtype_size((situ_dtype)c->out.dtype));
    if (count) piece(&p, 0, count);
}
