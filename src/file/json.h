/* Reading JSON (RFC 8259) from bytes, strictly: what follows is asked for piece by piece, and the first mistake stays.
 *
 *     situ_json j = situ_json_of(bytes, size);
 *     for (bool more = situ_json_open(&j, '{'); more; more = situ_json_next(&j, '}')) {
 *         char *key = situ_json_key(&j, room);
 *         ...
 *     }
 *     if (situ_json_end(&j)) ... j.error
 */
#ifndef SITU_FILE_JSON_H
#define SITU_FILE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct situ_json {
    const char *p, *end, *begin;
    const char *error; /* NULL: none */
    char twin[96];     /* the error that names a key */
} situ_json;

static inline situ_json situ_json_of(const void *bytes, size_t size)
{
    return (situ_json){.p = (const char *)bytes, .end = (const char *)bytes + size, .begin = (const char *)bytes};
}
/* An object or a list begins: has it anything in it? */
bool situ_json_open(situ_json *j, char bracket);
/* After a member: is there another one before this bracket? */
bool situ_json_next(situ_json *j, char bracket);
/* A text, put at *room, which moves behind its zero; never longer than in the file. A zero in it is a mistake. NULL: a mistake. */
char *situ_json_string(situ_json *j, char **room);
/* Is it UTF-8 as a whole? */
bool situ_json_is_text(const char *text);
/* A text and the colon behind it. */
char *situ_json_key(situ_json *j, char **room);
/* A whole number from 0 to 2^63 - 1. */
uint64_t situ_json_count(situ_json *j);
/* Any value; of texts in it the end alone is looked for, nesting is at most 64 deep. */
void situ_json_skip(situ_json *j);
/* What the next value begins with, 0 at the end. */
char situ_json_peek(situ_json *j);
/* Nothing but blanks may follow, and no object of the whole text may have a key twice: true where all went well. */
bool situ_json_end(situ_json *j);
/* Appends a text with quotes and escapes to `to` (NULL: only counts); how many bytes. */
size_t situ_json_quote(char *to, const char *text);

#endif
