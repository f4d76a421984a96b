/* Windows over the last axes of a tensor, as options of convolutions and pools describe them. */
#ifndef SITU_OP_WINDOW_H
#define SITU_OP_WINDOW_H

#include "graph/record.h"

enum { SITU_WINDOW_AXES = 3 };
/* Of the last n axes. Pools leave the dilation at 1; `more` is padding behind the elements alone. */
typedef struct situ_window {
    int n;
    int64_t size[SITU_WINDOW_AXES], stride[SITU_WINDOW_AXES], padding[SITU_WINDOW_AXES], dilation[SITU_WINDOW_AXES];
    int64_t more[SITU_WINDOW_AXES];
} situ_window;

/* How many windows lie along axis i of so many elements; 0: not one fits. */
static inline int64_t situ_window_places(const situ_window *w, int i, int64_t elements)
{
    int64_t room = elements + 2 * w->padding[i] + w->more[i] - (w->size[i] - 1) * w->dilation[i] - 1;
    return room < 0 ? 0 : room / w->stride[i] + 1;
}

/* One number for each of n axes, or one for all, at least `least`. What is not given is `otherwise`, or the least where that is
 * NULL. False with an error that names the option. */
bool situ_take_each(situ_shape given, int n, int64_t least, const int64_t *otherwise, int64_t *out, const char *option,
    const char *operation, situ_site site);
/* The options .stride, .padding and .dilation of windows over w->n axes. */
bool situ_take_window(
    situ_window *w, situ_shape stride, situ_shape padding, situ_shape dilation, const char *operation, situ_site site);
/* Axes (bits) whose padding is SITU_SAME, which becomes 0. */
unsigned situ_same_axes(situ_shape *padding, int n);
/* false with an error: a stride that is not 1. */
bool situ_refuse_same(const char *operation, situ_site site);
/* What SITU_SAME means for axis i, where the stride is 1. */
void situ_same_padding(situ_window *w, int i);

#endif
