/* Files of ONNX: a graph that trains, and files that are broken or hostile. tests/interop/onnx_nodes.py has the
 * operators. */
#include <math.h>
#include <situ/grad.h>
#include <situ/onnx.h>
#include <situ/ops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_made.h"
#include "test.h"

static const float weight[6] = {1, -2, 3, 4, 5, -6}, bias[3] = {0.5f, -1, 2};
/* relu(x W + b). */
static void layer(bytes *b)
{
    bytes graph = {.size = 0};
    node(&graph, "MatMul", "x", "fc.weight", "m");
    node(&graph, "Add", "m", "fc.bias", "s");
    node(&graph, "Relu", "s", NULL, "y");
    floats(&graph, "fc.weight", 2, 3, weight);
    floats(&graph, "fc.bias", 0, 3, bias);
    place(&graph, 11, "x");
    place(&graph, 12, "y");
    model(b, &graph);
}

static int take(const char *words)
{
    situ_error e;
    int code = situ_error_take(&e);
    if (code && !strstr(e.message, words)) CHECK_STR(e.message, words);
    return code;
}

/* ---- a graph that runs and trains ------------------------------------------------------------------------------------------ */

TEST(onnx_a_graph_is_a_module_with_the_parameters_of_the_file)
{
    bytes b = {.size = 0};
    float x[4] = {1, 2, -1, 0.5f}, y[6];
    layer(&b);
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_onnx_load_bytes((const void *)b.at, b.size);
    CHECK(net && situ_module_count(net) == 2 && situ_module_find(net, "fc.weight") && situ_module_find(net, "fc.bias"));
    CHECK(!strcmp(situ_onnx_input(net, 0), "x") && !strcmp(situ_onnx_result(net, 0), "y") && !situ_onnx_input(net, 1) &&
        !situ_onnx_result(net, -1));
    CHECK_STR(situ_onnx_operators(net), "Add 1, Relu 1, MatMul 1");
    situ_tensor *out = situ_module_call(net, situ_from_host(x, SHAPE(2, 2)));
    CHECK(!situ_read(out, y, sizeof y));
    for (int i = 0; i < 6; i++) {
        float want = x[i / 3 * 2] * weight[i % 3] + x[i / 3 * 2 + 1] * weight[3 + i % 3] + bias[i % 3];
        CHECK(y[i] == (want > 0 ? want : 0));
    }
    situ_tensor *w = situ_module_find(net, "fc.weight"), *g;
    CHECK(!situ_grad(situ_sum(out), TENSORS(w), &g) && situ_dim(g, 0) == 2 && situ_item(situ_sum(situ_abs(g))) > 0);
    situ_module_free(net);
    net = situ_onnx_load_bytes((const void *)b.at, b.size, .trainable = false);
    CHECK(net && !situ_module_trainable(net, 0));
    situ_module_free(net);
    situ_scope_close(scope);
}

/* A convolution along one axis of weights [3, 2, 3], with strides, dilations and pads. */
static void convolution(bytes *b, int64_t stride, int64_t dilation, int64_t pad)
{
    static const struct {
        const char *name;
        int each;
    } list[] = {{"strides", 1}, {"dilations", 1}, {"pads", 2}};
    const int64_t value[] = {stride, dilation, pad};
    float w[18];
    bytes graph = {.size = 0}, n = {.size = 0}, t = {.size = 0};
    for (int i = 0; i < 18; i++) w[i] = (float)(i * i % 7) - 3;
    word(&n, 1, "x");
    word(&n, 1, "w");
    word(&n, 2, "y");
    word(&n, 4, "Conv");
    for (int i = 0; i < 3; i++) {
        bytes a = {.size = 0};
        word(&a, 1, list[i].name);
        for (int k = 0; k < list[i].each; k++) number(&a, 8, (uint64_t)value[i]);
        number(&a, 20, 7);
        part(&n, 5, &a);
    }
    part(&graph, 1, &n);
    for (int i = 0; i < 3; i++) number(&t, 1, i == 1 ? 2 : 3);
    number(&t, 2, 1);
    word(&t, 8, "w");
    message(&t, 9, w, sizeof w);
    part(&graph, 5, &t);
    place(&graph, 11, "x");
    place(&graph, 12, "y");
    model(b, &graph);
}

/* Few windows are computed as a matrix product, many as a convolution. Sums of small integers are exact in any order. */
TEST(onnx_a_convolution_of_few_windows_is_the_same_as_of_many)
{
    for (int64_t k = 0; k < 12; k++) {
        bytes b = {.size = 0};
        int64_t stride = 1 + k % 3, dilation = 1 + k / 3 % 2, pad = k / 6 * 2;
        convolution(&b, stride, dilation, pad);
        situ_scope *scope = situ_scope_open();
        situ_module *net = situ_onnx_load_bytes((const void *)b.at, b.size);
        situ_tensor *x = situ_reshape(situ_sub(situ_remainder(situ_mul(situ_arange(0, 22, 1, .dtype = SITU_F32), 5), 7), 3),
                        SHAPE(1, 2, 11)),
                    *w = situ_module_find(net, "w");
        situ_tensor *few = situ_module_call(net, x), *many = situ_module_call(net, situ_repeat(x, 20, .axis = 0));
        situ_tensor *want = situ_conv1d(x, w, .stride = SHAPE(stride), .padding = SHAPE(pad), .dilation = SHAPE(dilation));
        CHECK(situ_dim(few, 2) == situ_dim(want, 2) && situ_item(situ_sum(situ_abs(situ_sub(few, want)))) == 0);
        CHECK(situ_item(situ_sum(situ_abs(situ_sub(many, want)))) == 0);
        situ_tensor *of_few = NULL, *of_want = NULL;
        CHECK(!situ_grad(situ_sum(situ_square(few)), TENSORS(w), &of_few) && !situ_grad(situ_sum(situ_square(want)), TENSORS(w), &of_want));
        CHECK(situ_item(situ_sum(situ_abs(situ_sub(of_few, of_want)))) == 0);
        situ_module_free(net);
        situ_scope_close(scope);
    }
    CHECK(!situ_failed());
}

/* ---- files that are none ---------------------------------------------------------------------------------------------------- */

/* The bytes are in a separate block, so that a sanitizer detects a read beyond them. */
static bool loads(const uint8_t *from, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    memcpy(copy, from, size);
    situ_module *net = situ_onnx_load_bytes((const void *)copy, size);
    CHECK(!net == (situ_failed() != 0));
    situ_module_free(net);
    situ_error_take(NULL);
    free(copy);
    return net != NULL;
}

TEST(onnx_a_file_cut_at_any_byte_is_refused)
{
    bytes b = {.size = 0};
    layer(&b);
    CHECK(loads(b.at, b.size));
    int whole = 0;
    for (size_t n = 0; n < b.size; n++) whole += loads(b.at, n);
    CHECK(whole == 0);
}

TEST(onnx_a_file_with_any_byte_changed_is_read_or_refused)
{
    bytes b = {.size = 0};
    layer(&b);
    for (size_t n = 0; n < b.size; n++)
        for (int bit = 1; bit < 256; bit += 15) {
            uint8_t old = b.at[n];
            b.at[n] ^= (uint8_t)bit;
            loads(b.at, b.size);
            b.at[n] = old;
        }
}

TEST(onnx_counts_and_depths_that_are_hostile_are_refused)
{
    bytes b = {.size = 0}, graph = {.size = 0}, t = {.size = 0}, deep = {.size = 0};
    number(&t, 1, INT64_MAX); /* a shape of 2^63 - 1 floats without values */
    number(&t, 2, 1);
    word(&t, 8, "w");
    part(&graph, 5, &t);
    model(&b, &graph);
    CHECK(!situ_onnx_load_bytes((const void *)b.at, b.size) && take("a shape has no size") == SITU_BAD_FORMAT);
    for (int i = 0; i < 100; i++) { /* a graph in an attribute of a node of a graph ... */
        bytes a = {.size = 0}, n = {.size = 0}, outer = {.size = 0};
        word(&a, 1, "b");
        part(&a, 6, &deep);
        part(&n, 5, &a);
        part(&outer, 1, &n);
        deep = outer;
    }
    b.size = 0;
    model(&b, &deep);
    CHECK(!situ_onnx_load_bytes((const void *)b.at, b.size) && take("deep") == SITU_BAD_FORMAT);
    static const uint8_t huge[] = {0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    CHECK(!situ_onnx_load_bytes((const void *)huge, sizeof huge) && take("broken off") == SITU_BAD_FORMAT);
}

/* Of w, three floats, and k, an integer. */
static void of_two_dtypes(bytes *b, bytes *graph)
{
    static const float w[] = {1, 2, 3};
    static const int64_t k = 2;
    floats(graph, "w", 0, 3, w);
    integers(graph, "k", 0, 0, &k);
    place(graph, 12, "y");
    model(b, graph);
}

/* The type constraints of the standard; onnxruntime refuses the same files. */
TEST(onnx_operands_of_two_dtypes_are_refused)
{
    for (int way = 0; way < 5; way++) {
        bytes b = {.size = 0}, graph = {.size = 0}, inner = {.size = 0}, n = {.size = 0}, a = {.size = 0};
        if (way == 0) node(&graph, "Add", "w", "k", "y");
        if (way == 1) node(&graph, "Neg", "k", NULL, "a"), node(&graph, "Max", "w", "a", "y"); /* also for results of operators */
        if (way == 2) node(&graph, "Pow", "w", "k", "y");                                      /* operands may have two dtypes */
        if (way == 3) node(&graph, "Shape", "w", NULL, "a"), node(&graph, "Equal", "a", "w", "y");
        if (way == 4) { /* in a nested graph, which uses a value of the outer one */
            node(&inner, "Concat", "w", "k", "z");
            place(&inner, 12, "z");
            word(&a, 1, "then_branch"), part(&a, 6, &inner), number(&a, 20, 5);
            word(&n, 1, "k"), word(&n, 2, "y"), word(&n, 4, "If"), part(&n, 5, &a);
            part(&graph, 1, &n);
        }
        of_two_dtypes(&b, &graph);
        situ_module *net = situ_onnx_load_bytes((const void *)b.at, b.size);
        if (way == 2) CHECK(net);
        else CHECK(!net && take("requires one dtype for both: put a Cast before one of them") == SITU_BAD_FORMAT);
        situ_module_free(net);
    }
    CHECK_OK();
}

TEST(onnx_refusals_name_what_is_missing)
{
    bytes b = {.size = 0}, graph = {.size = 0}, t = {.size = 0}, kind = {.size = 0};
    node(&graph, "Frobnicate", "x", NULL, "a");
    node(&graph, "Relu", "a", NULL, "b");
    node(&graph, "Wobble", "b", NULL, "y");
    node(&graph, "Wobble", "y", NULL, "z");
    place(&graph, 11, "x");
    place(&graph, 12, "y");
    model(&b, &graph);
    CHECK(!situ_onnx_load_bytes((const void *)b.at, b.size) && take("not known: Frobnicate, Wobble") == SITU_UNSUPPORTED);
    b.size = graph.size = 0;
    node(&graph, "Relu", "q", NULL, "y");
    place(&graph, 12, "y");
    model(&b, &graph);
    CHECK(!situ_onnx_load_bytes((const void *)b.at, b.size) && take("makes its input \"q\"") == SITU_BAD_FORMAT);
    b.size = graph.size = 0;
    word(&kind, 1, "location");
    word(&kind, 2, "../../weights");
    number(&t, 2, 1);
    part(&t, 13, &kind);
    number(&t, 14, 1);
    part(&graph, 5, &t);
    model(&b, &graph);
    CHECK(!situ_onnx_load_bytes((const void *)b.at, b.size) && take("bytes have no folder") == SITU_UNSUPPORTED);
    CHECK(!situ_onnx_load(NULL) && take("the path is NULL") == SITU_BAD_ARGUMENT);
    CHECK(!situ_onnx_load("/nowhere/model.onnx") && take("/nowhere/model.onnx") == SITU_IO);
    CHECK(!situ_onnx_load_bytes(NULL, 3) && take("the bytes are NULL") == SITU_BAD_ARGUMENT);
    situ_module *other = situ_linear_layer(3);
    CHECK(!situ_onnx_input(other, 0) && take("was not loaded from a file of ONNX") == SITU_BAD_ARGUMENT);
    CHECK(!situ_onnx_operators(other) && take("was not loaded from a file of ONNX") == SITU_BAD_ARGUMENT);
    CHECK(!situ_onnx_result(NULL, 0) && take("the module is NULL") == SITU_BAD_ARGUMENT);
    situ_module_free(other);
}

/* ---- files that say something else ---------------------------------------------------------------------------------------- */

/* Loop: (a, b) becomes (a + b, a). */
TEST(onnx_a_loop_may_carry_what_it_was_given)
{
    made m = {.node = {.size = 0}};
    bytes body = {.size = 0};
    float one = 1, a, b;
    int64_t four = 4;
    node(&body, "Add", "a", "b", "sum");
    node(&body, "Identity", "go", NULL, "on");
    for (int i = 0; i < 4; i++) place(&body, 11, WORDS("step", "go", "a", "b")[i]);
    for (int i = 0; i < 3; i++) place(&body, 12, WORDS("on", "sum", "a")[i]);
    ends(&m, "Loop", WORDS("count", "", "x", "y"), WORDS("p", "q"));
    inner(&m, "body", &body);
    integers(&m.graph, "count", 0, 0, &four);
    situ_scope *scope = situ_scope_open();
    situ_module *net = loaded(&m, WORDS("x", "y"), WORDS("p", "q"));
    situ_tensor *x = situ_from_host(&one, SHAPE(1)), *out[2];
    CHECK(net && situ_module_call_n(net, TENSORS(x, x), out, 2) == 2);
    CHECK(!situ_read(out[0], &a, 4) && !situ_read(out[1], &b, 4) && a == 8 && b == 5);
    situ_module_free(net);
    situ_scope_close(scope);
}

TEST(onnx_a_state_without_a_name_is_refused)
{
    made m = {.node = {.size = 0}};
    bytes body = {.size = 0};
    float one[2] = {1, 2};
    node(&body, "Add", "a", "b", "sum");
    for (int i = 0; i < 2; i++) place(&body, 11, WORDS("a", "b")[i]);
    for (int i = 0; i < 2; i++) place(&body, 12, WORDS("sum", "sum")[i]);
    ends(&m, "Scan", WORDS("", "x"), WORDS("p", "q"));
    inner(&m, "body", &body);
    whole(&m, "num_scan_inputs", 1);
    situ_scope *scope = situ_scope_open();
    situ_module *net = loaded(&m, WORDS("x"), WORDS("p"));
    CHECK(net && situ_module_call(net, situ_from_host(one, SHAPE(2))) && take("an input is missing") == SITU_BAD_FORMAT);
    situ_module_free(net);
    situ_scope_close(scope);
}

TEST(onnx_a_name_is_made_once_and_an_opset_is_known)
{
    bytes graph = {.size = 0}, b = {.size = 0}, other = {.size = 0}, opset = {.size = 0};
    node(&graph, "Relu", "x", NULL, "y");
    node(&graph, "Add", "x", "x", "y");
    place(&graph, 11, "x");
    place(&graph, 12, "y");
    model(&b, &graph);
    CHECK(!situ_onnx_load_bytes((const void *)b.at, b.size) && take("\"y\" is made twice") == SITU_BAD_FORMAT);
    number(&opset, 2, 99);
    part(&other, 7, &graph);
    part(&other, 8, &opset);
    CHECK(!situ_onnx_load_bytes((const void *)other.at, other.size) && take("of opset 99; 1 to") == SITU_UNSUPPORTED);
}

TEST(onnx_moments_do_not_train_and_one_number_does)
{
    made m = {.node = {.size = 0}};
    float two[2] = {1, 2}, one = 1;
    node(&m.graph, "Mul", "x", "slope", "s");
    ends(&m, "BatchNormalization", WORDS("s", "scale", "shift", "mean", "variance"), WORDS("y"));
    for (int i = 0; i < 4; i++) floats(&m.graph, WORDS("scale", "shift", "mean", "variance")[i], 0, 2, two);
    floats(&m.graph, "slope", 0, 1, &one);
    situ_module *net = loaded(&m, WORDS("x"), WORDS("y"));
    CHECK(net && situ_module_count(net) == 5);
    for (int i = 0; net && i < 5; i++)
        CHECK(situ_module_trainable(net, i) == (situ_module_name(net, i)[0] == 's'));
    situ_module_free(net);
}

TEST(onnx_masks_and_fillings_do_not_train)
{
    made m = {.node = {.size = 0}};
    const float mask[4] = {0, -INFINITY, 1, 0}, zero[4] = {0}, one[4] = {1, 1, 1, 1}, value[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8};
    static const char *const constant[][2] = {{"zeros", "a"}, {"values", "b"}};
    for (int i = 0; i < 2; i++) {
        bytes n = {.size = 0}, a = n, t = n;
        number(&t, 1, 4);
        number(&t, 2, 1);
        message(&t, 9, i ? other : zero, 16);
        word(&a, 1, "value");
        part(&a, 5, &t);
        number(&a, 20, 4);
        word(&n, 2, constant[i][1]);
        word(&n, 4, "Constant");
        part(&n, 5, &a);
        part(&m.graph, 1, &n);
    }
    floats(&m.graph, "mask", 0, 4, mask);
    floats(&m.graph, "val_12", 0, 4, one);
    floats(&m.graph, "val_13", 0, 4, value);
    floats(&m.graph, "val_x", 0, 4, one);
    floats(&m.graph, "bias", 0, 4, zero);
    ends(&m, "Sum", WORDS("x", "a", "b", "val_12", "val_13", "val_x", "bias"), WORDS("s"));
    part(&m.graph, 1, &m.node);
    m.node.size = 0;
    ends(&m, "Add", WORDS("s", "mask"), WORDS("y"));
    situ_scope *scope = situ_scope_open();
    situ_module *net = loaded(&m, WORDS("x"), WORDS("y"));
    CHECK(net && situ_module_count(net) == 4 && situ_module_find(net, "bias") && situ_module_find(net, "val_x") &&
        situ_module_find(net, "val_13") && situ_module_find(net, "b"));
    float x[4] = {0}, y[4] = {0};
    CHECK(!situ_read(situ_module_call(net, situ_from_host(x, SHAPE(4))), y, sizeof y));
    CHECK(y[0] == 8 && isinf(y[1]) && y[1] < 0 && y[2] == 13 && y[3] == 14);
    situ_module_free(net);
    situ_scope_close(scope);
}

static void refused(made *m, const char *words)
{
    float x[12] = {0};
    situ_scope *scope = situ_scope_open();
    situ_module *net = loaded(m, WORDS("x"), WORDS("y"));
    situ_tensor *y = net ? situ_module_call(net, situ_from_host(x, SHAPE(3, 4))) : NULL;
    CHECK(y && situ_read(y, x, (size_t)(4 * situ_count(y))) && take(words));
    situ_module_free(net);
    situ_scope_close(scope);
}

TEST(onnx_an_attribute_of_another_type_is_refused)
{
    made m = {.node = {.size = 0}}, n = m;
    ends(&m, "LeakyRelu", WORDS("x"), WORDS("y"));
    whole(&m, "alpha", 2);
    refused(&m, "\"alpha\" is no float");
    ends(&n, "Concat", WORDS("x", "x"), WORDS("y"));
    spoken(&n, "axis", "1");
    refused(&n, "\"axis\" is no integer");
}

TEST(onnx_an_index_beyond_its_axis_is_refused)
{
    made m = {.node = {.size = 0}}, n = m, k = m;
    int64_t at[4] = {0, 7, 1, -5}, line[2] = {3, 0};
    float value[2] = {1, 2};
    ends(&m, "GatherND", WORDS("x", "at"), WORDS("y"));
    integers(&m.graph, "at", 2, 2, at);
    refused(&m, "");
    ends(&n, "ScatterND", WORDS("x", "at", "value"), WORDS("y"));
    integers(&n.graph, "at", 2, 2, at);
    floats(&n.graph, "value", 0, 2, value);
    refused(&n, "");
    ends(&k, "ScatterElements", WORDS("x", "at", "value"), WORDS("y"));
    integers(&k.graph, "at", 1, 2, line);
    floats(&k.graph, "value", 1, 2, value);
    refused(&k, "");
}

TEST(onnx_a_text_is_one_of_those_that_are_known)
{
    static const struct {
        const char *type, *name, *text, *says;
    } wrong[] = {{"Gelu", "approximate", "foo", "\"approximate\" is \"foo\"; known are none, tanh"},
        {"Pad", "mode", "refle", "known are constant, reflect, edge, wrap"}, {"DepthToSpace", "mode", "crd", "known are DCR, CRD"},
        {"BitShift", "direction", "UP", "known are LEFT, RIGHT"}, {"BitShift", NULL, NULL, "it has no \"direction\""},
        {"ScatterElements", "reduction", "sum", "known are none, add, mul, max, min"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        made m = {.node = {.size = 0}};
        int64_t at[4] = {0, 0, 0, 0}, four[4] = {1, 4, 1, 3};
        node(&m.graph, "Reshape", "x", "four", "z");
        integers(&m.graph, "four", 0, 4, four);
        integers(&m.graph, "at", 1, 4, at);
        const char *type = wrong[i].type;
        if (*type == 'S') ends(&m, type, WORDS("x", "at", "x"), WORDS("y"));
        else if (*type == 'G') ends(&m, type, WORDS("x"), WORDS("y"));
        else if (*type == 'D') ends(&m, type, WORDS("z"), WORDS("y"));
        else ends(&m, type, WORDS("x", "at"), WORDS("y"));
        if (wrong[i].name) spoken(&m, wrong[i].name, wrong[i].text);
        refused(&m, wrong[i].says);
    }
}

/* An RNN of one unit, with a weight of 1, whose function has these numbers. */
static void unit(made *m, const char *function, int numbers, const float *number_of)
{
    static const char *const name[2] = {"activation_alpha", "activation_beta"};
    float one = 1, none = 0;
    bytes f = {.size = 0};
    int64_t three[3] = {-1, 1, 1}, weight_of[3] = {1, 1, 1};
    node(&m->graph, "Reshape", "x", "three", "s");
    node(&m->graph, "Reshape", "w", "one", "k");
    node(&m->graph, "Reshape", "v", "one", "r");
    integers(&m->graph, "three", 0, 3, three);
    integers(&m->graph, "one", 0, 3, weight_of);
    floats(&m->graph, "w", 0, 1, &one);
    floats(&m->graph, "v", 0, 1, &none);
    ends(m, "RNN", WORDS("s", "k", "r"), WORDS("y"));
    word(&f, 1, "activations");
    word(&f, 9, function);
    number(&f, 20, 8);
    part(&m->node, 5, &f);
    for (int i = 0; i < numbers && i < 2; i++) {
        bytes a = {.size = 0};
        word(&a, 1, name[i]);
        message(&a, 7, number_of + i, 4);
        number(&a, 20, 6);
        part(&m->node, 5, &a);
    }
}

TEST(onnx_functions_of_recurrent_nodes_have_numbers)
{
    const float x[4] = {-1.5f, -0.25f, 0.5f, 2};
    static const struct {
        const char *name;
        int numbers;
        float number[2], y[4];
    } good[] = {{"Sigmoid", 0, {0}, {0.182425524f, 0.437823499f, 0.622459331f, 0.880797078f}},
        {"relu", 0, {0}, {0, 0, 0.5f, 2}}, {"Softplus", 0, {0}, {0.201413278f, 0.575939431f, 0.974076984f, 2.126928011f}},
        {"Softsign", 0, {0}, {-0.6f, -0.2f, 1 / 3.f, 2 / 3.f}}, {"LeakyRelu", 0, {0}, {-0.015f, -0.0025f, 0.5f, 2}},
        {"LeakyRelu", 1, {0.5f}, {-0.75f, -0.125f, 0.5f, 2}}, {"Elu", 1, {2}, {-1.553739680f, -0.442398434f, 0.5f, 2}},
        {"ThresholdedRelu", 1, {0.75f}, {0, 0, 0, 2}}, {"HardSigmoid", 0, {0}, {0.2f, 0.45f, 0.6f, 0.9f}},
        {"HardSigmoid", 2, {0.25f, 0.25f}, {0, 0.1875f, 0.375f, 0.75f}},
        {"ScaledTanh", 2, {2, 0.5f}, {-1.270297900f, -0.248706003f, 0.489837325f, 1.523188312f}},
        {"Affine", 2, {2, 1}, {-2, 0.5f, 2, 5}}};
    situ_scope *scope = situ_scope_open();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        made m = {.node = {.size = 0}};
        float y[4] = {0};
        unit(&m, good[i].name, good[i].numbers, good[i].number);
        situ_module *net = loaded(&m, WORDS("x"), WORDS("y"));
        for (int k = 0; net && k < 4; k++)
            CHECK(!situ_read(situ_module_call(net, situ_from_host(x + k, SHAPE(1))), y + k, 4));
        for (int k = 0; k < 4; k++) CHECK_NEAR(y[k], good[i].y[k], 1e-6);
        situ_module_free(net);
    }
    situ_scope_close(scope);
    made m = {.node = {.size = 0}}, n = m;
    unit(&m, "Tanh", 1, (const float[]){0.5f});
    refused(&m, "\"activation_alpha\" has 1 numbers; its activations take 0");
    unit(&n, "Sine", 0, NULL);
    refused(&n, "the activation \"Sine\"");
    made k = {.node = {.size = 0}};
    unit(&k, "Affine", 1, (const float[]){2});
    refused(&k, "\"activation_beta\" has no number for Affine");
}

/* A file of a network saved in training mode applies dropout while this network trains. */
TEST(onnx_a_dropout_of_training_drops)
{
    made m = {.node = {.size = 0}};
    bytes yes = {.size = 0};
    float half = 0.25f, y[4096];
    number(&yes, 2, 9);
    word(&yes, 8, "yes");
    message(&yes, 9, "\1", 1);
    part(&m.graph, 5, &yes);
    floats(&m.graph, "quarter", 0, 1, &half);
    ends(&m, "Dropout", WORDS("x", "quarter", "yes"), WORDS("y", "mask"));
    situ_scope *scope = situ_scope_open();
    situ_module *net = loaded(&m, WORDS("x"), WORDS("y", "mask"));
    situ_tensor *out[2] = {NULL}, *x = situ_ones(SHAPE(64, 64));
    int dropped = 0;
    CHECK(net && situ_module_call_n(net, TENSORS(x), out, 2) == 2 && !situ_read(out[0], y, sizeof y));
    for (int i = 0; i < 4096; i++) {
        CHECK(y[i] == 0 || y[i] == 1 / 0.75f);
        dropped += y[i] == 0;
    }
    CHECK(dropped > 4096 * 0.22 && dropped < 4096 * 0.28);
    CHECK(situ_item(situ_sum(situ_cast(out[1], SITU_F32))) == 4096 - dropped);
    situ_module_set_training(net, false);
    CHECK(situ_module_call_n(net, TENSORS(x), out, 2) == 2 && situ_item(situ_min(out[0])) == 1 && situ_item(situ_all(out[1])) == 1);
    situ_module_free(net);
    situ_scope_close(scope);
}

/* Mean and variance of two draws of a random node, for x, ones of [64, 64] or a quarter. */
static void draws(const char *type, double x, float seed, double mean, double variance, bool again)
{
    made m = {.node = {.size = 0}};
    static float y[2][4096];
    ends(&m, type, WORDS("x"), WORDS("y"));
    if (*type == 'R') real(&m, type[6] == 'N' ? "mean" : "low", 2), real(&m, type[6] == 'N' ? "scale" : "high", 3);
    if (seed != 0) real(&m, "seed", seed);
    situ_scope *scope = situ_scope_open();
    situ_module *net = loaded(&m, WORDS("x"), WORDS("y"));
    for (int k = 0; net && k < 2; k++) {
        double sum = 0, square = 0;
        situ_tensor *in = situ_full(SHAPE(64, 64), x);
        CHECK(!situ_read(situ_module_call(net, in), y[k], sizeof y[k]));
        for (int i = 0; i < 4096; i++) sum += (double)y[k][i], square += (double)y[k][i] * (double)y[k][i];
        CHECK_NEAR(sum / 4096, mean, 4 * sqrt(variance / 4096));
        CHECK_NEAR(square / 4096 - sum / 4096 * (sum / 4096), variance, 0.1 * variance);
    }
    CHECK(again == !memcmp(y[0], y[1], sizeof y[0]));
    situ_module_free(net);
    situ_scope_close(scope);
}

TEST(onnx_random_values_have_the_moments_of_their_nodes)
{
    draws("RandomNormalLike", 1, 0, 2, 9, false);
    draws("RandomNormalLike", 1, 7, 2, 9, true);
    draws("RandomUniformLike", 1, 0, 2.5, 1. / 12, false);
    draws("Bernoulli", 0.25, 0, 0.25, 0.25 * 0.75, false);
    made m = {.node = {.size = 0}}, n = m;
    ends(&m, "Multinomial", WORDS("x"), WORDS("y"));
    float x[6] = {-1e9f, 0, -1e9f, 0, -1e9f, -1e9f};
    int32_t y[8];
    whole(&m, "sample_size", 4);
    situ_scope *scope = situ_scope_open();
    situ_module *net = loaded(&m, WORDS("x"), WORDS("y"));
    CHECK(net && !situ_read(situ_module_call(net, situ_from_host(x, SHAPE(2, 3))), y, sizeof y));
    for (int i = 0; i < 8; i++) CHECK_EQ(y[i], i < 4);
    situ_module_free(net);
    situ_scope_close(scope);
    ends(&n, "RandomNormal", WORDS("x"), WORDS("y"));
    refused(&n, "it has no shape");
}

/* ---- values beside the model ------------------------------------------------------------------------------------------------- */

/* Writes a model x + w whose weight is in another file, and loads it. */
static situ_module *beside(const char *location, const char *offset, const char *length)
{
    bytes b = {.size = 0}, graph = {.size = 0}, t = {.size = 0};
    const char *const pair[3][2] = {{"location", location}, {"offset", offset}, {"length", length}};
    number(&t, 1, 3);
    number(&t, 2, 1);
    word(&t, 8, "w");
    number(&t, 14, 1);
    for (int i = 0; i < 3; i++) {
        bytes e = {.size = 0};
        if (!pair[i][1]) continue;
        word(&e, 1, pair[i][0]);
        word(&e, 2, pair[i][1]);
        part(&t, 13, &e);
    }
    node(&graph, "Add", "x", "w", "y");
    part(&graph, 5, &t);
    place(&graph, 11, "x");
    place(&graph, 12, "y");
    model(&b, &graph);
    FILE *f = fopen(test_path("beside.onnx"), "wb");
    CHECK(f && fwrite(b.at, 1, b.size, f) == b.size && !fclose(f));
    return situ_onnx_load(test_path("beside.onnx"));
}

TEST(onnx_values_lie_in_files_beside)
{
    float value[5] = {9, 1, 2, 3, 9}, y[3] = {0};
    FILE *f = fopen(test_path("beside.bin"), "wb");
    CHECK(f && fwrite(value, 4, 5, f) == 5 && !fclose(f));
    const char *slash = strrchr(test_path("beside.bin"), '/'), *name = slash ? slash + 1 : test_path("beside.bin");
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < 2; i++) {
        situ_module *net = beside(name, "4", i ? "12" : NULL);
        CHECK(net && situ_module_find(net, "w") && !situ_read(situ_module_call(net, situ_ones(SHAPE(3))), y, sizeof y));
        CHECK(y[0] == 2 && y[1] == 3 && y[2] == 4);
        situ_module_free(net);
    }
    situ_scope_close(scope);
    static const struct {
        const char *location, *offset, *length, *says;
        int code;
    } wrong[] = {{"beside.bin", "12", NULL, "do not lie at offset 12", SITU_BAD_FORMAT},
        {"beside.bin", "18446744073709551612", "12", "do not lie at offset", SITU_BAD_FORMAT},
        {"beside.bin", "4", "11", "length 11", SITU_BAD_FORMAT}, {"beside.bin", "-4", NULL, "offset -4", SITU_BAD_FORMAT},
        {"beside.bin", "4x", NULL, "offset 4x", SITU_BAD_FORMAT}, {NULL, NULL, NULL, "no file is named", SITU_BAD_FORMAT},
        {"../beside.bin", NULL, NULL, "not a file in the model's folder", SITU_BAD_FORMAT},
        {"a/../../beside.bin", NULL, NULL, "not a file in the model's folder", SITU_BAD_FORMAT},
        {"a/..", NULL, NULL, "not a file in the model's folder", SITU_BAD_FORMAT},
        {"/etc/passwd", NULL, NULL, "not a file in the model's folder", SITU_BAD_FORMAT},
        {"", NULL, NULL, "not a file in the model's folder", SITU_BAD_FORMAT}, {"none/at.all", NULL, NULL, "none/at.all", SITU_IO}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *location = wrong[i].location && !strcmp(wrong[i].location, "beside.bin") ? name : wrong[i].location;
        CHECK(!beside(location, wrong[i].offset, wrong[i].length) && take(wrong[i].says) == wrong[i].code);
    }
}

TEST(onnx_an_old_resize_that_shrinks_takes_the_later_element)
{
    made m = {.node = {.size = 0}};
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, by[2] = {0.6f, 0.6f}, y[2] = {0};
    ends(&m, "Upsample", WORDS("x", "by"), WORDS("y"));
    floats(&m.graph, "by", 0, 2, by);
    situ_scope *scope = situ_scope_open();
    situ_module *net = loaded(&m, WORDS("x"), WORDS("y"));
    situ_tensor *out = net ? situ_module_call(net, situ_from_host(x, SHAPE(2, 4))) : NULL;
    CHECK(out && !situ_read(out, y, sizeof y) && y[0] == 1 && y[1] == 3);
    situ_module_free(net);
    situ_scope_close(scope);
}
