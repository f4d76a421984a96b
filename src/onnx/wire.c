#include "onnx/wire.h"

static bool stop(situ_wire *w)
{
    w->broken = true;
    return false;
}

static bool varint(situ_wire *w, uint64_t *value)
{
    uint64_t sum = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (w->at == w->end) return stop(w);
        uint8_t byte = *w->at++;
        if (shift == 63 && byte > 1) return stop(w);
        sum |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = sum;
            return true;
        }
    }
    return stop(w);
}

static bool fixed(situ_wire *w, int size, uint64_t *value)
{
    if (w->end - w->at < size) return stop(w);
    *value = 0;
    for (int i = 0; i < size; i++) *value |= (uint64_t)*w->at++ << 8 * i;
    return true;
}

bool situ_wire_packed(situ_wire *w, uint8_t type, uint64_t *value)
{
    if (w->at == w->end || w->broken) return false;
    return type ? fixed(w, type == 1 ? 8 : 4, value) : varint(w, value);
}

bool situ_wire_next(situ_wire *w, situ_field *f)
{
    uint64_t tag, size;
    *f = (situ_field){.number = 0};
    if (w->at == w->end || w->broken) return false;
    if (!varint(w, &tag)) return false;
    f->number = (uint32_t)(tag >> 3);
    f->type = tag & 7;
    if (!f->number || tag >> 32) return stop(w);
    if (f->type != 2) {
        if (f->type && f->type != 1 && f->type != 5) return stop(w);
        return f->type ? fixed(w, f->type == 1 ? 8 : 4, &f->value) : varint(w, &f->value);
    }
    if (!varint(w, &size)) return false;
    if (size > (uint64_t)(w->end - w->at)) return stop(w);
    f->bytes = (situ_wire){w->at, w->at + size, false};
    f->value = size;
    w->at += size;
    return true;
}

size_t situ_wire_count(const situ_field *f, uint8_t type)
{
    if (f->type != 2) return 1;
    size_t n = 0;
    if (type) return (size_t)(f->bytes.end - f->bytes.at) / (type == 1 ? 8 : 4);
    for (const uint8_t *p = f->bytes.at; p < f->bytes.end; p++) n += *p < 128;
    return n;
}
