/* Text that grows: what the writers of source text write to.
 *
 *     situ_text t = {0};
 *     situ_text_add(&t, "float r%d;\n", i);
 *     char *s = situ_text_take(&t);       // by situ_malloc; NULL with an error raised where memory ran out on the way
 */
#ifndef SITU_CODEGEN_TEXT_H
#define SITU_CODEGEN_TEXT_H

#include <situ/error.h>

typedef struct situ_text {
    char *text;
    size_t length, size;
    bool failed; /* memory ran out: further additions do nothing */
} situ_text;

/* Adds text as printf would. */
void situ_text_add(situ_text *t, const char *format, ...) SITU_PRINTF(2, 3);
/* Adds text as it is. */
void situ_text_append(situ_text *t, const char *text);
/* The whole text, to be freed by the caller, and an empty one in its place. */
char *situ_text_take(situ_text *t);
/* Frees the text. */
void situ_text_drop(situ_text *t);

#endif
