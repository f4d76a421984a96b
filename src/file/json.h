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
    const char *error; /* NULL: no error */
    char twin[96];     /* a message that names a key */
} situ_json;

static inline situ_json situ_json_of(const void *bytes, size_t size)
{
    return (situ_json){.p = (const char *)bytes, .end = (const char *)bytes + size, .begin = (const char *)bytes};
}
/* Opens an object or a list; true if it is not empty. */
bool situ_json_open(situ_json *j, char bracket);
/* After a member: true if another one follows before this closing bracket. */
bool situ_json_next(situ_json *j, char bracket);
/* Reads a string into *room, which is moved past its terminating zero; it is never longer than in the file. A zero
 * character in it is an error. NULL: an error. */
char *situ_json_string(situ_json *j, char **space);
/* True if all of it is valid UTF-8. */
bool situ_json_is_text(const char *text);
/* Reads a key and the colon after it. */
char *situ_json_key(situ_json *j, char **space);
/* Reads a whole number from 0 to 2^63 - 1. */
uint64_t situ_json_count(situ_json *j);
/* Skips any value; nesting is limited to 64 levels. */
void situ_json_skip(situ_json *j);
/* The first character of the next value, 0 at the end. */
char situ_json_peek(situ_json *j);
/* Checks that only white space follows and that no object has a key twice; true if there was no error at all. */
bool situ_json_end(situ_json *j);
/* Appends a quoted and escaped string to `to` (NULL: only counts); returns the number of bytes. */
size_t situ_json_quote(char *to, const char *text);

#endif
