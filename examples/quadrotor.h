/* A planar quadrotor: two rotors, gravity and inertia. It is to fly to a point and to hover there. */
#ifndef QUADROTOR_H
#define QUADROTOR_H

#include <math.h>
#include <stdlib.h>

enum { LIMIT = 200, SEEN = 6 }; /* steps of an episode at most; numbers of its state */
typedef struct craft {
    float s[SEEN]; /* position across and up from the aim (m), angle, and their speeds */
    int steps;
    double earned;
} craft;

static inline float between(double low, double high) { return (float)(low + (high - low) * (rand() + 0.5) / (RAND_MAX + 1.0)); }
static inline float normal(void) { return sqrtf(-2 * logf(between(0, 1))) * cosf(between(0, 6.2831853)); }

static inline void reset(craft *c)
{
    *c = (craft){.s = {between(-1, 1), between(-1, 1), between(-0.5, 0.5), between(-0.5, 0.5), between(-0.5, 0.5), between(-0.5, 0.5)}};
}

/* 1 kg, arms of 0.2 m, 0.02 kg m^2, for 0.04 s; a thrust of 0 is half the weight. 1: it is over; what it earns goes to *reward. */
static inline int fly(craft *c, const float thrust[2], float *reward)
{
    float left = 4.905f * fmaxf(0, 1 + thrust[0]), right = 4.905f * fmaxf(0, 1 + thrust[1]), *s = c->s;
    float force[3] = {-(left + right) * sinf(s[2]), (left + right) * cosf(s[2]) - 9.81f, 0.2f * (right - left) / 0.02f};
    for (int i = 0; i < 3; i++) s[3 + i] += 0.04f * force[i], s[i] += 0.04f * s[3 + i];
    float far = sqrtf(s[0] * s[0] + s[1] * s[1]);
    *reward = 0.1f * (expf(-2 * far) + 0.5f - 0.1f * fabsf(s[2]) - 0.02f * fabsf(s[5]));
    c->earned += *reward;
    return far > 3 || fabsf(s[2]) > 1.5f ? 1 : ++c->steps == LIMIT ? 2 : 0;
}

#endif
