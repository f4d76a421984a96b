/* Text that grows: what the writers of source text write to.
 *
 *     situ_source t = {0};
 *     situ_source_add(&t, "float r%d;\n", i);
 *     char *s = situ_source_take(&t);       // by situ_malloc; NULL with an error raised where memory ran out on the way
 */
#ifndef SITU_BASE_TEXT_H
#define SITU_BASE_TEXT_H

#include <situ/error.h>

typedef struct situ_source {
    char *text;
    size_t length, size;
    bool failed; /* out of memory: further additions do nothing */
} situ_source;

/* Appends text, formatted like printf. */
void situ_source_add(situ_source *t, const char *format, ...) SITU_PRINTF(2, 3);
/* Appends text unchanged. */
void situ_source_append(situ_source *t, const char *text);
/* Returns the whole text, to be freed by the caller, and leaves an empty one. */
char *situ_source_take(situ_source *t);
/* Frees the text. */
void situ_source_drop(situ_source *t);

#endif
