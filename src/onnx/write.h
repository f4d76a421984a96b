/* Writes messages of protocol buffers: fields are appended to a growing buffer. A failed allocation sets `failed`, and
 * everything afterwards does nothing. */
#ifndef SITU_ONNX_WRITE_H
#define SITU_ONNX_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct situ_message {
    uint8_t *bytes;
    size_t size, capacity;
    bool failed;
} situ_message;

void situ_message_free(situ_message *m);
/* Appends field `number`: an integer, a float, bytes, a string, or a message (which becomes empty). */
void situ_message_int(situ_message *m, uint32_t number, int64_t value);
void situ_message_float(situ_message *m, uint32_t number, float value);
void situ_message_bytes(situ_message *m, uint32_t number, const void *bytes, size_t size);
void situ_message_text(situ_message *m, uint32_t number, const char *text);
void situ_message_put(situ_message *m, uint32_t number, situ_message *part);
/* Appends the fields of another message, which becomes empty. */
void situ_message_append(situ_message *m, situ_message *fields);
/* Writes the tag and length of a field; the caller appends its bytes. */
void situ_message_head(situ_message *m, uint32_t number, uint64_t size);
/* Appends a packed list of integers. */
void situ_message_ints(situ_message *m, uint32_t number, const int64_t *value, int count);

#endif
