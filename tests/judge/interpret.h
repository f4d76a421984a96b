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

/* A reduction: how elements map to results. */
typedef struct reduction {
    bool gone[SITU_MAX_DIMS];
    int64_t n;          /* elements for each result */
    int ndim;
    int64_t dim[SITU_MAX_DIMS];
    bool none;          /* no axis is reduced */
    bool last, between; /* the reduced axes are the last ones; are adjacent */
    int64_t outer, inner;
} reduction;
/* attr: [0] number of axes (-1: all are reduced), [1..] the axes, [8] keepdims. False: invalid axes. */
bool plan_axes(const statement *s, const value *v, reduction *p);
/* The result element to which element i of v belongs. */
int64_t target(const reduction *p, const value *v, int64_t i);

/* Stores x rounded to the result's dtype, with the allowed error `slack` besides the rounding. */
void put_near(call *c, int64_t i, long double x, double slack);
/* The activation of function_kinds.h. */
long double activation_of(int kind, long double x, const statement *s);
/* Distance of neighbouring numbers near 1. */
double unit_of(situ_dtype d);

void interpret_sample(call *c);
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
void interpret_pair_loss(call *c);
void interpret_row_loss(call *c);
void interpret_accuracy(call *c);
void interpret_quantile(call *c);
void interpret_global_norm(call *c);
void interpret_norm_layer(call *c);
void interpret_attention(call *c);
void interpret_random(call *c);
void interpret_key(call *c);
void interpret_variable(call *c);
void interpret_assign(call *c);
void interpret_assign_all(call *c);
void interpret_layer(call *c);
void interpret_effect(call *c);
void interpret_gradient(call *c);
void interpret_fft(call *c);
void interpret_matrix(call *c);
void interpret_part(call *c);
void interpret_pair(call *c);
void interpret_linear_scan(call *c);

#endif
