/* The out-of-memory message: what was requested, what would fit, and which tensors use the memory. */
#include "device/shortage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <situ/dtype.h>

#include "base/error.h"
#include "os/plain.h"

const char *situ_bytes_text(int64_t bytes, char text[24])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 6; unit++) value /= 1024;
    situ_plain_format(text, 24, "%.4g %s", value, units[unit]);
    return text;
}

bool situ_bytes_parse(const char *text, int64_t *bytes)
{
    static const char units[] = "kmgt";
    char *end;
    double value = situ_plain_number(text, &end);
    if (end == text || !(value >= 0)) return false;
    while (situ_is_blank(*end)) end++;
    for (int i = 0; *end && units[i]; i++) {
        if (situ_lower(*end) != units[i]) continue;
        for (int k = 0; k <= i; k++) value *= 1024;
        end++;
        if (*end == 'i') end++;
        break;
    }
    if (!situ_differ_without_case(end, "B")) end++;
    while (situ_is_blank(*end)) end++;
    if (*end || value > 9e18) return false;
    *bytes = (int64_t)value;
    return true;
}

/* A message under construction; what does not fit is cut off. */
typedef struct writer {
    size_t used;
    char text[3200];
} writer;

static void write_text(writer *w, const char *format, ...) SITU_PRINTF(2, 3);
static void write_text(writer *w, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = situ_plain_list(w->text + w->used, sizeof w->text - w->used, format, values);
    va_end(values);
    if (n > 0) w->used += (size_t)n < sizeof w->text - w->used ? (size_t)n : sizeof w->text - w->used - 1;
}

/* Writes a label such as "weight" f32[128,784]. */
static void write_label(writer *w, const situ_label *label)
{
    if (label->name) write_text(w, " \"%.80s\"", label->name);
    else write_text(w, " unnamed");
    write_text(w, " %s[", situ_dtype_name((situ_dtype)label->dtype));
    for (int i = 0; i < label->ndim && i < 8; i++) write_text(w, "%s%lld", i ? "," : "", (long long)label->dim[i]);
    write_text(w, "]");
}

enum { LARGEST = 5 };

static int largest(const struct situ_pages *p, const situ_buffer *found[LARGEST])
{
    int n = 0;
    for (const situ_buffer *b = p->live_first; b; b = b->next) {
        if (n == LARGEST && b->bytes <= found[LARGEST - 1]->bytes) continue;
        int at = n < LARGEST ? n++ : LARGEST - 1;
        for (; at && found[at - 1]->bytes < b->bytes; at--) found[at] = found[at - 1];
        found[at] = b;
    }
    return n;
}

static void write_largest(writer *w, const struct situ_pages *p)
{
    const situ_buffer *found[LARGEST];
    char text[24];
    int n = largest(p, found);
    if (!n) return;
    write_text(w, "; the largest of %lld live tensors:", (long long)p->live);
    for (int i = 0; i < n; i++) {
        write_text(w, "\n  -");
        write_label(w, &found[i]->label);
        write_text(w, " %s", situ_bytes_text((int64_t)found[i]->bytes, text));
        if (found[i]->label.site) write_text(w, ", made at %.200s", found[i]->label.site);
    }
    write_text(w, "\n");
}

void situ_fail_shortage(struct situ_pages *p, int code, size_t bytes, const situ_label *label, situ_site site)
{
    if (situ_error_code) return;
    char name[32], asked[24], limit[24], used[24], fits[24];
    situ_device_name(p->dev->device, name);
    if (code == -SITU_NO_MEMORY) {
        situ_fail(SITU_NO_MEMORY, site, "no host memory to describe a buffer on %s; free some tensors", name);
        return;
    }
    if (code != -SITU_DEVICE_MEMORY) {
        situ_fail(-code, site, "%s gives no memory: %s%s", name, situ_code_name(-code), situ_dev_why(p->dev));
        return;
    }
    writer w = {.used = 0};
    w.text[0] = 0;
    write_text(&w, "out of memory on %s: %s asked for", name, situ_bytes_text((int64_t)bytes, asked));
    if (label) {
        write_text(&w, " by");
        write_label(&w, label);
    }
    situ_bytes_text(p->count.in_use, used);
    if (p->count.limit) {
        int64_t capacity = p->count.limit - (p->count.reserved - p->kept);
        write_text(&w, "; the limit is %s, tensors use %s, %s would fit", situ_bytes_text(p->count.limit, limit), used,
            situ_bytes_text(capacity > 0 ? capacity : 0, fits));
    } else {
        write_text(&w, "; tensors use %s and the system gives no more", used);
    }
    write_largest(&w, p);
    write_text(&w, "%s make the batch smaller, or raise " SITU_SAY("situ_memory_limit()", "device.memory_limit()"),
        p->live ? "  free some of them," : ";");
    situ_fail(SITU_DEVICE_MEMORY, site, "%s", w.text);
}
