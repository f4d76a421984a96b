/* A pole on a cart, pushed left or right: the task of Barto, Sutton and Anderson (1983), with the numbers of Gymnasium's CartPole-v1. */
#ifndef CARTPOLE_H
#define CARTPOLE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CART_LIMIT = 500 }; /* steps of an episode at most */
typedef struct cart {
    float state[4]; /* position, speed, angle, its speed */
    int steps;
} cart;

/* Between 0 and 1. */
static inline double uniform(void) { return (rand() + 0.5) / (RAND_MAX + 1.0); }

static inline void reset(cart *c)
{
    c->steps = 0;
    for (int k = 0; k < 4; k++) c->state[k] = (float)(0.1 * uniform() - 0.05);
}

/* Has it fallen or left the track? */
static inline bool fallen(const cart *c) { return fabsf(c->state[0]) > 2.4f || fabsf(c->state[2]) > 0.2095f; }

/* Pushes it for 0.02 s; is the episode over? */
static inline bool push(cart *c, int right)
{
    float *s = c->state, cosine = cosf(s[2]), sine = sinf(s[2]);
    float pull = ((right ? 10.0f : -10.0f) + 0.05f * s[3] * s[3] * sine) / 1.1f;
    float turn = (9.8f * sine - cosine * pull) / (0.5f * (4.0f / 3 - 0.1f * cosine * cosine / 1.1f));
    float change[4] = {s[1], pull - 0.05f * turn * cosine / 1.1f, s[3], turn};
    for (int i = 0; i < 4; i++) s[i] += 0.02f * change[i];
    return ++c->steps == CART_LIMIT || fallen(c);
}

#endif
