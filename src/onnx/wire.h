/* Reads the wire format of protocol buffers: https://protobuf.dev/programming-guides/encoding. It never reads past the
 * end. */
#ifndef SITU_ONNX_WIRE_H
#define SITU_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct situ_wire {
    const uint8_t *at, *end;
    bool broken; /* the bytes are not valid */
} situ_wire;

/* A field: its number and, by wire type, an integer (or the bits of a fixed-size number) or bytes. */
typedef struct situ_field {
    uint32_t number;
    uint8_t type; /* 0 varint, 1 eight bytes, 2 bytes, 5 four bytes */
    uint64_t value;
    situ_wire bytes;
} situ_field;

/* Reads the next field; false at the end, or on invalid bytes (`broken`). */
bool situ_wire_next(situ_wire *w, situ_field *f);
/* Reads the next number of a packed list with this wire type (0, 1 or 5); false at its end, or on invalid bytes. */
bool situ_wire_packed(situ_wire *w, uint8_t type, uint64_t *value);
/* Number of values in a field, which may be packed or single. */
size_t situ_wire_count(const situ_field *f, uint8_t type);

#endif
