/* The state of a training as a file has it: tensors by name, and texts for what is a number of the host. Integers are decimal,
 * other numbers the 16 hexadecimal digits of their bits, so that each comes back as it was. */
#ifndef SITU_TRAIN_STATUS_H
#define SITU_TRAIN_STATUS_H

#include "base/arena.h"
#include "file/format.h"

typedef struct situ_status {
    situ_written *tensor;
    int64_t tensors, tensor_room;
    situ_about *about;
    int64_t abouts, about_room;
    situ_arena text;
    const char *function; /* that messages speak of */
    situ_site site;
    int rc; /* what the first thing that failed gave */
} situ_status;

typedef enum situ_status_type { SITU_STATUS_INT, SITU_STATUS_INT64, SITU_STATUS_DOUBLE, SITU_STATUS_BOOL } situ_status_type;
/* A number in an object. */
typedef struct situ_status_row {
    const char *key;
    situ_status_type type;
    size_t offset;
    double least; /* of integers */
} situ_status_row;

void situ_status_open(situ_status *s, const char *function, situ_site site);
void situ_status_close(situ_status *s);
/* Notes that there is no memory. */
void situ_status_no_room(situ_status *s);
/* They copy what they are given; key and name are "%s"-formatted from `format` and what follows. */
void situ_status_text(situ_status *s, const char *value, const char *format, ...) __attribute__((format(printf, 3, 4)));
void situ_status_tensor(situ_status *s, situ_tensor *t, const char *format, ...) __attribute__((format(printf, 3, 4)));
void situ_status_integer(situ_status *s, const char *key, int64_t value);
void situ_status_number(situ_status *s, const char *key, double value);
/* A program's own, "key=value" line by line; NULL: none. */
void situ_status_lines(situ_status *s, const char *lines);
void situ_status_rows(situ_status *s, const situ_status_row *rows, size_t count, const void *object);
/* A number's 16 digits; text has 17 bytes. */
void situ_status_digits(double value, char *text);
bool situ_status_value(const char *text, double *value);

/* Back from a file. 0 or a negative code: it is not there, or no such number. */
int situ_status_get(const situ_archive *a, const char *key, const char **value);
int situ_status_get_rows(const situ_archive *a, const situ_status_row *rows, size_t count, void *object);
/* A text has to be the same here: else a line of the difference is added to `text` (size bytes). */
int situ_status_same(const situ_archive *a, const char *key, const char *what, const char *here, char *text, size_t size);
/* The same of numbers of an object, by key. */
int situ_status_same_rows(
    const situ_archive *a, const situ_status_row *rows, size_t count, const void *object, char *text, size_t size);

#endif
