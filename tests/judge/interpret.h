#ifndef JUDGE_INTERPRET_H
#define JUDGE_INTERPRET_H

#include "judge.h"

bool broadcast(int *ndim, int64_t *dim, const value *v);
int64_t broadcast_at(const value *v, const value *out, int64_t i);

/* An array as [outer, n, inner] around an axis. */
typedef struct lines {
    int64_t outer, n, inner;
} lines;
lines lines_of(const value *v, int axis);

void interpret_leaf(call *c);
void interpret_create(call *c);
void interpret_cast(call *c);
void interpret_same(call *c);
void interpret_reduce(call *c);
void interpret_moments(call *c);
void interpret_arg(call *c);
void interpret_scan(call *c);
void interpret_diff(call *c);
void interpret_view(call *c);
void interpret_slice(call *c);
void interpret_update_slice(call *c);
void interpret_join(call *c);
void interpret_split(call *c);
void interpret_roll(call *c);
void interpret_pad(call *c);
void interpret_tile(call *c);
void interpret_repeat(call *c);
void interpret_triangle(call *c);
void interpret_take(call *c);
void interpret_scatter(call *c);
void interpret_one_hot(call *c);
void interpret_sort(call *c);
void interpret_topk(call *c);
void interpret_search(call *c);
void interpret_isin(call *c);
void interpret_find(call *c);
void interpret_product(call *c);
void interpret_conv(call *c);
void interpret_pool(call *c);
void interpret_softmax(call *c);
void interpret_activation(call *c);
void interpret_loss(call *c);
void interpret_norm_layer(call *c);
void interpret_attention(call *c);
void interpret_random(call *c);
void interpret_key(call *c);
void interpret_variable(call *c);
void interpret_assign(call *c);
void interpret_effect(call *c);
void interpret_gradient(call *c);
void interpret_fft(call *c);
void interpret_matrix(call *c);
void interpret_part(call *c);
void interpret_pair(call *c);
void interpret_linear_scan(call *c);

#endif
