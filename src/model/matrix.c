/* The matrices of a model: stored in full or quantised, with an optional low-rank adapter. */
#include "base/memory.h"
#include "model/llama.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* The weight on x's device. A weight that a file stored as halves or blocks has another shape than f32. */
static situ_tensor *weight_of(situ_module *m, const situ_matrix_part *l, situ_tensor *x)
{
    situ_site site = situ_frame_now->site;
    const situ_parameter *p = m->own[0];
    int place = situ_module_place(situ_frame_now->root, x->device);
    if (p->made && place >= 0 && p->copy[place]->dtype != SITU_F32) return p->copy[place];
    return situ_module_use(m, 0, x, SHAPE(l->rows, l->in), .deviation = 0.02);
}

static situ_tensor *rows_of(const situ_matrix_part *l, situ_tensor *w, situ_tensor *tokens, situ_site site)
{
    /* A negative number is no token, though it is an index that counts from the end. */
    situ_tensor *rows = situ_embedding(w, situ_cast(tokens, SITU_U64));
    return rows->dtype == SITU_U8 ? situ_dequantise(rows, (situ_block_type)l->type) : situ_cast(rows, SITU_F32);
}

/* Multiplies floats by the matrix; looks up the rows of integer tokens. */
static situ_tensor *forward_matrix(situ_module *m, situ_tensor *x, void *self)
{
    const situ_matrix_part *l = self;
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    bool tokens = situ_dtype_is_integer((situ_dtype)x->dtype);
    if (!tokens && (!x->ndim || x->dim[x->ndim - 1] != l->in))
        return situ_refuse_input(m, x, "tokens, or rows that are as long as its own");
    situ_tensor *w = weight_of(m, l, x);
    if (situ_error_code) return situ_poisoned();
    if (tokens) return rows_of(l, w, x, site);
    situ_tensor *y =
        w->dtype == SITU_U8 ? situ_quantised_linear(x, w, (situ_block_type)l->type) : situ_matmul(x, situ_transpose(w));
    if (l->bias && !situ_error_code) y = situ_add(y, situ_module_use(m, 1, x, SHAPE(l->rows)));
    if (l->low_rank_by == 0 || situ_error_code) return y;
    /* Scaled here, where the tensor is smallest. */
    situ_tensor *low = situ_mul((situ_module_call)(m->child[0], x, NULL, site), l->low_rank_by);
    return situ_add(y, (situ_module_call)(m->child[1], low, NULL, site));
}

static const situ_module_kind matrix_kind = {.name = "matrix", .forward = forward_matrix, .release = situ_free};

situ_matrix_part *situ_matrix_of(const situ_module *m) { return m->kind == &matrix_kind ? m->self : NULL; }

situ_module *situ_matrix_layer(int64_t rows, int64_t in, bool bias, situ_site site)
{
    situ_matrix_part l = {.rows = rows, .in = in, .bias = bias};
    const char *const names[] = {"weight", bias ? "bias" : NULL, NULL};
    situ_module *m = situ_with_parameters(situ_layer(&matrix_kind, &l, sizeof l, site), names);
    int rc = m ? situ_module_expect(m, 0, SHAPE(rows, in), &(const situ_module_use_options){.deviation = 0.02}) : 0;
    if (m && bias && rc >= 0) rc = situ_module_expect(m, 1, SHAPE(rows), &(const situ_module_use_options){.value = 0});
    return m ? situ_expected(m, rc) : NULL;
}

/* ---- adapters ------------------------------------------------------------------------------------------------------------ */

int situ_matrix_adapt(situ_module *m, int64_t rank, double by, situ_site site)
{
    situ_matrix_part *l = situ_matrix_of(m);
    situ_module *down = situ_linear_layer(rank, .bias = false, .in = l->in),
                *up = situ_linear_layer(l->rows, .bias = false, .in = rank);
    int before = m->children, rc = situ_error_code ? -situ_error_code : situ_module_initialize(up, "weight", SITU_INIT_CONSTANT);
    if (rc < 0) situ_module_free(down);
    else rc = situ_module_adopt(m, "lora_A", down);
    if (rc < 0) situ_module_free(up);
    else rc = situ_module_adopt(m, "lora_B", up);
    if (rc < 0) situ_module_shed(m, before);
    else l->low_rank_by = by;
    return rc < 0 ? rc : 0;
}

void situ_matrix_adapt_no_more(situ_module *m)
{
    situ_module_shed(m, 0);
    situ_matrix_of(m)->low_rank_by = 0;
}
