/* Shapes, strides, broadcasting, views without a copy, merging of axes. */
#include <string.h>

#include "base/error.h"
#include "tensor/shape.h"
#include "values.h"

#define D(...) ((const int64_t[]){__VA_ARGS__})

TEST(counts_elements)
{
    CHECK_EQ(situ_shape_count(0, NULL), 1);
    CHECK_EQ(situ_shape_count(3, D(2, 3, 4)), 24);
    CHECK_EQ(situ_shape_count(3, D(2, 0, 4)), 0);
    CHECK_EQ(situ_shape_count(2, D(2, -1)), -1);
    CHECK_EQ(situ_shape_count(2, D((int64_t)1 << 32, (int64_t)1 << 31)), -1);
    CHECK_EQ(situ_shape_count(2, D((int64_t)1 << 32, ((int64_t)1 << 31) - 1)), INT64_MAX - (((int64_t)1 << 32) - 1));
    CHECK_EQ(situ_shape_count(3, D((int64_t)1 << 40, (int64_t)1 << 40, 0)), 0);
}

TEST(strides_are_row_major)
{
    int64_t s[8];
    situ_shape_strides(3, D(2, 3, 4), s);
    CHECK(s[0] == 12 && s[1] == 4 && s[2] == 1);
    CHECK(situ_is_contiguous(3, D(2, 3, 4), s));
    CHECK(!situ_is_contiguous(2, D(3, 2), D(1, 3)));
    CHECK(situ_is_contiguous(2, D(1, 4), D(77, 1)));
    CHECK(situ_is_contiguous(2, D(0, 4), D(7, 9)));
    CHECK(!situ_is_contiguous(1, D(4), D(2)));
    CHECK(!situ_is_contiguous(1, D(4), D(0)));
    CHECK(situ_is_contiguous(0, NULL, NULL));
    situ_shape_strides(3, D((int64_t)1 << 40, (int64_t)1 << 40, 0), s); /* empty: nothing to go wrong */
}

TEST(shapes_broadcast)
{
    int64_t out[8];
    CHECK_EQ(situ_shape_broadcast(NULL, "add", 2, D(3, 1), 3, D(2, 1, 4), out), 3);
    CHECK(out[0] == 2 && out[1] == 3 && out[2] == 4);
    CHECK_EQ(situ_shape_broadcast(NULL, "add", 0, NULL, 0, NULL, out), 0);
    CHECK_EQ(situ_shape_broadcast(NULL, "add", 1, D(0), 1, D(1), out), 1);
    CHECK_EQ(out[0], 0);
    CHECK_EQ(situ_shape_broadcast("file.c:7", "add", 2, D(2, 3), 1, D(4), out), -SITU_BAD_SHAPE);
    CHECK_STR(situ_error_message(), "file.c:7: add: shapes [2,3] and [4] do not broadcast: axis 1 from the right is 3 "
                                    "and 4; make them equal, or one of them 1");
    CHECK_CODE(SITU_BAD_SHAPE);
    CHECK_FAILS(SITU_BAD_SHAPE, situ_shape_broadcast(NULL, "add", 1, D(0), 1, D(3), out));
    CHECK(situ_stride_broadcast(2, D(3, 1), D(1, 1), 3, D(2, 3, 4), out));
    CHECK(out[0] == 0 && out[1] == 1 && out[2] == 0);
    CHECK(!situ_stride_broadcast(2, D(3, 2), D(2, 1), 3, D(2, 3, 4), out));
    CHECK(!situ_stride_broadcast(2, D(3, 2), D(2, 1), 1, D(2), out));
}

static int64_t random_state = 12345;
static int64_t pick(int64_t n)
{
    random_state = (int64_t)((uint64_t)random_state * 6364136223846793005u + 1442695040888963407u);
    return (int64_t)((uint64_t)random_state >> 33) % n;
}

/* Offset of the k-th element in row-major order. */
static int64_t offset(int ndim, const int64_t *dim, const int64_t *stride, int64_t k)
{
    int64_t at = 0;
    for (int i = ndim; i-- > 0; k /= dim[i]) at += k % dim[i] * stride[i];
    return at;
}

/* Splits n into up to 5 factors, with ones between. */
static int random_shape(int64_t n, int64_t *dim)
{
    int ndim = 0;
    while (n > 1 && ndim < 6) {
        int64_t f = 2 + pick(3);
        if (pick(4) == 0) dim[ndim++] = 1;
        else if (n % f == 0 && ndim < 5) dim[ndim++] = f, n /= f;
        else if (ndim == 5) break;
    }
    dim[ndim++] = n;
    if (ndim < 7 && pick(3) == 0) dim[ndim++] = 1;
    return ndim;
}

/* A view exists exactly if the offsets of the new rows run in even steps: compared with all elements' offsets. */
TEST(reshapes_are_views_where_possible)
{
    int possible = 0, tries = 20000;
    for (int t = 0; t < tries; t++) {
        int64_t n = 24 * (1 + pick(6)), dim[8], stride[8], base[8], perm_dim[8], perm_stride[8], to[8], s[8];
        int ndim = random_shape(n, dim), new_ndim = random_shape(n, to);
        situ_shape_strides(ndim, dim, base);
        int a = (int)pick(ndim), b = (int)pick(ndim);
        memcpy(perm_dim, dim, sizeof dim);
        memcpy(perm_stride, base, sizeof base);
        if (pick(2)) {
            perm_dim[a] = dim[b], perm_dim[b] = dim[a];
            perm_stride[a] = base[b], perm_stride[b] = base[a];
        }
        for (int i = 0; i < ndim; i++) stride[i] = perm_stride[i] * (pick(8) ? 1 : pick(3) - 1);
        bool view = situ_view_reshape(ndim, perm_dim, stride, new_ndim, to, s);
        /* The only candidate: the step at each new axis's second index. */
        int64_t wanted[8], rows = 1;
        for (int i = new_ndim; i-- > 0; rows *= to[i])
            wanted[i] = to[i] > 1 ? offset(ndim, perm_dim, stride, rows) - offset(ndim, perm_dim, stride, 0) : 0;
        bool fits = true;
        for (int64_t k = 0; fits && k < n; k++)
            fits = offset(new_ndim, to, wanted, k) == offset(ndim, perm_dim, stride, k);
        if (!CHECK_EQ(view, fits)) return;
        for (int64_t k = 0; view && k < n; k++)
            if (!CHECK_EQ(offset(new_ndim, to, s, k), offset(ndim, perm_dim, stride, k))) return;
        possible += view;
    }
    CHECK(possible > tries / 4 && possible < tries * 9 / 10);
    int64_t s[8];
    CHECK_EQ(situ_view_reshape(2, D(2, 3), D(3, 1), 1, D(5), s), 0);
    CHECK_EQ(situ_view_reshape(0, NULL, NULL, 2, D(1, 1), s), 1);
    CHECK_EQ(situ_view_reshape(2, D(0, 3), D(9, 9), 3, D(5, 0, 7), s), 1);
    CHECK_EQ(situ_view_reshape(1, D(-1), D(1), 1, D(-1), s), 0);
}

TEST(axes_collapse)
{
    int64_t dim[8] = {2, 1, 3, 4}, stride[2][8] = {{12, 99, 4, 1}, {12, 7, 4, 1}};
    CHECK_EQ(situ_collapse(4, dim, 2, &stride[0][0]), 1);
    CHECK(dim[0] == 24 && stride[0][0] == 1 && stride[1][0] == 1);
    int64_t dim2[8] = {2, 3, 4}, stride2[2][8] = {{12, 4, 1}, {0, 4, 1}}; /* the second is broadcast along the first */
    CHECK_EQ(situ_collapse(3, dim2, 2, &stride2[0][0]), 2);
    CHECK(dim2[0] == 2 && dim2[1] == 12 && stride2[1][0] == 0 && stride2[1][1] == 1);
    int64_t dim3[8] = {1, 1}, stride3[8] = {5, 6};
    CHECK_EQ(situ_collapse(2, dim3, 1, stride3), 0);
    int64_t dim4[8] = {3, 0, 2}, stride4[8] = {0, 2, 1};
    CHECK_EQ(situ_collapse(3, dim4, 1, stride4), 1);
    CHECK_EQ(dim4[0], 0);
    for (int t = 0; t < 2000; t++) { /* the same offsets in the same order */
        int64_t n = 24 * (1 + pick(4)), d[8], s[2][8], d1[8], s1[2][8];
        int ndim = random_shape(n, d);
        for (int k = 0; k < 2; k++) {
            situ_shape_strides(ndim, d, s[k]);
            for (int i = 0; i < ndim; i++) s[k][i] *= pick(5) ? 1 : pick(2);
        }
        memcpy(d1, d, sizeof d);
        memcpy(s1, s, sizeof s);
        int m = situ_collapse(ndim, d1, 2, &s1[0][0]);
        CHECK(m <= ndim);
        for (int k = 0; k < 2; k++)
            for (int64_t e = 0; e < n; e++)
                if (!CHECK_EQ(offset(m, d1, s1[k], e), offset(ndim, d, s[k], e))) return;
    }
}

TEST(shapes_as_text)
{
    char text[SITU_SHAPE_TEXT], tiny[5];
    CHECK_STR(situ_shape_text(2, D(2, 3), text, sizeof text), "[2,3]");
    CHECK_STR(situ_shape_text(0, NULL, text, sizeof text), "[]");
    CHECK_STR(situ_shape_text(2, D(1234, 5), tiny, sizeof tiny), "[123");
    const int64_t big = INT64_MIN;
    situ_shape_text(8, D(big, big, big, big, big, big, big, big), text, sizeof text);
    CHECK_EQ(text[strlen(text) - 1], ']');
}

/* 2^63 bytes of the largest element, which has 16, are too many; also where their number is 0 modulo 2^64. */
TEST(what_would_have_more_than_2_63_bytes_is_refused)
{
    const int64_t fits[] = {1 << 29, 1 << 29, 1}, wraps[] = {INT64_C(1) << 31, INT64_C(1) << 31}, most[] = {INT64_MAX};
    CHECK(situ_shape_fits(3, fits) && !situ_shape_fits(2, wraps) && !situ_shape_fits(1, most));
    IN_SCOPE {
        situ_tensor *row = situ_zeros(SHAPE(1, INT64_C(1) << 31)), *column = situ_zeros(SHAPE(INT64_C(1) << 31, 1));
        situ_add(row, column);
        if (!CHECK(strstr(situ_error_message(), "add: the result [2147483648,2147483648] would have more than 2^63 bytes")))
            printf("  %s\n", situ_error_message());
        CHECK_CODE(SITU_BAD_SHAPE);
    }
}
