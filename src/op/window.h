/* Windows over the last axes of a tensor, from the options of convolutions and pooling. */
#ifndef SITU_OP_WINDOW_H
#define SITU_OP_WINDOW_H

#include "graph/record.h"

enum { SITU_WINDOW_AXES = 3 };
/* Parameters for the last n axes. Pooling uses dilation 1; `more` is additional padding at the end. */
typedef struct situ_window {
    int n;
    int64_t size[SITU_WINDOW_AXES], stride[SITU_WINDOW_AXES], padding[SITU_WINDOW_AXES], dilation[SITU_WINDOW_AXES];
    int64_t more[SITU_WINDOW_AXES];
} situ_window;

/* Number of windows along axis i with this many elements; 0: not even one fits. */
static inline int64_t situ_window_positions(const situ_window *w, int i, int64_t elements)
{
    int64_t capacity = elements + 2 * w->padding[i] + w->more[i] - (w->size[i] - 1) * w->dilation[i] - 1;
    return capacity < 0 ? 0 : capacity / w->stride[i] + 1;
}

/* Reads one number for each of n axes, or one for all, each at least `least`. If it is unset, it is `otherwise`, or
 * `least` if that is NULL. False with an error that names the option. */
bool situ_take_each(situ_shape given, int n, int64_t least, const int64_t *otherwise, int64_t *out, const char *option,
    const char *operation, situ_site site);
/* Reads the options .stride, .padding and .dilation of windows over w->n axes. */
bool situ_take_window(
    situ_window *w, situ_shape stride, situ_shape padding, situ_shape dilation, const char *operation, situ_site site);
/* Bit mask of axes whose padding is SITU_SAME, which is replaced by 0. */
unsigned situ_same_axes(situ_shape *padding, int n);
/* Raises the error for SITU_SAME with a stride other than 1; returns false. */
bool situ_refuse_same(const char *operation, situ_site site);
/* Sets the padding that SITU_SAME means for axis i with stride 1. */
void situ_same_padding(situ_window *w, int i);

#endif
