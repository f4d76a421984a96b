/* The wire format of protocol buffers: https://protobuf.dev/programming-guides/encoding. Nothing is read past the end. */
#ifndef SITU_ONNX_WIRE_H
#define SITU_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct situ_wire {
    const uint8_t *at, *end;
    bool broken; /* what was read last is no field */
} situ_wire;

/* A field: number, and by its wire type an integer (also the bits of a fixed one) or bytes. */
typedef struct situ_field {
    uint32_t number;
    uint8_t type; /* 0 varint, 1 eight bytes, 2 bytes, 5 four bytes */
    uint64_t value;
    situ_wire bytes;
} situ_field;

/* The next field; false at the end, and where `broken` is set. */
bool situ_wire_next(situ_wire *w, situ_field *f);
/* The next number of a packed list of such a wire type (0, 1 or 5); false at its end, and where `broken` is set. */
bool situ_wire_packed(situ_wire *w, uint8_t type, uint64_t *value);
/* How many numbers a field holds that may be packed or single. */
size_t situ_wire_count(const situ_field *f, uint8_t type);

#endif
