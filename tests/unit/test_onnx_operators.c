/* ONNX operators in special cases: lengths of 0, optional results, attributes of order, opsets before 7. */
#include <math.h>
#include <situ/activation.h>
#include <situ/onnx.h>
#include <situ/ops.h>
#include <stdlib.h>

#include "onnx_made.h"
#include "test.h"

/* The results of a node of these inputs, named a, b, c, ...; how many, or a negative code. */
static int results(made *m, situ_list in, const char *const *names, int count, situ_tensor **out)
{
    static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g"};
    const char *inputs[8] = {NULL};
    for (int i = 0; i < in.count; i++) inputs[i] = name[i];
    situ_module *net = loaded(m, inputs, names);
    if (net) situ_module_set_training(net, false);
    int n = net ? situ_module_call_n(net, in, out, count) : -1;
    situ_module_free(net);
    return n;
}
static situ_tensor *result(made *m, situ_list in)
{
    situ_tensor *y = NULL;
    return results(m, in, WORDS("y"), 1, &y) == 1 ? y : NULL;
}

/* y is of this shape and dtype with these values. */
#define GIVES(y, dtype_, shape_, ...) CHECK(gives(y, dtype_, shape_, (const double[]){0, __VA_ARGS__} + 1, __FILE__, __LINE__))
static bool gives(situ_tensor *y, situ_dtype dtype, situ_shape shape, const double *want, const char *file, int line)
{
    double got[64];
    int64_t count = 1;
    if (!y || situ_failed()) return test_check_code(0, file, line, "a result") && y;
    bool same = situ_ndim(y) == shape.ndim && situ_dtype_of(y) == dtype;
    for (int i = 0; i < shape.ndim; i++) same &= same && situ_dim(y, i) == shape.dim[i], count *= shape.dim[i];
    if (!same || situ_read(situ_cast(y, SITU_F64), got, sizeof *got * (size_t)count)) return false;
    for (int64_t i = 0; i < count; i++) same &= test_check_near(got[i], want[i], 1e-6, file, line, "an element");
    return same;
}

static situ_tensor *row(int64_t count, const float *value) { return situ_from_host(value, SHAPE(count)); }
#define ROW(...) row(sizeof(float[]){__VA_ARGS__} / 4, (const float[]){__VA_ARGS__})
#define OF(shape_, ...) situ_reshape(ROW(__VA_ARGS__), shape_)

/* ---- transposed convolutions ---------------------------------------------------------------------------------------------- */

TEST(onnx_a_transposed_convolution_cuts_the_odd_element_in_front)
{
    static const struct {
        const char *mode;
        double y[3];
    } row_of[] = {{NULL, {12, 23, 30}}, {"NOTSET", {12, 23, 30}}, {"SAME_LOWER", {12, 23, 30}}, {"SAME_UPPER", {1, 12, 23}}};
    situ_scope *scope = situ_scope_open();
    for (size_t i = 0; i < 4; i++)
        for (int whole_shape = 0; whole_shape < 2; whole_shape++) { /* the standard has the lengths of the window's axes alone */
            made m = {.node = {.size = 0}};
            ends(&m, "ConvTranspose", WORDS("a", "b"), WORDS("y"));
            whole_list(&m, "output_shape", whole_shape ? 3 : 1, whole_shape ? (const int64_t[]){1, 1, 3} : (const int64_t[]){3});
            if (row_of[i].mode) spoken(&m, "auto_pad", row_of[i].mode);
            situ_tensor *y = result(&m, TENSORS(OF(SHAPE(1, 1, 3), 1, 2, 3), OF(SHAPE(1, 1, 2), 1, 10)));
            if (!whole_shape) GIVES(y, SITU_F32, SHAPE(1, 1, 3), row_of[i].y[0], row_of[i].y[1], row_of[i].y[2]);
            else CHECK(!y && situ_error_take(NULL) == SITU_BAD_FORMAT);
        }
    made m = {.node = {.size = 0}}; /* larger than the tensor: padded with zeros */
    ends(&m, "ConvTranspose", WORDS("a", "b"), WORDS("y"));
    whole_list(&m, "output_shape", 1, (const int64_t[]){5});
    GIVES(result(&m, TENSORS(OF(SHAPE(1, 1, 3), 1, 2, 3), OF(SHAPE(1, 1, 2), 1, 10))), SITU_F32, SHAPE(1, 1, 5), 1, 12, 23, 30, 0);
    situ_scope_close(scope);
}

/* ---- pools ---------------------------------------------------------------------------------------------------------------- */

TEST(onnx_a_maximum_lies_in_the_input_not_around_it)
{
    static const struct {
        situ_dtype dtype;
        double value;
    } lowest[] = {{SITU_F32, -INFINITY}, {SITU_F64, -INFINITY}, {SITU_U8, 0}, {SITU_I8, -128}};
    situ_scope *scope = situ_scope_open();
    for (size_t i = 0; i < sizeof lowest / sizeof *lowest; i++) {
        made m = {.node = {.size = 0}};
        situ_tensor *out[2], *x = situ_full(SHAPE(1, 2, 3), lowest[i].value, .dtype = lowest[i].dtype);
        double v = lowest[i].value;
        ends(&m, "MaxPool", WORDS("a"), WORDS("y", "at"));
        whole_list(&m, "kernel_shape", 1, (const int64_t[]){2});
        whole_list(&m, "pads", 2, (const int64_t[]){1, 1});
        CHECK(results(&m, TENSORS(x), WORDS("y", "at"), 2, out) == 2);
        GIVES(out[0], lowest[i].dtype, SHAPE(1, 2, 4), v, v, v, v, v, v, v, v);
        GIVES(out[1], SITU_I64, SHAPE(1, 2, 4), 0, 0, 1, 2, 3, 3, 4, 5);
    }
    situ_scope_close(scope);
}

TEST(onnx_places_of_maxima_may_be_counted_by_columns)
{
    situ_scope *scope = situ_scope_open();
    for (int axes = 1; axes <= 3; axes++) { /* the last element of two channels of 2 x 3 x 4, 3 x 4, 4 */
        made m = {.node = {.size = 0}};
        situ_tensor *out[2];
        situ_shape s = {.ndim = axes + 2, .dim = {1, 2}};
        const int64_t size[3] = {2, 3, 4};
        double count = 1, at;
        for (int i = 0; i < axes; i++) s.dim[2 + i] = size[3 - axes + i], count *= (double)s.dim[2 + i];
        situ_tensor *x = situ_reshape(situ_arange(0, 2 * count, 1, .dtype = SITU_F32), s);
        x = situ_where(situ_equal(situ_remainder(x, count), 2), 1000, x); /* (0, 0, 2) */
        ends(&m, "MaxPool", WORDS("a"), WORDS("y", "at"));
        whole_list(&m, "kernel_shape", axes, size + 3 - axes);
        whole(&m, "storage_order", 1);
        CHECK(results(&m, TENSORS(x), WORDS("y", "at"), 2, out) == 2);
        at = axes == 1 ? 2 : axes == 2 ? 6 : 12;
        for (int i = 0; i < axes; i++) s.dim[2 + i] = 1;
        GIVES(out[0], SITU_F32, s, 1000, 1000);
        GIVES(out[1], SITU_I64, s, at, at + count);
    }
    situ_scope_close(scope);
}

TEST(onnx_a_pool_may_be_larger_than_its_input)
{
    static const struct {
        const char *type;
        double y;
    } pool[] = {{"MaxPool", 2}, {"AveragePool", 1.5}, {"LpPool", 2.23606797749979}};
    situ_scope *scope = situ_scope_open();
    for (size_t i = 0; i < sizeof pool / sizeof *pool; i++) {
        made m = {.node = {.size = 0}};
        ends(&m, pool[i].type, WORDS("a"), WORDS("y"));
        whole_list(&m, "kernel_shape", 1, (const int64_t[]){3});
        whole_list(&m, "strides", 1, (const int64_t[]){2});
        whole(&m, "ceil_mode", 1);
        GIVES(result(&m, TENSORS(OF(SHAPE(1, 1, 2), 1, 2))), SITU_F32, SHAPE(1, 1, 1), pool[i].y);
    }
    situ_scope_close(scope);
}

/* ---- nothing -------------------------------------------------------------------------------------------------------------- */

TEST(onnx_no_boxes_give_no_images)
{
    made m = {.node = {.size = 0}};
    situ_scope *scope = situ_scope_open();
    ends(&m, "RoiAlign", WORDS("a", "b", "c"), WORDS("y"));
    whole(&m, "output_height", 2);
    whole(&m, "output_width", 3);
    GIVES(result(&m, TENSORS(situ_ones(SHAPE(1, 4, 5, 5)), situ_zeros(SHAPE(0, 4)), situ_zeros(SHAPE(0), .dtype = SITU_I64))), SITU_F32,
        SHAPE(0, 4, 2, 3), 0);
    situ_scope_close(scope);
}

TEST(onnx_a_resize_may_leave_nothing)
{
    situ_scope *scope = situ_scope_open();
    for (int linear = 0; linear < 2; linear++) {
        made m = {.node = {.size = 0}};
        ends(&m, "Resize", WORDS("a", "", "", "b"), WORDS("y"));
        spoken(&m, "mode", linear ? "linear" : "nearest");
        situ_tensor *sizes = situ_from_host(((const int64_t[]){2, 0}), SHAPE(2));
        GIVES(result(&m, TENSORS(situ_ones(SHAPE(1, 3)), sizes)), SITU_F32, SHAPE(2, 0), 0);
    }
    situ_scope_close(scope);
}

TEST(onnx_a_nearest_element_is_found_in_f32)
{
    static const char *const where[] = {"half_pixel", "asymmetric", "half_pixel_symmetric"};
    static const double y[][6] = {{1, 3, 4, 6, 7, 9}, {1, 2, 4, 6, 7, 9}, {1, 3, 4, 6, 7, 9}};
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < 3; i++) { /* 0.6 in f32 is slightly larger, yet 1.5 / 0.6 and 3 / 0.6 must give 2.5 and 5 */
        made m = {.node = {.size = 0}};
        ends(&m, "Resize", WORDS("a", "", "b"), WORDS("y"));
        spoken(&m, "nearest_mode", "floor");
        spoken(&m, "coordinate_transformation_mode", where[i]);
        situ_tensor *x = situ_reshape(situ_arange(1, 11, 1, .dtype = SITU_F32), SHAPE(10)), *scale = ROW(.6f);
        GIVES(result(&m, TENSORS(x, scale)), SITU_F32, SHAPE(6), y[i][0], y[i][1], y[i][2], y[i][3], y[i][4], y[i][5]);
    }
    situ_scope_close(scope);
}

/* torch.nn.functional.interpolate(x, scale_factor=1.5, mode="linear", align_corners=True) and onnxruntime: the ends of
 * 5 elements are those of 7, so the step is 4 / 6, not 4 / (5 * 1.5 - 1). */
TEST(onnx_aligned_corners_are_those_of_the_result)
{
    situ_scope *scope = situ_scope_open();
    made m = {.node = {.size = 0}};
    ends(&m, "Resize", WORDS("a", "", "b"), WORDS("y"));
    spoken(&m, "mode", "linear");
    spoken(&m, "coordinate_transformation_mode", "align_corners");
    situ_tensor *y = result(&m, TENSORS(ROW(0, 1, 4, 9, 16), ROW(1.5f)));
    GIVES(y, SITU_F32, SHAPE(7), 0, 2. / 3, 2, 4, 7 + 1. / 3, 11 + 1. / 3, 16);
    situ_scope_close(scope);
}

/* By sizes the places are quotients of whole numbers: element 4 of 20 to 6 lies at 14.5, that of 7 to 29 by their ends
 * at 0, 1, ... */
TEST(onnx_a_nearest_element_by_sizes_is_exact)
{
    static const struct by_sizes {
        const char *where, *round;
        int64_t from, to, at;
        double value;
    } all[] = {{"half_pixel", "round_prefer_ceil", 20, 6, 4, 15}, {"half_pixel", "round_prefer_floor", 14, 19, 9, 6},
        {"asymmetric", "round_prefer_ceil", 7, 2, 1, 4}, {"asymmetric", "floor", 14, 2, 1, 7}, {"align_corners", "floor", 7, 29, 14, 3}};
    situ_scope *scope = situ_scope_open();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        made m = {.node = {.size = 0}};
        ends(&m, "Resize", WORDS("a", "", "", "b"), WORDS("y"));
        spoken(&m, "nearest_mode", all[i].round);
        spoken(&m, "coordinate_transformation_mode", all[i].where);
        situ_tensor *x = situ_arange(0, (double)all[i].from, 1, .dtype = SITU_F32);
        situ_tensor *y = result(&m, TENSORS(x, situ_from_host(&all[i].to, SHAPE(1))));
        CHECK(situ_item(situ_slice(y, .start = SHAPE(all[i].at), .stop = SHAPE(all[i].at + 1))) == all[i].value);
    }
    CHECK_OK();
    situ_scope_close(scope);
}

/* A node with one attribute whose inputs have no elements. */
static situ_tensor *of_nothing(const char *type, situ_list in, const char *attribute, int count, const int64_t *value, uint64_t opset)
{
    made m = {.opset = opset};
    const char *names[4] = {NULL};
    for (int i = 0; i < in.count; i++) names[i] = WORDS("a", "b", "c")[i];
    ends(&m, type, names, WORDS("y"));
    if (attribute && count) whole_list(&m, attribute, count, value);
    else if (attribute) whole(&m, attribute, (uint64_t)*value);
    return result(&m, in);
}
#define NUMBERS(...) sizeof(int64_t[]){__VA_ARGS__} / 8, (const int64_t[]){__VA_ARGS__}

TEST(onnx_of_nothing_comes_nothing)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *none = situ_zeros(SHAPE(1, 1, 0)), *rows = situ_zeros(SHAPE(0, 3)), *k = situ_ones(SHAPE(1, 1, 3));
    const int64_t one = 1, zero = 0;
    GIVES(of_nothing("ArgMax", TENSORS(situ_zeros(SHAPE(0, 0))), "axis", 0, &one, 0), SITU_I64, SHAPE(0, 1), 0);
    GIVES(of_nothing("ArgMin", TENSORS(situ_zeros(SHAPE(0, 0))), "keepdims", 0, &zero, 0), SITU_I64, SHAPE(0), 0);
    /* there is no largest of no rows */
    CHECK(!of_nothing("ArgMax", TENSORS(rows), "axis", 0, &zero, 0) && situ_error_take(NULL));
    GIVES(of_nothing("Hardmax", TENSORS(situ_zeros(SHAPE(4, 0))), NULL, 0, NULL, 0), SITU_F32, SHAPE(4, 0), 0);
    GIVES(of_nothing("Softmax", TENSORS(rows), NULL, 0, NULL, 11), SITU_F32, SHAPE(0, 3), 0);
    GIVES(of_nothing("Conv", TENSORS(none, k), "pads", NUMBERS(1, 1), 0), SITU_F32, SHAPE(1, 1, 0), 0);
    GIVES(of_nothing("ConvTranspose", TENSORS(none, situ_ones(SHAPE(1, 2, 3)), situ_from_host(((const float[]){5, 6}), SHAPE(2))), NULL, 0,
              NULL, 0),
        SITU_F32, SHAPE(1, 2, 2), 5, 5, 6, 6);
    GIVES(of_nothing("MaxPool", TENSORS(none), "kernel_shape", NUMBERS(1), 0), SITU_F32, SHAPE(1, 1, 0), 0);
    GIVES(of_nothing("AveragePool", TENSORS(none), "kernel_shape", NUMBERS(1), 0), SITU_F32, SHAPE(1, 1, 0), 0);
    GIVES(of_nothing("GroupNormalization", TENSORS(situ_zeros(SHAPE(0, 2, 3)), situ_ones(SHAPE(2)), situ_ones(SHAPE(2))), "num_groups", 0,
              &one, 21),
        SITU_F32, SHAPE(0, 2, 3), 0);
    GIVES(of_nothing("DynamicQuantizeLinear", TENSORS(rows), NULL, 0, NULL, 0), SITU_U8, SHAPE(0, 3), 0);
    GIVES(of_nothing("DFT", TENSORS(situ_zeros(SHAPE(1, 0, 1))), NULL, 0, NULL, 0), SITU_F32, SHAPE(1, 0, 2), 0);
    GIVES(of_nothing("Split", TENSORS(situ_from_host(((const float[]){5, 6}), SHAPE(2)), situ_zeros(SHAPE(0), .dtype = SITU_I64)), NULL, 0,
              NULL, 0),
        SITU_F32, SHAPE(2), 5, 6);
    GIVES(of_nothing("GridSample", TENSORS(situ_zeros(SHAPE(0, 1, 3, 3, 3)), situ_zeros(SHAPE(0, 2, 2, 2, 3))), NULL, 0, NULL, 20), SITU_F32,
        SHAPE(0, 1, 2, 2, 2), 0);
    situ_scope_close(scope);
}

TEST(onnx_a_pool_over_many_elements_goes_axis_by_axis)
{
    situ_scope *scope = situ_scope_open();
    static const struct {
        const char *type;
        double y;
    } pool[] = {{"MaxPool", 80 * 80 - 1}, {"AveragePool", (80 * 80 - 1) / 2.0}};
    for (int i = 0; i < 2; i++) {
        made m = {.node = {.size = 0}};
        ends(&m, pool[i].type, WORDS("a"), WORDS("y"));
        whole_list(&m, "kernel_shape", 2, (const int64_t[]){81, 81});
        whole_list(&m, "pads", 4, (const int64_t[]){0, 0, 1, 1});
        situ_tensor *x = situ_reshape(situ_arange(0, 80 * 80, 1, .dtype = SITU_F32), SHAPE(1, 1, 80, 80));
        GIVES(result(&m, TENSORS(x)), SITU_F32, SHAPE(1, 1, 1, 1), pool[i].y);
    }
    situ_scope_close(scope);
}

/* In a loop body: returns one of the two rows of its state. */
static void row_of_state(bytes *body, int ndim)
{
    node(body, "Identity", "go", NULL, "on");
    node(body, "Identity", "state", NULL, "next");
    node(body, "Identity", "state", NULL, "row");
    for (int i = 0; i < 3; i++) place(body, 11, WORDS("step", "go", "state")[i]);
    for (int i = 0; i < 2; i++) place(body, 12, WORDS("on", "next")[i]);
    bytes v = {.size = 0}, type = v, tensor = v, shape = v;
    for (int i = 0; i < ndim; i++) {
        bytes dim = {.size = 0};
        number(&dim, 1, 2 + (uint64_t)i);
        part(&shape, 1, &dim);
    }
    number(&tensor, 1, 11); /* f64, as the file says */
    part(&tensor, 2, &shape);
    part(&type, 1, &tensor);
    word(&v, 1, "row");
    if (ndim) part(&v, 2, &type);
    part(body, 12, &v);
}

TEST(onnx_a_loop_without_a_step_gives_rows_of_none)
{
    situ_scope *scope = situ_scope_open();
    for (int ndim = 0; ndim < 3; ndim++) { /* 0: the file does not say */
        made m = {.node = {.size = 0}};
        bytes body = {.size = 0};
        int64_t none = 0;
        situ_tensor *out[3];
        row_of_state(&body, ndim);
        ends(&m, "Loop", WORDS("count", "", "a"), WORDS("last", "rows"));
        inner(&m, "body", &body);
        integers(&m.graph, "count", 0, 0, &none);
        part(&m.graph, 1, &m.node);
        m.node.size = 0;
        ends(&m, "Shape", WORDS("rows"), WORDS("size"));
        CHECK(results(&m, TENSORS(OF(SHAPE(2, 1), 5, 6)), WORDS("last", "rows", "size"), 3, out) == 3);
        GIVES(out[0], SITU_F32, SHAPE(2, 1), 5, 6);
        GIVES(out[1], ndim ? SITU_F64 : SITU_F32, ndim == 1 ? SHAPE(0, 2) : ndim ? SHAPE(0, 2, 3) : SHAPE(0, 2, 1), 0);
        GIVES(out[2], SITU_I64, SHAPE(ndim == 1 ? 2 : 3), 0, ndim ? 2 : 2, ndim ? 3 : 1);
    }
    situ_scope_close(scope);
}

TEST(onnx_a_scan_over_nothing_gives_nothing)
{
    made m = {.node = {.size = 0}};
    bytes body = {.size = 0};
    situ_tensor *out[2];
    node(&body, "Add", "s", "x", "sum");
    for (int i = 0; i < 2; i++) place(&body, 11, WORDS("s", "x")[i]);
    for (int i = 0; i < 2; i++) place(&body, 12, WORDS("sum", "sum")[i]);
    ends(&m, "Scan", WORDS("a", "b"), WORDS("p", "q"));
    inner(&m, "body", &body);
    whole(&m, "num_scan_inputs", 1);
    whole_list(&m, "scan_input_axes", 1, (const int64_t[]){1});
    whole_list(&m, "scan_output_axes", 1, (const int64_t[]){-1});
    situ_scope *scope = situ_scope_open();
    CHECK(results(&m, TENSORS(OF(SHAPE(2), 5, 6), situ_zeros(SHAPE(2, 0))), WORDS("p", "q"), 2, out) == 2);
    GIVES(out[0], SITU_F32, SHAPE(2), 5, 6);
    GIVES(out[1], SITU_F32, SHAPE(2, 0), 0);
    situ_scope_close(scope);
}

/* ---- truths --------------------------------------------------------------------------------------------------------------- */

TEST(onnx_truths_that_meet_are_any_or_all_of_them)
{
    static const struct {
        const char *how;
        double y[4];
    } put_[] = {{"add", {1, 1, 0, 1}}, {"max", {1, 1, 0, 1}}, {"mul", {0, 0, 0, 1}}, {"min", {0, 0, 0, 1}}};
    situ_scope *scope = situ_scope_open();
    for (size_t i = 0; i < sizeof put_ / sizeof *put_; i++) {
        made m = {.node = {.size = 0}};
        situ_tensor *x = situ_cast(ROW(1, 0, 0, 1), SITU_BOOL), *value = situ_cast(ROW(0, 1, 1, 0, 1), SITU_BOOL),
                    *at = situ_from_host(((const int64_t[]){0, 1, 1, 2, 3}), SHAPE(5));
        ends(&m, "ScatterElements", WORDS("a", "b", "c"), WORDS("y"));
        spoken(&m, "reduction", put_[i].how);
        GIVES(result(&m, TENSORS(x, at, value)), SITU_BOOL, SHAPE(4), put_[i].y[0], put_[i].y[1], put_[i].y[2], put_[i].y[3]);
    }
    situ_scope_close(scope);
}

TEST(onnx_the_sign_of_both_zeros_is_0)
{
    made m = {.node = {.size = 0}};
    float y[5];
    situ_scope *scope = situ_scope_open();
    ends(&m, "Sign", WORDS("a"), WORDS("y"));
    situ_tensor *t = result(&m, TENSORS(ROW(-0.0f, 0, -3, 4, NAN)));
    CHECK(t && !situ_read(t, y, sizeof y) && y[0] == 0 && !signbit(y[0]) && !signbit(y[1]) && y[2] == -1 && y[3] == 1 && isnan(y[4]));
    situ_scope_close(scope);
}

/* ---- many inputs, or none ------------------------------------------------------------------------------------------------- */

TEST(onnx_a_graph_may_have_many_inputs_and_results)
{
    enum { MANY = 40 };
    bytes graph = {.size = 0}, b = {.size = 0};
    situ_tensor *in[MANY], *out[MANY];
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < MANY; i++) {
        char x[8] = {'x', (char)('0' + i / 10), (char)('0' + i % 10)}, y[8] = {'y', x[1], x[2]};
        node(&graph, "Neg", x, NULL, y);
        place(&graph, 11, x);
        place(&graph, 12, y);
        in[i] = situ_full(SHAPE(1), i, .dtype = SITU_F32);
    }
    model(&b, &graph);
    situ_module *net = situ_onnx_load_bytes((const void *)b.at, b.size);
    CHECK(net && situ_module_call_n(net, TENSORS_OF(in, MANY), out, MANY) == MANY);
    for (int i = 0; i < MANY; i++) GIVES(out[i], SITU_F32, SHAPE(1), -i);
    CHECK(situ_module_call_n(net, TENSORS_OF(in, MANY), out, 2) == MANY);
    CHECK(situ_module_call_n(net, TENSORS_OF(in, MANY - 1), out, MANY) < 0 && situ_error_take(NULL) == SITU_BAD_ARGUMENT);
    net = situ_sequential(net, situ_relu_layer()); /* a sequence passes on at most 16 results, and says so */
    CHECK(net && situ_module_call_n(net, TENSORS_OF(in, 16), out, MANY) < 0 && situ_error_take(NULL) == SITU_BAD_ARGUMENT);
    situ_module_free(net);
    situ_scope_close(scope);
}

TEST(onnx_a_graph_without_inputs_is_called_with_none)
{
    made m = {.node = {.size = 0}};
    situ_tensor *y = NULL;
    const float value[3] = {1, 2, 4}, two[3] = {2, 2, 2};
    floats(&m.graph, "w", 0, 3, value);
    floats(&m.graph, "k", 0, 3, two);
    ends(&m, "Mul", WORDS("w", "k"), WORDS("y"));
    situ_scope *scope = situ_scope_open();
    situ_module *net = loaded(&m, (const char *const[]){NULL}, WORDS("y"));
    CHECK(net && situ_module_call_n(net, TENSORS_OF(NULL, 0), &y, 1) == 1);
    GIVES(y, SITU_F32, SHAPE(3), 2, 4, 8);
    GIVES(situ_module_call(net, ROW(0)), SITU_F32, SHAPE(3), 2, 4, 8); /* an input gives the axis */
    CHECK(situ_module_call_n(net, TENSORS(ROW(0), ROW(0)), &y, 1) < 0 && situ_error_take(NULL) == SITU_BAD_ARGUMENT);
    situ_module_free(net);
    net = situ_relu_layer();
    CHECK(situ_module_call_n(net, TENSORS_OF(NULL, 0), &y, 1) < 0 && situ_error_take(NULL) == SITU_BAD_ARGUMENT);
    situ_module_free(net);
    situ_scope_close(scope);
}

/* ---- opsets before 7 ------------------------------------------------------------------------------------------------------ */

TEST(onnx_old_operands_begin_at_an_axis)
{
    situ_scope *scope = situ_scope_open();
    for (int axis = 0; axis < 2; axis++) {
        made m = {.opset = 6}, n = {.opset = 6};
        situ_tensor *x = OF(SHAPE(2, 3), 1, 2, 3, 4, 5, 6), *y = axis ? ROW(10, 20, 30) : ROW(10, 20);
        ends(&m, "Add", WORDS("a", "b"), WORDS("y"));
        whole(&m, "broadcast", 1);
        whole(&m, "axis", (uint64_t)axis);
        if (axis) GIVES(result(&m, TENSORS(x, y)), SITU_F32, SHAPE(2, 3), 11, 22, 33, 14, 25, 36);
        else GIVES(result(&m, TENSORS(x, y)), SITU_F32, SHAPE(2, 3), 11, 12, 13, 24, 25, 26);
        ends(&n, "Div", WORDS("a", "b"), WORDS("y"));
        whole(&n, "broadcast", 1);
        whole(&n, "axis", axis ? 1 : (uint64_t)-2);
        if (axis) GIVES(result(&n, TENSORS(x, y)), SITU_F32, SHAPE(2, 3), .1, .1, .1, .4, .25, .2);
        else GIVES(result(&n, TENSORS(x, y)), SITU_F32, SHAPE(2, 3), .1, .2, .3, .2, .25, .3);
    }
    made m = {.opset = 6};
    ends(&m, "Mul", WORDS("a", "b"), WORDS("y"));
    whole(&m, "broadcast", 1);
    whole(&m, "axis", 1);
    CHECK(!result(&m, TENSORS(ROW(1, 2), ROW(1, 2))) && situ_error_take(NULL) == SITU_BAD_SHAPE);
    situ_scope_close(scope);
}

TEST(onnx_old_operators_mean_what_they_meant)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = OF(SHAPE(1, 2, 1, 2), -1, 2, -3, 4), *out[2];
    made cast = {.opset = 5}, slopes = {.opset = 6}, drop = {.opset = 6}, pads = {.opset = 1}, tiles = {.opset = 5}, up = {.opset = 1},
         shape = {.opset = 4}, lp = {.opset = 1};
    ends(&cast, "Cast", WORDS("a"), WORDS("y"));
    spoken(&cast, "to", "INT32");
    GIVES(result(&cast, TENSORS(x)), SITU_I32, SHAPE(1, 2, 1, 2), -1, 2, -3, 4);
    ends(&slopes, "PRelu", WORDS("a", "b"), WORDS("y")); /* one for each channel */
    GIVES(result(&slopes, TENSORS(x, ROW(.5f, 10))), SITU_F32, SHAPE(1, 2, 1, 2), -.5, 2, -30, 4);
    ends(&drop, "Dropout", WORDS("a"), WORDS("y", "mask"));
    whole(&drop, "is_test", 1);
    CHECK(results(&drop, TENSORS(x), WORDS("y", "mask"), 2, out) == 2);
    GIVES(out[0], SITU_F32, SHAPE(1, 2, 1, 2), -1, 2, -3, 4);
    GIVES(out[1], SITU_F32, SHAPE(1, 2, 1, 2), 1, 1, 1, 1);
    ends(&pads, "Pad", WORDS("a"), WORDS("y"));
    whole_list(&pads, "paddings", 4, (const int64_t[]){0, 1, 0, 2});
    GIVES(result(&pads, TENSORS(OF(SHAPE(1, 1), 7))), SITU_F32, SHAPE(1, 4), 0, 7, 0, 0);
    ends(&tiles, "Tile", WORDS("a", "b", "c"), WORDS("y"));
    GIVES(result(&tiles, TENSORS(OF(SHAPE(2, 1), 1, 2), ROW(3), ROW(1))), SITU_F32, SHAPE(2, 3), 1, 1, 1, 2, 2, 2);
    ends(&up, "Upsample", WORDS("a"), WORDS("y"));
    real(&up, "width_scale", 2);
    real(&up, "height_scale", 1);
    GIVES(result(&up, TENSORS(x)), SITU_F32, SHAPE(1, 2, 1, 4), -1, -1, 2, 2, -3, -3, 4, 4);
    ends(&shape, "Reshape", WORDS("a"), WORDS("y"));
    whole_list(&shape, "shape", 2, (const int64_t[]){-1, 2});
    GIVES(result(&shape, TENSORS(x)), SITU_F32, SHAPE(2, 2), -1, 2, -3, 4);
    ends(&lp, "GlobalLpPool", WORDS("a"), WORDS("y"));
    real(&lp, "p", 1);
    GIVES(result(&lp, TENSORS(x)), SITU_F32, SHAPE(1, 2, 1, 1), 3, 7);
    situ_scope_close(scope);
}

TEST(onnx_old_norms_are_of_channels_or_of_elements)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = OF(SHAPE(2, 1, 2), 1, 2, 3, 6), *one = ROW(1), *none = ROW(0), *ones = OF(SHAPE(1, 2), 1, 1),
                *means = OF(SHAPE(1, 2), 1, 2), *out[5];
    made plain = {.opset = 6}, each = {.opset = 6}, train = {.opset = 7};
    const char *const in[] = {"a", "b", "c", "d", "e", NULL};
    ends(&plain, "BatchNormalization", in, WORDS("y"));
    whole(&plain, "is_test", 1);
    real(&plain, "epsilon", 0);
    GIVES(result(&plain, TENSORS(x, one, none, one, one)), SITU_F32, SHAPE(2, 1, 2), 0, 1, 2, 5);
    ends(&each, "BatchNormalization", in, WORDS("y"));
    whole(&each, "spatial", 0);
    real(&each, "epsilon", 0);
    GIVES(result(&each, TENSORS(x, ones, ones, means, ones)), SITU_F32, SHAPE(2, 1, 2), 1, 1, 3, 5);
    ends(&train, "BatchNormalization", in, WORDS("y", "m", "v", "sm", "sv"));
    real(&train, "epsilon", 0);
    real(&train, "momentum", .5f);
    CHECK(results(&train, TENSORS(x, one, none, none, one), WORDS("y", "m", "v", "sm", "sv"), 5, out) == 5);
    double by = 1 / sqrt(3.5);
    GIVES(out[0], SITU_F32, SHAPE(2, 1, 2), -2 * by, -by, 0, 3 * by);
    GIVES(out[1], SITU_F32, SHAPE(1), 1.5);
    GIVES(out[2], SITU_F32, SHAPE(1), 2.25);
    GIVES(out[3], SITU_F32, SHAPE(1), 3);
    GIVES(out[4], SITU_F32, SHAPE(1), 3.5);
    situ_scope_close(scope);
}
