/* Images in memory: PNG by libpng and JPEG by libturbojpeg, which are opened at run time. */
#ifndef SITU_DATA_IMAGE_H
#define SITU_DATA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct situ_image {
    uint8_t *rgb; /* [height, width, 3], freed by situ_counted_free: it counts in the limit of the memory */
    int64_t height, width;
} situ_image;

/* Reads what the first bytes say it is; `path` is for messages. 0 or a negative code. */
int situ_image_read(const char *path, const void *bytes, size_t size, situ_image *out);
/* The image in another size, rounded to whole levels: each pixel is the mean of those around where it came from, weighted by a
 * triangle that is as wide as the step between pixels where the image shrinks, and two pixels wide where it grows. `crop`: first
 * cuts the largest part from the middle that has the new proportions. In place. 0 or a negative code;
 * `path` is for messages. */
int situ_image_resize(const char *path, situ_image *image, int64_t height, int64_t width, bool crop);

/* For tests: other names to look for the two libraries under, tried at each call; NULL: the usual ones. */
extern const char *const *situ_test_png_names, *const *situ_test_jpeg_names;

#endif
