/* What each statement is as a call of the library: indices, products, networks, random numbers, variables, gradients. */
#include <string.h>

#include "function_kinds.h"
#include "loss_kinds.h"
#include "move_kinds.h"
#include "record.h"

RECORD(take)
{
    situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0]};
    situ_last_axis_options last = {.size = sizeof last, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0]};
    return rows[s->row].variant == M_GATHER ? (situ_gather)(in[0], in[1], &last, site) : (situ_take)(in[0], in[1], &o, site);
}

RECORD(embedding) { return (void)s, (situ_embedding)(in[0], in[1], site); }

RECORD(scatter)
{
    situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0]};
    situ_last_axis_options last = {.size = sizeof last, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0]};
    switch (rows[s->row].variant) {
    case M_SCATTER: return (situ_scatter)(in[0], in[1], in[2], &last, site);
    case M_SCATTER_ADD: return (situ_scatter_add)(in[0], in[1], in[2], &last, site);
    default: return (situ_index_add)(in[0], in[1], in[2], &o, site);
    }
}

RECORD(one_hot)
{
    situ_one_hot_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = s->dtype};
    return (situ_one_hot)(in[0], s->attr[0], &o, site);
}

RECORD(sort)
{
    situ_sort_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0], .descending = s->attr[1]};
    return (rows[s->row].variant ? (situ_argsort) : (situ_sort))(in[0], &o, site);
}

RECORD(topk)
{
    situ_tensor *where = NULL;
    situ_topk_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0], .smallest = s->attr[1],
                           .indices = s->attr[3] ? &where : NULL};
    situ_tensor *t = (situ_topk)(in[0], s->attr[2], &o, site);
    return s->attr[3] ? where : t;
}

RECORD(search)
{
    situ_search_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .right = s->attr[0]};
    return (situ_searchsorted)(in[0], in[1], &o, site);
}

RECORD(isin)
{
    situ_isin_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .invert = s->attr[0]};
    return (situ_isin)(in[0], in[1], &o, site);
}

RECORD(find)
{
    switch (rows[s->row].variant) {
    case 0: return (situ_nonzero)(in[0], NULL, site);
    case 1: return (situ_masked)(in[0], in[1], NULL, site);
    default: return (situ_unique)(in[0], NULL, site);
    }
}

RECORD(product)
{
    switch (rows[s->row].variant) {
    case 0: return (situ_matmul)(in[0], in[1], site);
    case 1: return (situ_dot)(in[0], in[1], site);
    default: return (situ_outer)(in[0], in[1], site);
    }
}

RECORD(conv)
{
    const int64_t *a = s->attr;
    situ_conv_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .groups = a[6]};
    if (rows[s->row].variant) {
        o.stride = shape_from(1, a + 1), o.padding = shape_from(1, a + 3), o.dilation = shape_from(1, a + 5);
        return (situ_conv1d)(in[0], in[1], &o, site);
    }
    o.stride = shape_from(2, a), o.padding = shape_from(2, a + 2), o.dilation = shape_from(2, a + 4);
    return (situ_conv2d)(in[0], in[1], &o, site);
}

RECORD(pool)
{
    const int64_t *a = s->attr;
    situ_shape stride = shape_from(2, a + 2), padding = shape_from(2, a + 4);
    situ_max_pool_options most = {.size = sizeof most, .unnamed = SITU_NAMED, .stride = stride, .padding = padding, .dilation = shape_from(2, a + 8), .ceil = a[7]};
    situ_avg_pool_options mean = {.size = sizeof mean, .unnamed = SITU_NAMED, .stride = stride, .padding = padding, .count_padding = a[6], .ceil = a[7]};
    return rows[s->row].variant ? (situ_avg_pool2d)(in[0], shape_from(2, a), &mean, site) : (situ_max_pool2d)(in[0], shape_from(2, a), &most, site);
}

RECORD(softmax)
{
    situ_softmax_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0]};
    return (rows[s->row].variant ? (situ_log_softmax) : (situ_softmax))(in[0], &o, site);
}

RECORD(activation)
{
    situ_gelu_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .exact = s->attr[0]};
    switch (rows[s->row].variant) {
    case F_GELU: return (situ_gelu)(in[0], &o, site);
    case F_SILU: return (situ_silu)(in[0], site);
    case F_MISH: return (situ_mish)(in[0], site);
    case F_LEAKY: return (situ_leaky_relu)(in[0], situ_scalar_float(s->real[0]), site);
    default: return (situ_elu)(in[0], situ_scalar_float(s->real[0]), site);
    }
}

RECORD(loss)
{
    situ_cross_entropy_options e = {.size = sizeof e, .unnamed = SITU_NAMED, .reduction = (situ_reduction)s->attr[0], .axis = -1};
    return (situ_cross_entropy)(in[0], in[1], &e, site);
}

RECORD(accuracy) { return (void)s, (situ_accuracy)(in[0], in[1], site); }

RECORD(pair_loss)
{
    situ_reduction how = (situ_reduction)s->attr[0];
    double bound = s->real[0];
    situ_loss_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .reduction = how};
    situ_kl_div_options k = {.size = sizeof k, .unnamed = SITU_NAMED, .reduction = how};
    situ_binary_options b = {.size = sizeof b, .unnamed = SITU_NAMED, .reduction = how};
    situ_binary_logits_options l = {.size = sizeof l, .unnamed = SITU_NAMED, .reduction = how};
    situ_smooth_l1_options u = {.size = sizeof u, .unnamed = SITU_NAMED, .reduction = how, .beta = bound};
    situ_huber_options h = {.size = sizeof h, .unnamed = SITU_NAMED, .reduction = how, .delta = bound};
    situ_hinge_embedding_options e = {.size = sizeof e, .unnamed = SITU_NAMED, .reduction = how, .margin = bound};
    situ_margin_ranking_options r = {.size = sizeof r, .unnamed = SITU_NAMED, .reduction = how, .margin = bound};
    switch (rows[s->row].variant) {
    case P_MSE: return (situ_mse)(in[0], in[1], &o, site);
    case P_L1: return (situ_l1_loss)(in[0], in[1], &o, site);
    case P_SMOOTH: return (situ_smooth_l1_loss)(in[0], in[1], &u, site);
    case P_HUBER: return (situ_huber_loss)(in[0], in[1], &h, site);
    case P_HINGE: return (situ_hinge_loss)(in[0], in[1], &o, site);
    case P_HINGE_EMBEDDING: return (situ_hinge_embedding_loss)(in[0], in[1], &e, site);
    case P_RANKING: return (situ_margin_ranking_loss)(in[0], in[1], in[2], &r, site);
    case P_SHARE: return (situ_binary_cross_entropy)(in[0], in[1], &b, site);
    case P_LOGIT: return (situ_binary_cross_entropy_with_logits)(in[0], in[1], &l, site);
    default: return (situ_kl_div)(in[0], in[1], &k, site);
    }
}

RECORD(row_loss)
{
    situ_reduction how = (situ_reduction)s->attr[0];
    situ_cosine_embedding_options c = {.size = sizeof c, .unnamed = SITU_NAMED, .reduction = how, .margin = s->real[0]};
    situ_triplet_margin_options t = {.size = sizeof t, .unnamed = SITU_NAMED, .reduction = how, .margin = s->real[0], .ord = 2, .eps = 1e-6};
    if (rows[s->row].variant == P_TRIPLET) return (situ_triplet_margin_loss)(in[0], in[1], in[2], &t, site);
    return (situ_cosine_embedding_loss)(in[0], in[1], in[2], &c, site);
}

RECORD(layer_norm)
{
    situ_layer_norm_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .eps = s->real[0]};
    situ_batch_norm_options b = {.size = sizeof b, .unnamed = SITU_NAMED, .eps = s->real[0], .momentum = 0.1};
    if (rows[s->row].variant) return (situ_batch_norm)(in[0], in[1], in[2], &b, site);
    return (situ_layer_norm)(in[0], in[1], in[2], &o, site);
}

RECORD(attention)
{
    situ_attention_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .causal = s->attr[0]};
    return (situ_attention)(in[0], in[1], in[2], &o, site);
}

/* ---- random numbers ---- */

RECORD(key)
{
    situ_key_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .device = slot_device[s->device]};
    (void)in;
    return (situ_key)(s->attr[0], &o, site);
}

RECORD(random)
{
    const int64_t *a = s->attr;
    situ_shape shape = shape_from(a[0], a + 1);
    situ_layout_kind layout = a[9] ? SITU_PARTITIONABLE : SITU_ORIGINAL;
    situ_draw_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = s->dtype, .device = SITU_DEVICE_DEFAULT, .layout = layout};
    situ_key_split_options plain = {.size = sizeof plain, .unnamed = SITU_NAMED, .device = SITU_DEVICE_DEFAULT, .layout = layout};
    situ_randint_options r = {.size = sizeof r, .unnamed = SITU_NAMED, .dtype = s->dtype, .device = SITU_DEVICE_DEFAULT, .layout = layout};
    situ_uniform_options u = {.size = sizeof u, .unnamed = SITU_NAMED, .dtype = s->dtype, .device = SITU_DEVICE_DEFAULT, .layout = layout,
                              .low = s->real[0], .high = s->real[1]};
    switch (rows[s->row].variant) {
    case N_UNIFORM: return (situ_uniform)(in[0], shape, &u, site);
    case N_NORMAL: return (situ_normal)(in[0], shape, &o, site);
    case N_BITS: return (situ_random_bits)(in[0], shape, &o, site);
    case N_RANDINT: return (situ_randint)(in[0], shape, a[10], a[11], &r, site);
    case N_BERNOULLI: return (situ_bernoulli)(in[0], situ_scalar_float(s->real[0]), shape, &plain, site);
    case N_PERMUTATION: return (situ_permutation)(in[0], a[1], &o, site);
    case N_GUMBEL: return (situ_gumbel)(in[0], shape, &o, site);
    default: return (situ_key_split)(in[0], a[1], &plain, site);
    }
}

/* ---- variables and gradients ---- */

RECORD(variable)
{
    (void)s;
    situ_variable_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .trainable = true};
    return (situ_variable)(in[0], &o, site);
}

RECORD(assign)
{
    if (rows[s->row].variant) (situ_assign_slice)(in[0], in[1], shape_from(s->attr[0], s->attr + 1), site);
    else (situ_assign)(in[0], in[1], site);
    return NULL;
}

RECORD(assign_all)
{
    int n = s->nin / 2;
    (situ_assign_all)((situ_list){in, n}, (situ_list){in + n, n}, site);
    return NULL;
}

RECORD(gradient)
{
    situ_sum_options all = {SITU_DEFAULTS(SITU_SUM_DEFAULTS).size = sizeof all, .unnamed = SITU_NAMED};
    situ_tensor *y = situ_ndim(in[0]) ? (situ_sum)(in[0], &all, site) : in[0], *g = NULL;
    (void)s;
    if ((situ_grad)(y, TENSORS(in[1]), &g, site)) return NULL;
    return g;
}
