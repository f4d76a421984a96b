#include "data/image.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "os/library.h"
#include "os/lock.h"
#include "os/thread.h"

enum { MOST_PIXELS = 1 << 28 };

/* ---- libraries --------------------------------------------------------------------------------------------------------------- */

/* libpng's struct png_image, unchanged since version 1.6. */
typedef struct png {
    void *opaque;
    uint32_t version, width, height, format, flags, colours, problem; /* problem: bit 0 is a warning, bit 1 an error */
    char message[64];
} png;
enum { PNG_VERSION = 1, PNG_RGB = 2, PNG_16_BITS_ARE_SRGB = 4 };

static struct {
    int (*begin)(png *, const void *, size_t);
    int (*finish)(png *, const void *background, void *to, int32_t pitch, void *colours);
    void (*release)(png *);
} png_calls;

static struct {
    void *(*init)(void);
    int (*header)(void *, const uint8_t *, unsigned long, int *width, int *height, int *sampling, int *colours);
    int (*decompress)(void *, const uint8_t *, unsigned long, uint8_t *, int width, int pitch, int height, int format, int flags);
    int (*destroy)(void *);
    const char *(*message)(void *);
    int (*code)(void *);
} jpeg_calls;
enum { JPEG_RGB = 0, JPEG_CMYK = 11, JPEG_COLOURS_CMYK = 3, JPEG_COLOURS_YCCK = 4, JPEG_WARNING = 0 };

static const situ_symbol png_symbols[] = {
    {"png_image_begin_read_from_memory", 0, false},
    {"png_image_finish_read", sizeof(void *), false},
    {"png_image_free", 2 * sizeof(void *), false},
    {NULL, 0, false},
};
static const situ_symbol jpeg_symbols[] = {
    {"tjInitDecompress", 0, false},
    {"tjDecompressHeader3", sizeof(void *), false},
    {"tjDecompress2", 2 * sizeof(void *), false},
    {"tjDestroy", 3 * sizeof(void *), false},
    {"tjGetErrorStr2", 4 * sizeof(void *), false},
    {"tjGetErrorCode", 5 * sizeof(void *), false},
    {NULL, 0, false},
};
static const char *const png_names[] = {SITU_LIBRARY("png16", "16"), SITU_LIBRARY_ANY("png16"), NULL},
                         *const jpeg_names[] = {SITU_LIBRARY("turbojpeg", "0"), SITU_LIBRARY_ANY("turbojpeg"), NULL};
const char *const *situ_test_png_names, *const *situ_test_jpeg_names;

typedef struct codec {
    const char *kind, *name, *package;
    const char *const *names, *const **test;
    const situ_symbol *symbols;
    void *calls;
    void *library;
} codec;
static codec codecs[2] = {
    {"PNG", "libpng", "libpng16-16", png_names, &situ_test_png_names, png_symbols, &png_calls, NULL},
    {"JPEG", "libturbojpeg", "libturbojpeg0", jpeg_names, &situ_test_jpeg_names, jpeg_symbols, &jpeg_calls, NULL},
};
SITU_LOCK(codec_lock);

static int open_codec(codec *c, const char *path)
{
    char reason[512];
    situ_mutex_lock(&codec_lock);
    const char *const *names = *c->test;
    void *library = names ? situ_library_open(names, reason, sizeof reason) : c->library;
    if (!names && !library) {
        library = situ_library_open(c->names, reason, sizeof reason);
        if (library && situ_library_symbols(library, c->symbols, c->calls, reason, sizeof reason)) {
            situ_library_close(library);
            library = NULL;
        }
        c->library = library;
    }
    situ_mutex_unlock(&codec_lock);
    if (library) return 0;
    return situ_fail(SITU_NO_LIBRARY, NULL, "%s is a %s image, and %s to read it was not found (%s); install the package %s", path,
        c->kind, c->name, reason, c->package);
}

/* ---- reading ----------------------------------------------------------------------------------------------------------------- */

static int damaged(const char *path, const char *kind, const char *why)
{
    return situ_fail(
        SITU_BAD_FORMAT, NULL, "%s is damaged: no whole %s image (%s); fetch or make it again, or take it out", path, kind, why);
}

/* Allocates the pixels, zeroed, so that transparent ones are on black. `size`: of the file. */
static int room_for(situ_image *out, int64_t width, int64_t height, int channels, const char *path, size_t size)
{
    if (width < 1 || height < 1 || width > MOST_PIXELS / height)
        return situ_fail(SITU_BAD_FORMAT, NULL, "%s: %lld by %lld pixels; an image has 1 to 2^28 of them", path, (long long)width,
            (long long)height);
    size_t bytes = (size_t)(width * height * channels);
    int rc = situ_unpacked_fits(path, size, bytes);
    if (rc) return rc;
    *out = (situ_image){situ_counted_resize(NULL, bytes, true, path), height, width};
    if (out->rgb) memset(out->rgb, 0, bytes);
    return out->rgb ? 0 : -situ_error_code;
}

static int read_png(const char *path, const void *bytes, size_t size, situ_image *out)
{
    png p = {.version = PNG_VERSION};
    int rc = png_calls.begin(&p, bytes, size) ? 0 : damaged(path, "PNG", p.message);
    p.format = PNG_RGB;
    p.flags |= PNG_16_BITS_ARE_SRGB;
    if (!rc) rc = room_for(out, p.width, p.height, 3, path, size);
    if (!rc && !png_calls.finish(&p, NULL, out->rgb, 0, NULL)) rc = damaged(path, "PNG", p.message);
    png_calls.release(&p);
    return rc;
}

/* Converts from inverted CMYK, as print programs write it: 255 is no ink. */
static void from_cmyk(situ_image *image)
{
    const uint8_t *from = image->rgb;
    for (int64_t i = 0; i < image->width * image->height; i++, from += 4)
        for (int k = 0, ink = from[3]; k < 3; k++) image->rgb[3 * i + k] = (uint8_t)((from[k] * ink + 127) / 255);
}

/* Warnings that are ignored: extra bytes between parts are harmless. A truncated image is only a warning of the
 * library, too, but is not ignored. */
static bool harmless(void *handle)
{
    return jpeg_calls.code(handle) == JPEG_WARNING && !strstr(jpeg_calls.message(handle), "remature end");
}

static int read_jpeg(const char *path, const void *bytes, size_t size, situ_image *out)
{
    int width = 0, height = 0, sampling, colours = 0, rc = 0;
    void *handle = jpeg_calls.init();
    if (!handle) return situ_fail(SITU_NO_MEMORY, NULL, "reading %s: libturbojpeg has no memory", path);
    bool bad = jpeg_calls.header(handle, bytes, size, &width, &height, &sampling, &colours) && !harmless(handle);
    if (bad || width < 1) rc = damaged(path, "JPEG", bad ? jpeg_calls.message(handle) : "it ends in its header");
    bool cmyk = !rc && (colours == JPEG_COLOURS_CMYK || colours == JPEG_COLOURS_YCCK);
    if (!rc) rc = room_for(out, width, height, cmyk ? 4 : 3, path, size);
    if (!rc && jpeg_calls.decompress(handle, bytes, size, out->rgb, width, 0, height, cmyk ? JPEG_CMYK : JPEG_RGB, 0) &&
        !harmless(handle))
        rc = damaged(path, "JPEG", jpeg_calls.message(handle));
    if (!rc && cmyk) from_cmyk(out);
    jpeg_calls.destroy(handle);
    return rc;
}

int situ_image_read(const char *path, const void *bytes, size_t size, situ_image *out)
{
    *out = (situ_image){0};
    bool is_png = size >= 8 && !memcmp(bytes, "\x89PNG\r\n\x1a\n", 8), is_jpeg = size >= 3 && !memcmp(bytes, "\xff\xd8\xff", 3);
    if (!is_png && !is_jpeg)
        return situ_fail(SITU_BAD_FORMAT, NULL,
            "%s is neither a PNG nor a JPEG image (%s); convert it, or take it out of the folder", path,
            size ? "its first bytes are others" : "it is empty");
    int rc = open_codec(&codecs[is_jpeg], path);
    if (!rc) rc = is_png ? read_png(path, bytes, size, out) : read_jpeg(path, bytes, size, out);
    if (rc) situ_counted_free(out->rgb);
    if (rc) out->rgb = NULL;
    return rc;
}

/* ---- resizing ---------------------------------------------------------------------------------------------------------------- */

/* Resizes the middle axis of [lines, n, inner] to m. */
static void resample(const float *from, float *to, int64_t lines, int64_t n, int64_t m, int64_t inner)
{
    double scale = (double)n / (double)m, reach = scale > 1 ? scale : 1;
    memset(to, 0, (size_t)(lines * m * inner) * sizeof *to);
    for (int64_t i = 0; i < m; i++) {
        double middle = ((double)i + 0.5) * scale, sum = 0;
        int64_t first = (int64_t)fmax(0, floor(middle - reach + 0.5)), end = (int64_t)fmin((double)n, floor(middle + reach + 0.5));
        for (int64_t k = first; k < end; k++) sum += fmax(0, 1 - fabs((double)k + 0.5 - middle) / reach);
        for (int64_t k = first; k < end; k++) {
            float weight = (float)(fmax(0, 1 - fabs((double)k + 0.5 - middle) / reach) / sum);
            for (int64_t l = 0; l < lines; l++)
                for (int64_t c = 0; c < inner; c++) to[(l * m + i) * inner + c] += weight * from[(l * n + k) * inner + c];
        }
    }
}

/* Crops to the largest centred part with the proportions of the new size. */
static void crop_middle(situ_image *image, int64_t height, int64_t width)
{
    int64_t h = image->height, w = image->width;
    if (w * height > h * width) w = (h * width + height / 2) / height;
    else h = (w * height + width / 2) / width;
    w = w < 1 ? 1 : w;
    h = h < 1 ? 1 : h;
    const uint8_t *from = image->rgb + ((image->height - h) / 2 * image->width + (image->width - w) / 2) * 3;
    for (int64_t y = 0; y < h; y++) memmove(image->rgb + y * w * 3, from + y * image->width * 3, (size_t)w * 3);
    image->height = h;
    image->width = w;
}

int situ_image_resize(const char *path, situ_image *image, int64_t height, int64_t width, bool crop)
{
    if (crop) crop_middle(image, height, width);
    int64_t h = image->height, w = image->width;
    if (h == height && w == width) return 0;
    size_t before = (size_t)(h * w * 3), between = (size_t)(height * w * 3), after = (size_t)(height * width * 3);
    float *all = situ_counted_resize(NULL, (before + between + after) * sizeof *all, true, path);
    uint8_t *rgb = all ? situ_counted_resize(NULL, after, true, path) : NULL;
    if (rgb) {
        float *half = all + before, *whole = half + between;
        for (size_t i = 0; i < before; i++) all[i] = image->rgb[i];
        resample(all, half, 1, h, height, w * 3);
        resample(half, whole, height, w, width, 3);
        for (size_t i = 0; i < after; i++) rgb[i] = (uint8_t)(fminf(fmaxf(whole[i], 0), 255) + 0.5f);
        situ_counted_free(image->rgb);
        *image = (situ_image){rgb, height, width};
    }
    situ_counted_free(all);
    return rgb ? 0 : -situ_error_code;
}
