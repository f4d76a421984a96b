/* The state of a training as it is stored in a file: tensors by name, and texts for numbers of the host. Integers are
 * written in decimal, other numbers as the 16 hexadecimal digits of their bits, so each number is restored exactly. */
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
    const char *function; /* public function that messages name */
    situ_site site;
    int rc; /* result of the first call that failed */
} situ_status;

typedef enum situ_status_type { SITU_STATUS_INT, SITU_STATUS_INT64, SITU_STATUS_DOUBLE, SITU_STATUS_BOOL } situ_status_type;
/* A field of a struct that is stored as text. */
typedef struct situ_status_row {
    const char *key;
    situ_status_type type;
    size_t offset;
    double least; /* least value allowed, for integers */
} situ_status_row;

void situ_status_open(situ_status *s, const char *function, situ_site site);
void situ_status_close(situ_status *s);
/* Records that memory ran out. */
void situ_status_no_room(situ_status *s);
/* Both copy their arguments; key and name are formatted like printf. */
void situ_status_text(situ_status *s, const char *value, const char *format, ...) __attribute__((format(printf, 3, 4)));
void situ_status_tensor(situ_status *s, situ_tensor *t, const char *format, ...) __attribute__((format(printf, 3, 4)));
void situ_status_integer(situ_status *s, const char *key, int64_t value);
void situ_status_number(situ_status *s, const char *key, double value);
/* Adds a program's own lines "key=value"; NULL: none. */
void situ_status_lines(situ_status *s, const char *lines);
void situ_status_rows(situ_status *s, const situ_status_row *rows, size_t count, const void *object);
/* The 16 digits of a number; text has 17 bytes. */
void situ_status_digits(double value, char *text);
bool situ_status_value(const char *text, double *value);

/* Reads values back. 0, or a negative code: the key is missing, or it is no such number. */
int situ_status_get(const situ_archive *a, const char *key, const char **value);
int situ_status_get_rows(const situ_archive *a, const situ_status_row *rows, size_t count, void *object);
/* Compares a text with the one here: if they differ, adds a line to `text` (size bytes). */
int situ_status_same(const situ_archive *a, const char *key, const char *what, const char *here, char *text, size_t size);
/* The same for the fields of an object, by key. */
int situ_status_same_rows(
    const situ_archive *a, const situ_status_row *rows, size_t count, const void *object, char *text, size_t size);

#endif
