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

/* Of [outer]: their results begin as operand 0's or as zeros. */
static void ordered_piece(void *part, int64_t first, int64_t end)
{
    const situ_part *p = part;
    const situ_domain *d = (const situ_domain *)(const void *)p->k;
    int64_t bytes = d->n * d->inner * (int64_t)situ_dtype_size((situ_dtype)p->call->out.dtype), each = d->rows * d->inner;
    if (d->ordered == SITU_FROM_ZERO) memset(p->out + first * bytes, 0, (size_t)((end - first) * bytes));
    else if (p->out != p->in[0]) memcpy(p->out + first * bytes, p->in[0] + first * bytes, (size_t)((end - first) * bytes));
    if (each) piece(part, first * each, end * each);
}

void situ_kernel_host(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    situ_host quiet = *h;
    if (!c->op->can_fail) quiet.fault = NULL, h = &quiet;
    situ_part p = {.call = c, .host = h, .out = address[0]};
    for (int i = 0; i < c->nin && i < 3; i++) p.in[i] = address[1 + i];
    if (c->nin > 1) p.index = (situ_dtype)c->in[1].dtype;
    situ_host_missing((situ_dtype)c->out.dtype, p.missing);
    situ_dtype x = (situ_dtype)c->in[0].dtype;
    p.flip = situ_dtype_is_signed(x) && situ_dtype_size(x) <= 8 ? 1ull << (8 * situ_dtype_size(x) - 1) : 0;
    p.infinity = x == SITU_F16 ? 0x7c00 : 0x7f80;
    situ_kernel_shape(c, p.k);
    const situ_domain *d = (const situ_domain *)(const void *)p.k;
    int64_t each = d->rows * d->inner;
    if (d->ordered == SITU_IN_ORDER) ordered_piece(&p, 0, d->outer);
    else if (d->ordered) situ_host_pieces(h, ordered_piece, &p, d->outer, SITU_HOST_LEAST / (1 + each * d->work));
    else {
        int64_t least = SITU_HOST_LEAST / d->work;
        /* lines of elements that lie far apart: adjacent lines together */
        situ_host_pieces(h, piece, &p, d->outer * each, d->inner > 1 && least < SITU_KERNEL_BESIDE ? SITU_KERNEL_BESIDE : least);
    }
}
