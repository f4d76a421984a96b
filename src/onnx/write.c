#include "onnx/write.h"

#include <string.h>

#include "base/memory.h"

void situ_message_free(situ_message *m)
{
    situ_free(m->bytes);
    *m = (situ_message){.bytes = NULL};
}

static void put(situ_message *m, const void *bytes, size_t size)
{
    if (m->failed || !size) return;
    if (m->capacity - m->size < size) {
        size_t capacity = 2 * m->capacity + size + 64;
        uint8_t *grown = situ_realloc(m->bytes, capacity);
        if (!grown) {
            m->failed = true;
            return;
        }
        m->bytes = grown;
        m->capacity = capacity;
    }
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static size_t varint(uint64_t value, uint8_t *out)
{
    size_t n = 0;
    for (; value > 127; value >>= 7) out[n++] = (uint8_t)(value | 128);
    out[n++] = (uint8_t)value;
    return n;
}

static void number_of(situ_message *m, uint64_t value)
{
    uint8_t text[10];
    put(m, text, varint(value, text));
}

void situ_message_int(situ_message *m, uint32_t number, int64_t value)
{
    number_of(m, (uint64_t)number << 3);
    number_of(m, (uint64_t)value);
}

void situ_message_float(situ_message *m, uint32_t number, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    uint8_t text[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};
    number_of(m, (uint64_t)number << 3 | 5);
    put(m, text, 4);
}

void situ_message_head(situ_message *m, uint32_t number, uint64_t size)
{
    number_of(m, (uint64_t)number << 3 | 2);
    number_of(m, size);
}

void situ_message_bytes(situ_message *m, uint32_t number, const void *bytes, size_t size)
{
    situ_message_head(m, number, size);
    put(m, bytes, size);
}

void situ_message_text(situ_message *m, uint32_t number, const char *text) { situ_message_bytes(m, number, text, strlen(text)); }

void situ_message_append(situ_message *m, situ_message *fields)
{
    m->failed |= fields->failed;
    put(m, fields->bytes, fields->size);
    fields->size = 0;
}

void situ_message_put(situ_message *m, uint32_t number, situ_message *part)
{
    m->failed |= part->failed;
    situ_message_bytes(m, number, part->bytes, part->size);
    part->size = 0;
}

void situ_message_ints(situ_message *m, uint32_t number, const int64_t *value, int count)
{
    uint8_t text[10];
    size_t size = 0;
    for (int i = 0; i < count; i++) size += varint((uint64_t)value[i], text);
    situ_message_head(m, number, size);
    for (int i = 0; i < count; i++) number_of(m, (uint64_t)value[i]);
}
