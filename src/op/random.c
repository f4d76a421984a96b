/* Keys and random bits. */
#include "op/random.h"

#include <math.h>

#include "op/create.h"
#include "op/generate.h"
#include "op/host.h"
#include "numeric/threefry.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static const char no_derivative[] = "its results are random bits";

static __thread situ_layout_kind thread_layout = SITU_ORIGINAL;

situ_layout_kind situ_random_layout(situ_layout_kind layout)
{
    situ_layout_kind old = thread_layout;
    if (layout != SITU_LAYOUT_DEFAULT) thread_layout = layout;
    return old;
}

/* ---- keys ------------------------------------------------------------------------------------------------------------- */

/* Makes a key of positions 0 and 1 and the two words of the seed. A composite, so that a key that is needed on another
 * device is made there instead of being copied. */
static int infer_key(situ_infer *c)
{
    c->dtype = SITU_U32;
    c->ndim = 1;
    c->dim[0] = 2;
    return 0;
}

static situ_tensor *expand_key(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    situ_tensor *high = situ_mul(situ_sub(1, in[0]), in[1]), *low = situ_mul(in[0], in[2]);
    return situ_add(high, low);
}

const situ_op situ_op_key = {.name = "key",
    .family = SITU_COMPOSITE,
    .scalars = true,
    .operands = "position, high, low",
    .infer = infer_key,
    .no_gradient = no_derivative,
    .expand = expand_key};

static situ_tensor *make_key(situ_tensor *high, situ_tensor *low, situ_device device, situ_site site)
{
    situ_tensor *in[] = {situ_iota(SHAPE(2), 0, SITU_U32, device, site), high, low};
    return situ_apply(&situ_op_key, in, 3, NULL, 0, NULL, 0, site);
}

situ_tensor *(situ_key)(int64_t seed, const situ_key_options *options, situ_site site)
{
    SITU_SPEAK("key", site);
    situ_key_options o = {SITU_DEFAULTS(SITU_KEY_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "key", site) || !situ_take_device(&o.device, "key", site))
        return situ_poisoned();
    uint32_t word[2];
    situ_threefry_key((uint64_t)seed, word);
    return make_key(situ_scalar_int(word[0]), situ_scalar_int(word[1]), o.device, site);
}

bool situ_take_key(situ_tensor **key, situ_device *device, situ_layout_kind *layout, const char *operation, situ_site site)
{
    situ_tensor *k = *key;
    if (!situ_take_device(device, operation, site)) return false;
    if (*layout < SITU_LAYOUT_DEFAULT || *layout > SITU_PARTITIONABLE) {
        situ_fail(SITU_BAD_OPTION, site,
            "%s: .layout = %d; write " SITU_SAY("SITU_ORIGINAL or SITU_PARTITIONABLE", "\"original\" or \"partitionable\""),
            operation, (int)*layout);
        return false;
    }
    if (k->dtype != SITU_U32 || k->ndim != 1 || k->dim[0] != 2) {
        char text[SITU_BRIEF_TEXT];
        situ_fail(SITU_BAD_ARGUMENT, site,
            "%s: the key is %s; a key is u32[2], made by " SITU_SAY("situ_key(seed)", "situ.random.key(seed)"), operation,
            situ_brief(k, text));
        return false;
    }
    if (*layout == SITU_LAYOUT_DEFAULT) *layout = thread_layout;
    if (device->kind && !situ_device_equal(*device, k->device)) {
        bool fresh = k->op == &situ_op_key && k->nin == 3;
        *key = fresh ? make_key(situ_node_in(k)[1], situ_node_in(k)[2], *device, site) : situ_to(k, *device);
    }
    return !situ_error_code;
}

static int infer_fold_in(situ_infer *c)
{
    if (c->in[1]->ndim || c->in[1]->dtype != SITU_U32)
        return situ_fail(SITU_BAD_ARGUMENT, c->site, "fold_in: data is not one integer");
    return infer_key(c);
}

static void host_fold_in(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    (void)c;
    (void)h;
    situ_threefry_fold_in(
        (const uint32_t *)(const void *)address[1], *(const uint32_t *)(const void *)address[2], (uint32_t *)(void *)address[0]);
}

const situ_op situ_op_fold_in = {.name = "fold_in",
    .family = SITU_CALL,
    .operands = "key, data",
    .infer = infer_fold_in,
    .no_gradient = no_derivative,
    .host = host_fold_in};

situ_tensor *(situ_fold_in)(situ_tensor *key, situ_tensor *data, situ_site site)
{
    SITU_SPEAK("fold_in", site);
    situ_device device = {.kind = 0};
    situ_layout_kind layout = SITU_LAYOUT_DEFAULT;
    if (!situ_together((situ_tensor *[]){key, data}, 2, "fold_in", "key, data", site) ||
        !situ_take_key(&key, &device, &layout, "fold_in", site))
        return situ_poisoned();
    if (situ_dtype_kind((situ_dtype)data->dtype) > SITU_KIND_SIGNED)
        return situ_refused(
            SITU_BAD_DTYPE, site, "fold_in: data must be an integer, not %s", situ_dtype_name((situ_dtype)data->dtype));
    if (situ_is_number(data)) data = situ_scalar_int((uint32_t)situ_node_word(data)[0]);
    data = situ_cast(situ_as_tensor(data, SITU_U32, key, "fold_in", site), SITU_U32);
    return situ_apply(&situ_op_fold_in, (situ_tensor *[]){key, data}, 2, NULL, 0, NULL, 0, site);
}

situ_tensor *(situ_key_split)(situ_tensor *key, int64_t count, const situ_key_split_options *options, situ_site site)
{
    SITU_SPEAK("key_split", site);
    situ_key_split_options o = {SITU_DEFAULTS(SITU_KEY_SPLIT_DEFAULTS)};
    if (!SITU_TAKE_KEY(key, o, options, "key_split", site)) return situ_poisoned();
    if (count < 0 || count > INT64_MAX / 4)
        return situ_refused(SITU_BAD_ARGUMENT, site, "key_split: into %lld keys", (long long)count);
    if (o.layout == SITU_ORIGINAL) return situ_reshape(situ_bits(key, SHAPE(2 * count), SITU_U32, o.layout, site), SHAPE(count, 2));
    /* both words of one block for each key */
    situ_tensor *block = situ_expand_dims(situ_bits(key, SHAPE(count), SITU_U64, o.layout, site), 1);
    situ_tensor *shift = situ_cast(situ_mul(situ_sub(1, situ_iota(SHAPE(2), 0, SITU_I64, key->device, site)), 32), SITU_U64);
    return situ_cast(situ_bitwise_right_shift(block, shift), SITU_U32);
}

int(situ_key_split_into)(situ_tensor *key, int count, situ_tensor **out, const situ_key_split_options *options, situ_site site)
{
    SITU_SPEAK("key_split_into", site);
    for (int i = 0; out && i < count; i++) out[i] = situ_poisoned();
    if (!out || count < 0)
        return situ_fail(SITU_BAD_ARGUMENT, site, "key_split_into: %s", out ? "a negative number of keys" : "out is NULL");
    situ_tensor *keys = (situ_key_split)(key, count, options, site);
    for (int i = 0; i < count && !situ_error_code; i++) out[i] = situ_select(keys, 0, i);
    return -situ_error_code;
}

/* ---- bits -------------------------------------------------------------------------------------------------------------- */

static int infer_bits(situ_infer *c)
{
    const situ_random_attr *a = c->attr;
    c->dtype = (situ_dtype)a->dtype;
    situ_infer_dims(c, a->ndim, a->dim);
    return 0;
}

const situ_op situ_op_random_bits = {
    .name = "random_bits", .family = SITU_GENERATE, .operands = "key", .infer = infer_bits, .no_gradient = no_derivative};

/* Several narrow numbers come from one word, so this is not a function of a single position. */
static void host_narrow_bits(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    (void)h;
    const situ_random_attr *a = c->attr;
    int64_t n = situ_layout_count(&c->out);
    const uint32_t *key = (const uint32_t *)(const void *)address[1];
    int layout = a->partitionable ? SITU_THREEFRY_PARTITIONABLE : SITU_THREEFRY_ORIGINAL;
    if (c->out.dtype == SITU_U8) situ_threefry_bits8((uint8_t *)address[0], key, 0, n, (uint64_t)n, layout);
    else situ_threefry_bits16((uint16_t *)(void *)address[0], key, 0, n, (uint64_t)n, layout);
}

const situ_op situ_op_narrow_bits = {.name = "narrow_bits",
    .family = SITU_CALL,
    .operands = "key",
    .infer = infer_bits,
    .no_gradient = no_derivative,
    .host = host_narrow_bits};

situ_tensor *situ_bits(situ_tensor *key, situ_shape shape, situ_dtype dtype, situ_layout_kind layout, situ_site site)
{
    if (situ_error_code || !situ_shape_check(&shape, false, "random_bits", site)) return situ_poisoned();
    situ_random_attr attr = {.partitionable = layout == SITU_PARTITIONABLE, .dtype = (int32_t)dtype, .ndim = (int32_t)shape.ndim};
    memcpy(attr.dim, shape.dim, 8 * (size_t)shape.ndim);
    const situ_op *op = dtype == SITU_U8 || dtype == SITU_U16 ? &situ_op_narrow_bits : &situ_op_random_bits;
    return situ_apply1(op, key, &attr, sizeof attr, site);
}

situ_tensor *(situ_random_bits)(situ_tensor *key, situ_shape shape, const situ_draw_options *options, situ_site site)
{
    SITU_SPEAK("random_bits", site);
    situ_draw_options o = {SITU_DEFAULTS(SITU_DRAW_DEFAULTS)};
    if (!SITU_TAKE_KEY(key, o, options, "random_bits", site)) return situ_poisoned();
    situ_dtype dtype = o.dtype == SITU_DTYPE_DEFAULT ? SITU_U32 : o.dtype;
    if (situ_dtype_kind(dtype) != SITU_KIND_UNSIGNED)
        return situ_refused(SITU_BAD_DTYPE, site, "random_bits: u8, u16, u32 or u64, not %s", situ_dtype_name(dtype));
    return situ_bits(key, shape, dtype, o.layout, site);
}
