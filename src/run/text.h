/* Tensors as text in two steps, between which a language may give its lock away: what is shown, and its text. */
#ifndef SITU_RUN_TEXT_H
#define SITU_RUN_TEXT_H

#include "graph/node.h"

typedef struct situ_shown {
    int ndim;
    int64_t dim[SITU_MAX_DIMS]; /* of what is shown                */
    bool cut[SITU_MAX_DIMS];    /* the first and the last of many  */
    situ_dtype dtype;
    size_t bytes;  /* of what is shown                */
    situ_shape of; /* of the tensor                   */
    situ_device device;
    const char *data;
} situ_shown;

/* What of the tensor is shown (all of it, or its edges), recorded; and how it is laid out. */
situ_tensor *situ_shown_part(situ_tensor *t, situ_shown *l, situ_site site);
/* The text, given that part's elements row by row; to be freed by free(). NULL with an error. */
char *situ_shown_text(situ_shown *l, const void *data, situ_site site);

#endif
