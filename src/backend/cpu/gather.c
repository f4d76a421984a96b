/* Strided arrays to and from contiguous memory. */
#include "backend/cpu/convert.h"
#include "backend/cpu/gather_tile.h"
#include "tensor/shape.h"

#include <string.h>

typedef enum direction { GATHER, SCATTER } direction;

/* A strided array whose axes are merged where they can be, at the element where the walk stands. */
typedef struct walk {
    int ndim;
    bool stream; /* what is packed goes past the caches */
    int64_t size, dim[SITU_MAX_DIMS], stride[SITU_MAX_DIMS], index[SITU_MAX_DIMS];
    char *at;
} walk;

enum {
    LINE = SITU_LINE,
    WIDE = 128, /* tiles: where columns are read so far together, the processor reads ahead */
    NEAR = 4096 /* bytes that are copied again and again */
};

typedef struct bytes16 {
    uint64_t word[2];
} bytes16;

/* n elements of one axis; `packed` is contiguous. memcpy of a constant size is one move of any alignment. */
#define ROW_LOOP(T)                                                                                                    \
    for (int64_t i = 0; i < n; i++, packed += sizeof(T), strided += stride)                                            \
        memcpy(to_packed ? packed : strided, to_packed ? strided : packed, sizeof(T));

static inline __attribute__((always_inline)) void move_elements(direction to, char *packed, char *strided,
                                                                int64_t stride, int64_t n, int64_t size)
{
    const int to_packed = to == GATHER;
    switch (size) {
    case 1: ROW_LOOP(uint8_t) break;
    case 2: ROW_LOOP(uint16_t) break;
    case 4: ROW_LOOP(uint32_t) break;
    case 8: ROW_LOOP(uint64_t) break;
    case 16: ROW_LOOP(bytes16) break;
    default:
        for (int64_t i = 0; i < n; i++, packed += size, strided += stride)
            memcpy(to_packed ? packed : strided, to_packed ? strided : packed, (size_t)size);
    }
}

/* One element all along a row, in whole lines: what is too much of it the next row goes over. */
#define SPREAD(T)                                                                                                      \
    {                                                                                                                  \
        typedef T elements __attribute__((vector_size(LINE)));                                                         \
        T x;                                                                                                           \
        memcpy(&x, from, sizeof x);                                                                                    \
        elements line = (elements){0} + x;                                                                             \
        for (char *stop = packed + row; packed < stop; packed += LINE) {                                               \
            if (end - packed >= LINE) memcpy(packed, &line, LINE);                                                     \
            else memcpy(packed, &line, (size_t)(stop - packed));                                                       \
        }                                                                                                              \
    }

/* Rows of `columns` elements that are the same along the row; the rows' elements are `step` bytes apart. */
static void spread_rows(char *packed, const char *from, int64_t step, int64_t rows, int64_t columns, int64_t size)
{
    int64_t row = columns * size;
    const char *end = packed + rows * row;
    for (char *next = packed + row; rows > 0; rows--, from += step, packed = next, next += row) switch (size) {
        case 1: SPREAD(uint8_t) break;
        case 2: SPREAD(uint16_t) break;
        case 4: SPREAD(uint32_t) break;
        case 8: SPREAD(uint64_t) break;
        default: move_elements(GATHER, packed, (char *)(uintptr_t)from, 0, columns, size);
        }
}

static void gather_row(char *packed, char *strided, int64_t stride, int64_t n, int64_t size)
{
    if (stride == size) memcpy(packed, strided, (size_t)(n * size));
    else if (!stride) spread_rows(packed, strided, 0, 1, n, size);
    else move_elements(GATHER, packed, strided, stride, n, size);
}

static void scatter_row(char *packed, char *strided, int64_t stride, int64_t n, int64_t size)
{
    if (stride == size) memcpy(strided, packed, (size_t)(n * size));
    else move_elements(SCATTER, packed, strided, stride, n, size);
}

static void start(walk *w, char *base, int64_t size, int ndim, const int64_t *dim, const int64_t *stride, int64_t first)
{
    w->size = size;
    memcpy(w->dim, dim, (size_t)ndim * sizeof *dim);
    memcpy(w->stride, stride, (size_t)ndim * sizeof *stride);
    w->ndim = situ_collapse(ndim, w->dim, 1, w->stride);
    if (!w->ndim) { /* a single element is a row of one */
        w->ndim = 1;
        w->dim[0] = 1;
        w->stride[0] = size;
    }
    w->at = base;
    for (int i = w->ndim; i-- > 0; first /= w->dim[i]) {
        w->index[i] = first % w->dim[i];
        w->at += w->index[i] * w->stride[i];
    }
}

/* Goes n elements on along the axis, with carries; n does not go beyond its end. */
static void advance(walk *w, int axis, int64_t n)
{
    w->index[axis] += n;
    w->at += n * w->stride[axis];
    for (int i = axis; i > 0 && w->index[i] == w->dim[i]; i--) {
        w->at += w->stride[i - 1] - w->dim[i] * w->stride[i];
        w->index[i] = 0;
        w->index[i - 1]++;
    }
}

/* Part of a tile of a transposition, through a buffer: each cache line of both sides is touched once, so that rows a power
 * of two apart, which share their places in the cache, do no harm. Columns of the strided side are contiguous. */
static inline __attribute__((always_inline)) void move_tile(direction to, char *packed, int64_t packed_row,
                                                            char *strided, int64_t strided_column, int64_t rows,
                                                            int64_t columns, int64_t size)
{
    char buffer[LINE * LINE];
    size_t line = (size_t)(rows * size);
    if (to == GATHER) {
        for (int64_t c = 0; c < columns; c++) memcpy(buffer + c * LINE, strided + c * strided_column, line);
        for (int64_t r = 0; r < rows; r++)
            move_elements(GATHER, packed + r * packed_row, buffer + r * size, LINE, columns, size);
    } else {
        for (int64_t r = 0; r < rows; r++)
            move_elements(SCATTER, packed + r * packed_row, buffer + r * size, LINE, columns, size);
        for (int64_t c = 0; c < columns; c++) memcpy(strided + c * strided_column, buffer + c * LINE, line);
    }
}

/* A whole tile: a line of each of its columns becomes a line of each of its rows. */
static void turn_tile(char *packed, int64_t packed_row, char *strided, int64_t strided_column, int64_t size, bool stream)
{
    char line[LINE * LINE] __attribute__((aligned(LINE)));
    int64_t side = LINE / size;
#if defined(__SSE2__)
    if (size == 4) situ_turn_32(line, strided, strided_column);
    else
#endif
        for (int64_t c = 0; c < side; c++) move_elements(SCATTER, strided + c * strided_column, line + c * size, LINE, side, size);
    for (int64_t r = 0; r < side; r++) situ_put_line(packed + r * packed_row, line + r * LINE, stream);
}

/* Whole tiles, a few of them along the strided side before those of the next columns; then the rows and columns that are left. */
static int64_t transpose_whole(const walk *w, char *packed, int64_t rows)
{
    int64_t size = w->size, columns = w->dim[w->ndim - 1], stride = w->stride[w->ndim - 1], side = LINE / size;
    int64_t whole_rows = rows / side * side, whole_columns = columns / side * side;
    bool stream = w->stream && !((uintptr_t)packed % LINE) && !(columns * size % LINE);
    for (int64_t first = 0; first < whole_rows; first += WIDE * side)
        for (int64_t c = 0; c < whole_columns; c += side)
            for (int64_t r = first; r < whole_rows && r < first + WIDE * side; r += side)
                turn_tile(packed + (r * columns + c) * size, columns * size, w->at + r * size + c * stride, stride, size, stream);
    if (stream) situ_lines_drain();
    return whole_rows;
}

/* Rows [index, index + rows) of the last two axes, of which the first one is contiguous. */
static void transpose(direction to, walk *w, char *packed, int64_t rows)
{
    int64_t size = w->size, columns = w->dim[w->ndim - 1], stride = w->stride[w->ndim - 1];
    int64_t side = LINE / size, whole_rows = to == GATHER && LINE % size == 0 ? transpose_whole(w, packed, rows) : 0;
    for (int64_t r = 0; r < rows; r += side) {
        int64_t nr = rows - r < side ? rows - r : side;
        for (int64_t c = r < whole_rows ? columns / side * side : 0; c < columns; c += side) {
            int64_t nc = columns - c < side ? columns - c : side;
            char *p = packed + (r * columns + c) * size, *s = w->at + r * size + c * stride;
            if (to == GATHER) move_tile(GATHER, p, columns * size, s, stride, nr, nc, size);
            else move_tile(SCATTER, p, columns * size, s, stride, nr, nc, size);
        }
    }
}

/* Rows that are all the same: what is there is copied behind itself. */
static void repeat_row(char *packed, int64_t rows, int64_t row)
{
    int64_t near = row < NEAR ? NEAR / row * row : row, all = rows * row;
    for (int64_t done = row, n; done < all; done += n) {
        n = done < near ? done : near;
        if (n > all - done) n = all - done;
        memcpy(packed + done, packed, (size_t)n);
    }
}

/* Rows of the last axis which repeat, or whose elements do. */
static void gather_same(walk *w, char *packed, int64_t rows)
{
    int last = w->ndim - 1;
    int64_t size = w->size, columns = w->dim[last];
    if (!w->stride[last]) {
        spread_rows(packed, w->at, w->stride[last - 1], rows, columns, size);
    } else {
        gather_row(packed, w->at, w->stride[last], columns, size);
        repeat_row(packed, rows, columns * size);
    }
}

static void move(direction to, walk *w, char *packed, int64_t n)
{
    int last = w->ndim - 1;
    int64_t size = w->size, columns = w->dim[last];
    bool same = to == GATHER && last > 0 && (!w->stride[last] || !w->stride[last - 1]);
    bool transposed = last > 0 && size <= 16 && w->stride[last - 1] == size && w->stride[last] != size &&
                      w->stride[last] != 0 && columns > 1;
    while (n > 0) {
        if ((same || transposed) && w->index[last] == 0 && n >= 2 * columns) {
            int64_t rows = w->dim[last - 1] - w->index[last - 1];
            if (rows > n / columns) rows = n / columns;
            if (same) gather_same(w, packed, rows);
            else transpose(to, w, packed, rows);
            packed += rows * columns * size;
            n -= rows * columns;
            advance(w, last - 1, rows);
            continue;
        }
        int64_t k = columns - w->index[last];
        if (k > n) k = n;
        if (to == GATHER) gather_row(packed, w->at, w->stride[last], k, size);
        else scatter_row(packed, w->at, w->stride[last], k, size);
        packed += k * size;
        n -= k;
        advance(w, last, k);
    }
}

static void read(void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride, int64_t first, int64_t n, bool stream)
{
    walk w;
    if (n <= 0) return;
    w.stream = stream;
    start(&w, (char *)(uintptr_t)in, size, ndim, dim, stride, first);
    move(GATHER, &w, out, n);
}

void situ_strided_read(void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes,
                 int64_t first, int64_t n)
{
    read(out, in, size, ndim, dim, stride_bytes, first, n, false);
}

void situ_strided_stream(void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes,
                 int64_t first, int64_t n)
{
    read(out, in, size, ndim, dim, stride_bytes, first, n, true);
}

void situ_strided_write(char *out, const void *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes,
                  int64_t first, int64_t n)
{
    walk w;
    if (n <= 0) return;
    w.stream = false;
    start(&w, out, size, ndim, dim, stride_bytes, first);
    move(SCATTER, &w, (char *)(uintptr_t)in, n);
}
