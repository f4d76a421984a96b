/* A growing string, for the writers of source code.
 *
 *     situ_source t = {0};
 *     situ_source_add(&t, "float r%d;\n", i);
 *     char *s = situ_source_take(&t);       // allocated by situ_malloc; NULL, with an error, if memory ran out on the way */
#ifndef SITU_BASE_TEXT_H
#define SITU_BASE_TEXT_H

#include <situ/error.h>

typedef struct situ_source {
    char *text;
    size_t length, size;
    bool failed; /* memory ran out: further additions do nothing */
} situ_source;

/* Appends text, formatted like printf. */
void situ_source_add(situ_source *t, const char *format, ...) SITU_PRINTF(2, 3);
/* Appends a string unchanged. */
void situ_source_append(situ_source *t, const char *text);
/* Returns the whole string, which the caller frees, and leaves an empty one. */
char *situ_source_take(situ_source *t);
/* Frees the string. */
void situ_source_drop(situ_source *t);

#endif
