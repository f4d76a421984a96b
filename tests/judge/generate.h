#ifndef JUDGE_GENERATE_H
#define JUDGE_GENERATE_H

#include "judge.h"

#define MAKE(name) bool make_##name(maker *g, statement *s)
MAKE(leaf);
MAKE(create);
MAKE(element);
MAKE(cast);
MAKE(reduce);
MAKE(arg);
MAKE(scan);
MAKE(diff);
MAKE(view);
MAKE(slice);
MAKE(update_slice);
MAKE(join);
MAKE(split);
MAKE(roll);
MAKE(pad);
MAKE(tile);
MAKE(triangle);
MAKE(take);
MAKE(embedding);
MAKE(scatter);
MAKE(one_hot);
MAKE(sort);
MAKE(topk);
MAKE(search);
MAKE(isin);
MAKE(find);
MAKE(product);
MAKE(conv);
MAKE(pool);
MAKE(softmax);
MAKE(activation);
MAKE(loss);
MAKE(pair_loss);
MAKE(row_loss);
MAKE(quantile);
MAKE(global_norm);
MAKE(layer);
MAKE(layer_norm);
MAKE(attention);
MAKE(random);
MAKE(key);
MAKE(variable);
MAKE(assign);
MAKE(assign_all);
MAKE(copy);
MAKE(effect);
MAKE(gradient);
MAKE(fft);
MAKE(matrix);
MAKE(part);
MAKE(pair);
MAKE(linear_scan);
MAKE(one_operand);
MAKE(sample);

/* Adds a leaf: integers from low to high, other dtypes in a style. Returns its number, or -1 if the program is full. */
int add_leaf(maker *g, situ_dtype d, int ndim, const int64_t *dim, int device, int style, int64_t low, int64_t high);
/* Adds a cast if the value has another dtype. */
int add_cast(maker *g, int value, situ_dtype d);
/* Adds a statement if it is acceptable; returns its number or -1. */
int add(maker *g, const statement *s);
/* The same for an operation by name, with one or two operands and no attributes. */
int add_row(maker *g, const char *name, int nin, int a, int b);
/* A random operation of these groups, by weight. */
int row_of_groups(maker *g, unsigned groups);
/* Adds several statements that belong together. */
bool idiom(maker *g);
/* Functions at special points and their gradients; norms of numbers whose squares overflow; means of very many. */
bool corner_idiom(maker *g);
bool scaled_idiom(maker *g);
bool large_window_idiom(maker *g);
situ_dtype random_dtype(maker *g);
situ_dtype random_of(maker *g, unsigned set);
/* A value whose shape broadcasts with that of `beside`, on the same device. */
int pick_beside(maker *g, int beside, unsigned dtypes);
/* An axis of the value, from either end; rarely an invalid one. */
int64_t random_axis(maker *g, const value *v);
void random_axes(maker *g, const value *v, int64_t *attr);
static inline void operands(maker *g, statement *s, int n, int a, int b, int c)
{
    s->nin = (int16_t)n;
    s->in[0] = (int16_t)a, s->in[1] = (int16_t)b, s->in[2] = (int16_t)c;
    s->device = a >= 0 ? g->p->s[a].device : 0;
}
static inline const value *value_of(const maker *g, int i) { return &g->m.value[i]; }

#endif
