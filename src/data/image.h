/* Decoding images: PNG by libpng and JPEG by libturbojpeg, which are opened at run time. */
#ifndef SITU_DATA_IMAGE_H
#define SITU_DATA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct situ_image {
    uint8_t *rgb; /* [height, width, 3]; freed by situ_counted_free, since it counts towards the memory limit */
    int64_t height, width;
} situ_image;

/* Decodes the format that the first bytes tell; `path` is for messages. 0 or a negative code. */
int situ_image_read(const char *path, const void *bytes, size_t size, situ_image *out);
/* Resizes the image in place, with pixels rounded to integers. Each pixel is a weighted mean with a triangle filter:
 * as wide as the step between pixels when shrinking, two pixels wide when enlarging. `crop`: first crops the centre to
 * the new proportions. 0 or a negative code; `path` is for messages. */
int situ_image_resize(const char *path, situ_image *image, int64_t height, int64_t width, bool crop);

/* For tests: other file names for the two libraries, tried at each call; NULL: the usual ones. */
extern const char *const *situ_test_png_names, *const *situ_test_jpeg_names;

#endif
