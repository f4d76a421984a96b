/* The dtypes that the standard asks of an operator's inputs, checked when a model is loaded. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "onnx/model.h"

/* Inputs and results of one letter have one dtype; '.' has any; "b", "l" and "f" are bool, i64 and f32; '*' repeats
 * the letter before it. The type constraints of https://onnx.ai/onnx/operators: two inputs share a letter if they do
 * in each version of the operator. */
static const struct {
    const char *inputs, *results, *operators;
} rules[] = {
    {"T", "T",
        " Abs Acos Acosh AffineGrid Asin Asinh Atan Atanh AveragePool BitwiseNot Ceil Celu CenterCropPad Col2Im Compress Cos"
        " Cosh CumProd CumSum DFT DepthToSpace Det Elu Erf Exp Expand Flatten Floor Gather GatherElements GatherND Gelu"
        " GlobalAveragePool GlobalLpPool GlobalMaxPool GridSample HardSigmoid HardSwish Hardmax Identity LRN LeakyRelu Log"
        " LogSoftmax LpNormalization LpPool MaxPool MeanVarianceNormalization Mish Neg Not Pow Reciprocal ReduceL1 ReduceL2"
        " ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize"
        " ReverseSequence Round Selu Shrink Sigmoid Sign Sin Sinh Softmax Softplus Softsign SpaceToDepth Sqrt Squeeze Swish Tan"
        " Tanh ThresholdedRelu TopK Transpose Trilu Unsqueeze Upsample "},
    {"TT", "T", " Add BitShift BitwiseAnd BitwiseOr BitwiseXor Div MatMul Mod Mul PRelu RoiAlign Sub SwiGLU TensorScatter "},
    {"TT", "b", " And Equal Greater GreaterOrEqual Less LessOrEqual Or Xor "},
    {"TTT", "T", " Clip Conv ConvTranspose Gemm GroupNormalization InstanceNormalization Range RotaryEmbedding "},
    {"", "l", " ArgMax ArgMin NonMaxSuppression NonZero Shape Size "},
    {"", "b", " IsInf IsNaN "},
    {"T*", "T", " Concat Einsum Max Mean Min Sum "},
    {"T.T", "T", " NegativeLogLikelihoodLoss Pad Scatter ScatterElements ScatterND Tile "},
    {"..T", "T", " OneHot QuantizeLinear "},
    {".T", "T", " CastLike RMSNormalization "},
    {"T.TU.U.V", "V", " QLinearConv QLinearMatMul "},
    {"TTTT.T", "TT", " GRU RNN "},
    {"TUTU", "", " ConvInteger MatMulInteger "},
    {"", "TfT", " DynamicQuantizeLinear "},
    {".TT", "T", " Where "},
    {"T", "T*", " Split "},
    {"T", "Tlll", " Unique "},
    {"T.T", "", " DequantizeLinear "},
    {"T.T", "TT", " SoftmaxCrossEntropyLoss "},
    {"T.U", "TU", " Dropout "},
    {"TTT", "TUU", " LayerNormalization "},
    {"TTTT", "TT", " CausalConvWithState "},
    {"TTTT.TTT", "TTT", " LSTM "},
    {"TTTTT", "T", " DeformConv "},
    {"TTTUTT", "TU", " LinearAttention "},
    {"TTTUU", "", " MelWeightMatrix "},
    {"TTU.TU", "TTUT", " Attention "},
    {"TUTU", "T", " STFT "},
    {"TUU", "T", " MaxUnpool "},
    {"TUUUU", "T", " Slice "},
    {"TUUVV", "TVVTT", " BatchNormalization "},
};
enum { RULES = sizeof rules / sizeof *rules, LETTERS = 128, F32 = 1, I64 = 7, BOOL = 9 };

typedef struct checker {
    uint8_t *dtype; /* [value] ONNX's number; 0: not known before a call */
    situ_site site;
} checker;

static char letter(const char *letters, int i)
{
    int n = (int)strlen(letters);
    if (n && letters[n - 1] == '*' && i >= n - 1) return letters[n - 2];
    return i < n ? letters[i] : '.';
}

static int rule_of(const situ_onnx_node *n)
{
    if (*n->domain && strcmp(n->domain, "ai.onnx")) return -1;
    size_t length = strlen(n->type);
    for (int r = 0; r < RULES; r++)
        for (const char *at = rules[r].operators; (at = strstr(at, n->type)); at += length)
            if (at[-1] == ' ' && at[length] == ' ') return r;
    return -1;
}

static void check_inputs(const checker *c, const situ_onnx_node *n, const char *letters, int *bound)
{
    int first[LETTERS];
    for (int i = 0; i < n->ins; i++) {
        int dtype = n->in[i] < 0 ? 0 : c->dtype[n->in[i]], t = letter(letters, i);
        if (!dtype || t == '.') continue;
        if (bound[t] && bound[t] != dtype) {
            situ_fail(SITU_BAD_FORMAT, c->site,
                "situ_onnx_load: node \"%s\" (%s): \"%s\" is %s and \"%s\" is %s, and ONNX requires one dtype for both: put a Cast "
                "before one of them",
                n->name, n->type, n->in_name[first[t]], situ_onnx_dtype_text(bound[t]), n->in_name[i], situ_onnx_dtype_text(dtype));
            return;
        }
        if (!bound[t]) first[t] = i;
        bound[t] = dtype;
    }
}

/* The dtype that an attribute gives the result; 0: none. */
static int of_attribute(const situ_onnx_node *n)
{
    bool constant = !strcmp(n->type, "Constant"), filled = !strcmp(n->type, "ConstantOfShape");
    for (int i = 0; i < n->attributes; i++) {
        const situ_onnx_attribute *a = &n->attribute[i];
        if (!strcmp(n->type, "Cast") && !strcmp(a->name, "to") && a->i < 256) return (int)a->i;
        if ((constant || filled) && a->t) return situ_onnx_dtype_number(a->t->dtype);
        if (constant && !strncmp(a->name, "value_float", 11)) return F32;
        if (constant && !strncmp(a->name, "value_int", 9)) return I64;
    }
    return filled ? F32 : 0;
}

static void check_graph(checker *c, const situ_onnx_graph *g);

static void check_node(checker *c, const situ_onnx_node *n)
{
    int bound[LETTERS] = {0}, rule = rule_of(n);
    if (rule >= 0) check_inputs(c, n, rules[rule].inputs, bound);
    for (int i = 0; i < n->attributes && !situ_error_code; i++)
        if (n->attribute[i].g) check_graph(c, n->attribute[i].g);
    for (int i = 0; i < n->outs && !situ_error_code; i++) {
        int t = rule < 0 ? '.' : letter(rules[rule].results, i);
        int dtype = t == 'b' ? BOOL : t == 'l' ? I64 : t == 'f' ? F32 : t == '.' ? of_attribute(n) : bound[t];
        if (n->out[i] >= 0) c->dtype[n->out[i]] = (uint8_t)dtype;
    }
}

static void check_graph(checker *c, const situ_onnx_graph *g)
{
    for (int i = 0; i < g->constants; i++) {
        const situ_onnx_name *constant = &g->constant[i];
        c->dtype[constant->value] = (uint8_t)situ_onnx_dtype_number(constant->host->dtype);
    }
    for (int i = 0; i < g->inputs; i++)
        if (g->input[i].type && g->input[i].type->dtype < 256) c->dtype[g->input[i].value] = (uint8_t)g->input[i].type->dtype;
    for (int i = 0; i < g->nodes && !situ_error_code; i++) check_node(c, &g->node[i]);
}

int situ_onnx_check_types(const situ_onnx_model *m, situ_site site)
{
    checker c = {situ_calloc((size_t)m->values + 1, 1), site};
    if (!c.dtype) return situ_fail(SITU_NO_MEMORY, site, "situ_onnx_load: out of host memory");
    check_graph(&c, m->graph);
    situ_free(c.dtype);
    return situ_error_code ? -situ_error_code : 0;
}
