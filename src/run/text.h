/* Tensors as text in two steps, between which a language may release its lock: what is shown, and its text. */
#ifndef SITU_RUN_TEXT_H
#define SITU_RUN_TEXT_H

#include "graph/node.h"

typedef struct situ_shown {
    int ndim;
    int64_t dim[SITU_MAX_DIMS]; /* sizes of the part that is shown */
    bool cut[SITU_MAX_DIMS];    /* [axis] only its first and last elements are shown */
    situ_dtype dtype;
    size_t bytes;  /* bytes of the part that is shown */
    situ_shape of; /* shape of the tensor */
    situ_device device;
    const char *data;
} situ_shown;

/* Records the part of the tensor that is shown (all of it, or its edges), and describes its layout. */
situ_tensor *situ_shown_part(situ_tensor *t, situ_shown *l, situ_site site);
/* The text, given the elements of that part in row-major order; to be freed by free(). NULL with an error. */
char *situ_shown_text(situ_shown *l, const void *data, situ_site site);

#endif
