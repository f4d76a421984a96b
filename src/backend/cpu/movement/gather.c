/* Copies between strided arrays and contiguous ("packed") memory. */
#include "backend/cpu/movement/convert.h"
#include "backend/cpu/tiles/tile.h"
#include "base/isa.h"
#include "base/memory.h"
#include "simd/simd.h"
#include "tensor/shape.h"

#include <string.h>

typedef enum direction { GATHER, SCATTER } direction;

/* A position in a strided array. Adjacent axes are merged where possible. */
typedef struct walk {
    int ndim;
    bool stream; /* writes to packed memory bypass the caches */
    int64_t size, dim[SITU_MAX_DIMS], stride[SITU_MAX_DIMS], index[SITU_MAX_DIMS];
    char *at;
} walk;

enum {
    LINE = SITU_LINE,
    PART_LINES = 8, /* cache lines copied at a time of a row that does not begin at one */
    WIDE = 128,     /* tiles processed along a column, so that the hardware prefetcher helps */
    NEAR = 4096     /* bytes that are copied repeatedly */
};

typedef struct bytes16 {
    uint64_t word[2];
} bytes16;

/* Copies n elements of one axis; `packed` is contiguous. A memcpy of constant size compiles to one move, whatever the
 * alignment. */
#define ROW_LOOP(T) \
    for (int64_t i = 0; i < n; i++, packed += sizeof(T), strided += stride) \
        memcpy(to_packed ? packed : strided, to_packed ? strided : packed, sizeof(T));

static inline __attribute__((always_inline)) void move_elements(
    direction to, char *packed, char *strided, int64_t stride, int64_t n, int64_t size)
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

/* Fills a row with one element, in whole cache lines; the next row overwrites the excess. */
#define SPREAD(T) \
    { \
        typedef T elements __attribute__((vector_size(LINE))); \
        T x; \
        memcpy(&x, from, sizeof x); \
        elements line = (elements){0} + x; \
        for (char *stop = packed + row; packed < stop; packed += LINE) { \
            if (end - packed >= LINE) memcpy(packed, &line, LINE); \
            else memcpy(packed, &line, (size_t)(stop - packed)); \
        } \
    }

/* Fills rows of `columns` equal elements; the rows' elements are `step` bytes apart. */
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

/* Advances by n elements along the axis, with carries to earlier axes; n stays within the axis. */
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

/* Transposes part of a tile through a buffer. Each cache line of both sides is accessed once, so that rows a power of
 * two apart, which map to the same cache sets, do no harm. Columns of the strided side are contiguous. */
static inline __attribute__((always_inline)) void move_tile(direction to, char *packed, int64_t packed_row, char *strided,
    int64_t strided_column, int64_t rows, int64_t columns, int64_t size)
{
    char buffer[LINE * LINE];
    size_t line = (size_t)(rows * size);
    if (to == GATHER) {
        for (int64_t c = 0; c < columns; c++) memcpy(buffer + c * LINE, strided + c * strided_column, line);
        for (int64_t r = 0; r < rows; r++) move_elements(GATHER, packed + r * packed_row, buffer + r * size, LINE, columns, size);
    } else {
        for (int64_t r = 0; r < rows; r++) move_elements(SCATTER, packed + r * packed_row, buffer + r * size, LINE, columns, size);
        for (int64_t c = 0; c < columns; c++) memcpy(strided + c * strided_column, buffer + c * LINE, line);
    }
}

/* Stores a whole cache line, read from any address. stream: bypasses the caches; `to` is then at the start of a line. */
static void put_line(char *to, const char *line, bool stream)
{
    if (!stream) memcpy(to, line, LINE);
    else
        for (int i = 0; i < LINE; i += VECTOR_BYTES)
            v_stream((float *)(void *)(to + i), v_load((const float *)(const void *)(line + i)));
}

/* Transposes a whole tile: a cache line of each of its columns becomes a cache line of each of its rows. */
static void transpose_tile(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t size, bool stream)
{
    char line[LINE * LINE] __attribute__((aligned(LINE)));
    int64_t side = LINE / size;
    for (int64_t c = 0; c < side; c++)
        move_elements(SCATTER, (char *)(uintptr_t)from + c * from_row, line + c * size, LINE, side, size);
    for (int64_t r = 0; r < side; r++) put_line(to + r * to_row, line + r * LINE, stream);
}

/* A matrix to transpose: rows are contiguous in packed memory, columns in the strided array. */
typedef struct matrix {
    char *packed, *strided;
    int64_t packed_row, strided_column; /* bytes */
    int64_t rows, columns, size;
} matrix;

static void transpose_any(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t size, bool stream)
{
    if (size == 4) SITU_FOR_ISA(situ_transpose_32)(to, to_row, from, from_row, stream);
    else transpose_tile(to, to_row, from, from_row, size, stream);
}

/* Transposes whole tiles: WIDE of them along the strided side, then the next columns. */
static void transpose_tiles(const matrix *m, int64_t rows, int64_t columns, bool stream)
{
    int64_t size = m->size, side = LINE / size;
    for (int64_t first = 0; first < rows; first += WIDE * side)
        for (int64_t c = 0; c < columns; c += side)
            for (int64_t r = first; r < rows && r < first + WIDE * side; r += side) {
                const char *from = m->strided + r * size + c * m->strided_column;
                for (int64_t i = side; i < 2 * side; i++)
                    __builtin_prefetch(from + i * m->strided_column, 0, 2); /* prefetch the next row of tiles */
                transpose_any(m->packed + r * m->packed_row + c * size, m->packed_row, from, m->strided_column, size, stream);
            }
}

/* Copies part of a row, bypassing the caches except for incomplete cache lines at the ends. */
static void stream_part(char *to, const char *from, int64_t bytes)
{
    int64_t before = (int64_t)(-(uintptr_t)to % LINE);
    if (before > bytes) before = bytes;
    memcpy(to, from, (size_t)before);
    for (; bytes - before >= LINE; before += LINE) put_line(to + before, from + before, true);
    memcpy(to + before, from + before, (size_t)(bytes - before));
}

typedef char part_row[PART_LINES * LINE + LINE];

/* Transposes rows that do not begin at cache lines. A few tiles side by side go to `part`, which stays in the cache,
 * and from there to memory. */
static void transpose_parts(const matrix *m, int64_t rows, part_row *part)
{
    int64_t size = m->size, side = LINE / size, most = PART_LINES * side, column = m->strided_column;
    for (int64_t c = 0; c < m->columns; c += most)
        for (int64_t r = 0; r < rows; r += side) {
            int64_t n = m->columns - c < most ? m->columns - c : most, whole = n / side * side;
            char *from = m->strided + r * size + c * column;
            for (int64_t i = 0; i < n; i++) __builtin_prefetch(from + i * column + 2 * LINE);
            for (int64_t t = 0; t < whole; t += side)
                transpose_any(part[0] + t * size, sizeof part[0], from + t * column, column, size, false);
            if (whole < n)
                move_tile(GATHER, part[0] + whole * size, sizeof part[0], from + whole * column, column, side, n - whole, size);
            for (int64_t i = 0; i < side; i++) stream_part(m->packed + (r + i) * m->packed_row + c * size, part[i], n * size);
        }
}

static void transpose_matrix(direction to, const matrix *m, bool stream)
{
    int64_t size = m->size, side = LINE / size, rows = 0, columns = m->columns; /* number of rows and columns done by
                                                                                 * whole tiles */
    if (to == GATHER && LINE % size == 0) {
        bool lines = !((uintptr_t)m->packed % LINE) && !(m->packed_row % LINE);
        rows = m->rows / side * side;
        part_row *part = stream && !lines ? situ_aligned_alloc(LINE, LINE * sizeof *part) : NULL;
        if (part) transpose_parts(m, rows, part);
        else if (stream && !lines) rows = 0; /* no memory for tiles: everything is done as the rest */
        else transpose_tiles(m, rows, columns = m->columns / side * side, stream);
        situ_aligned_free(part);
        if (stream) v_drain();
    }
    for (int64_t r = 0; r < m->rows; r += side) {
        int64_t nr = m->rows - r < side ? m->rows - r : side;
        for (int64_t c = r < rows ? columns : 0; c < m->columns; c += side) {
            int64_t nc = m->columns - c < side ? m->columns - c : side;
            char *p = m->packed + r * m->packed_row + c * size, *s = m->strided + r * size + c * m->strided_column;
            if (to == GATHER) move_tile(GATHER, p, m->packed_row, s, m->strided_column, nr, nc, size);
            else move_tile(SCATTER, p, m->packed_row, s, m->strided_column, nr, nc, size);
        }
    }
}

int situ_strided_axis(int64_t size, int ndim, const int64_t *dim, const int64_t *stride)
{
    int last = ndim - 1, axis = last - 1;
    if (last < 0 || size > 16 || stride[last] == size || !stride[last] || dim[last] < 2) return -1;
    while (axis >= 0 && stride[axis] != size) axis--;
    return axis;
}

/* Number of elements of all axes after this one. */
static int64_t elements_behind(const walk *w, int axis) { return situ_shape_count(w->ndim - 1 - axis, w->dim + axis + 1); }

static bool is_at_start_of(const walk *w, int axis)
{
    for (int i = axis + 1; i < w->ndim; i++)
        if (w->index[i]) return false;
    return true;
}

/* Copies `rows` elements of `axis`, which is contiguous, and all axes after it. For each position of the axes in
 * between, this is a matrix of `axis` and the last axis. */
static void transpose(direction to, const walk *w, char *packed, int axis, int64_t rows)
{
    int last = w->ndim - 1;
    int64_t columns = w->dim[last], row = elements_behind(w, axis), index[SITU_MAX_DIMS] = {0};
    matrix m = {.packed = packed,
        .strided = w->at,
        .packed_row = row * w->size,
        .strided_column = w->stride[last],
        .rows = rows,
        .columns = columns,
        .size = w->size};
    for (int64_t done = 0; done < row; done += columns) {
        transpose_matrix(to, &m, w->stream);
        m.packed += columns * w->size;
        for (int i = last - 1; i > axis; i--) {
            m.strided += w->stride[i];
            if (++index[i] < w->dim[i]) break;
            m.strided -= w->dim[i] * w->stride[i];
            index[i] = 0;
        }
    }
}

/* Repeats the first row: copies what has been written so far, at most NEAR bytes at a time. */
static void repeat_row(char *packed, int64_t rows, int64_t row)
{
    int64_t near = row < NEAR ? NEAR / row * row : row, all = rows * row;
    for (int64_t done = row, n; done < all; done += n) {
        n = done < near ? done : near;
        if (n > all - done) n = all - done;
        memcpy(packed + done, packed, (size_t)n);
    }
}

/* Copies rows of the last axis that are all equal, or whose elements are. */
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
    int last = w->ndim - 1, axis = situ_strided_axis(w->size, w->ndim, w->dim, w->stride);
    int64_t size = w->size, columns = w->dim[last];
    bool same = to == GATHER && last > 0 && (!w->stride[last] || !w->stride[last - 1]);
    if (same) axis = last - 1;
    int64_t row = axis < 0 ? n + 1 : elements_behind(w, axis);
    while (n > 0) {
        if (axis >= 0 && n >= 2 * row && is_at_start_of(w, axis)) {
            int64_t rows = w->dim[axis] - w->index[axis];
            if (rows > n / row) rows = n / row;
            if (same) gather_same(w, packed, rows);
            else transpose(to, w, packed, axis, rows);
            packed += rows * row * size;
            n -= rows * row;
            advance(w, axis, rows);
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

static void read(void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride, int64_t first,
    int64_t n, bool stream)
{
    walk w;
    if (n <= 0) return;
    w.stream = stream;
    start(&w, (char *)(uintptr_t)in, size, ndim, dim, stride, first);
    move(GATHER, &w, out, n);
}

void situ_strided_read(
    void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes, int64_t first, int64_t n)
{
    read(out, in, size, ndim, dim, stride_bytes, first, n, false);
}

void situ_strided_stream(
    void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes, int64_t first, int64_t n)
{
    read(out, in, size, ndim, dim, stride_bytes, first, n, true);
}

void situ_strided_write(
    char *out, const void *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes, int64_t first, int64_t n)
{
    walk w;
    if (n <= 0) return;
    w.stream = false;
    start(&w, out, size, ndim, dim, stride_bytes, first);
    move(SCATTER, &w, (char *)(uintptr_t)in, n);
}
