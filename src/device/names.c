/* Device values: names, parsing, defaults. Nothing here opens a device. */
#include "device/thread.h"
#include "os/env.h"
#include "os/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static situ_device make(situ_device_kind kind, int index)
{
    /* An index that is too large becomes one that does not exist. */
    if (index > INT16_MAX) index = INT16_MAX;
    if (index <= INT16_MIN) index = INT16_MIN + 1; /* INT16_MIN itself marks options in which a number stands for a device */
    return (situ_device){(int16_t)kind, (int16_t)index};
}

situ_device situ_device_nth(situ_device_kind kind, int index)
{
    return make(kind, kind == SITU_CPU || kind == SITU_NULL ? 0 : index);
}

int situ_num_gpus(void) { return situ_num_devices(SITU_GPU); }
int situ_num_tpus(void) { return situ_num_devices(SITU_TPU); }
int situ_num_opencl(void) { return situ_num_devices(SITU_OPENCL); }
int situ_num_pjrt(void) { return situ_num_devices(SITU_PJRT); }

situ_device situ_try_gpu(int index)
{
    situ_device d = situ_gpu(index);
    return situ_dev_exists(d) ? d : situ_cpu();
}

situ_device situ_try_tpu_gpu(int index)
{
    situ_device d = situ_tpu(index);
    return situ_dev_exists(d) ? d : situ_try_gpu(index);
}

int situ_all_gpus(situ_device *out, int most)
{
    int count = situ_num_gpus();
    for (int i = 0; out && i < count && i < most; i++) out[i] = situ_gpu(i);
    return count;
}

int situ_try_all_gpus(situ_device *out, int most)
{
    int count = situ_all_gpus(out, most);
    if (count) return count;
    if (out && most > 0) out[0] = situ_cpu();
    return 1;
}

bool situ_device_equal(situ_device a, situ_device b) { return a.kind == b.kind && (a.index == b.index || a.kind == SITU_CPU); }

#define NAME(kind, name) [kind] = #name,

const char *situ_device_name(situ_device d, char *buffer)
{
    static const char *const kinds[] = {"default", SITU_DEVICE_KINDS_(NAME)};
    if (!buffer) return "?";
    if (d.kind < 0 || d.kind >= SITU_DEVICE_KINDS) snprintf(buffer, 32, "unknown(%d)", d.kind);
    else if (d.kind == SITU_DEVICE_UNSET || d.kind == SITU_NULL) snprintf(buffer, 32, "%s", kinds[d.kind]);
    else snprintf(buffer, 32, "%s(%d)", kinds[d.kind], d.kind == SITU_CPU ? 0 : d.index);
    return buffer;
}

/* ---- parsing ---------------------------------------------------------------------------------------------------- */

#define LISTED(kind, name) #name ", "
static const char forms[] =
    "valid are " SITU_DEVICE_KINDS_(LISTED) "and cuda for gpu, each alone or with an index as in gpu(1), gpu:1 or /device:GPU:1";

static bool skip(const char **at, const char *word)
{
    size_t n = strlen(word);
    if (situ_beginnings_differ(*at, word, n)) return false;
    *at += n;
    return true;
}

/* Parses decimal digits; -1 if there are none, or the number is no index. */
static int number(const char **at)
{
    int value = 0;
    if (!situ_is_digit(**at)) return -1;
    for (; situ_is_digit(**at); ++*at) {
        value = value * 10 + (**at - '0');
        if (value > INT16_MAX) return -1;
    }
    return value;
}

/* Skips TensorFlow's prefix "/job:localhost/replica:0/task:0": 0, or -1 if it names another process. */
static int skip_job(const char **at)
{
    if (skip(at, "/job:") && !skip(at, "localhost")) return -1;
    if (skip(at, "/replica:") && number(at) != 0) return -1;
    if (skip(at, "/task:") && number(at) != 0) return -1;
    return 0;
}

#define WORD(kind, name) {#name, kind},

static bool skip_kind(const char **at, situ_device_kind *kind)
{
    static const struct {
        const char *word;
        situ_device_kind kind;
    } words[] = {SITU_DEVICE_KINDS_(WORD){"cuda", SITU_GPU}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (skip(at, words[i].word)) return *kind = words[i].kind, true;
    return false;
}

static void skip_spaces(const char **at)
{
    while (situ_is_blank(**at)) ++*at;
}

/* Parses what may follow a kind: nothing, ":1" or "(1)". */
static bool skip_index(const char **at, int *index)
{
    *index = 0;
    skip_spaces(at);
    bool closed = **at == '(';
    if (closed || **at == ':') {
        ++*at;
        skip_spaces(at);
        *index = closed && **at == ')' ? 0 : number(at);
        if (*index < 0) return false;
        skip_spaces(at);
        if (closed && *(*at)++ != ')') return false;
        skip_spaces(at);
    }
    return !**at;
}

int situ_device_parse(const char *text, situ_device *out)
{
    SITU_SPEAK_AT("situ_device_parse");
    if (!text || !out) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_device_parse: %s is NULL", text ? "out" : "text");
    const char *at = text;
    skip_spaces(&at);
    if (skip_job(&at))
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "device \"%.100s\" belongs to another process; only /job:localhost/replica:0/task:0 is this one; %s", text, forms);
    if (*at == '/') at++;
    if (!skip(&at, "device:")) (void)skip(&at, "physical_device:"); /* both are TensorFlow's */
    situ_device_kind kind;
    int index;
    if (!skip_kind(&at, &kind)) return situ_fail(SITU_BAD_ARGUMENT, NULL, "device \"%.100s\" is unknown; %s", text, forms);
    if (!skip_index(&at, &index))
        return situ_fail(
            SITU_BAD_ARGUMENT, NULL, "device \"%.100s\" has a bad index, an index is 0..%d; %s", text, INT16_MAX, forms);
    *out = situ_device_nth(kind, index);
    return 0;
}

/* ---- the default device ----------------------------------------------------------------------------------------- */

static __thread bool strict;

static bool known(situ_device d) { return d.kind > SITU_DEVICE_UNSET && d.kind < SITU_DEVICE_KINDS; }

situ_device situ_default_device(void)
{
    situ_device d = {SITU_DEVICE_UNSET, 0};
    situ_device_resolve(&d, NULL);
    return d;
}

int situ_push_device(situ_device d)
{
    SITU_SPEAK_AT("situ_push_device");
    if (!known(d))
        return situ_fail(SITU_BAD_DEVICE, NULL,
            "situ_push_device: not a device; give " SITU_SAY("situ_cpu(), situ_gpu(1)", "situ.cpu(), situ.gpu(1)"));
    situ_device_thread *t = situ_thread_self();
    if (!t) return situ_fail(SITU_NO_MEMORY, NULL, "situ_push_device: no memory for the thread's stack of devices");
    if (t->pushed == SITU_MOST_PUSHED)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_push_device: %d devices are pushed already; each needs its " SITU_SAY("situ_pop_device()", "with block to end"),
            SITU_MOST_PUSHED);
    t->device[t->pushed++] = d;
    return 0;
}

int situ_pop_device(void)
{
    SITU_SPEAK_AT("situ_pop_device");
    situ_device_thread *t = situ_thread_record;
    if (!t || !t->pushed)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_pop_device: no device is pushed; call it once per " SITU_SAY("situ_push_device()", "device that was entered"));
    t->pushed--;
    return 0;
}

int situ_strict(bool on)
{
    strict = on;
    return 0;
}

/* SITU_DEVICE=gpu(1): the default device of threads that have not set one. Read once; 0, or an error at each use. */
static int from_environment(situ_device *d, situ_site site)
{
    static _Atomic int32_t known; /* 0: not read yet; else the device's kind and index */
    int32_t packed = atomic_load_explicit(&known, memory_order_relaxed);
    const char *text = packed ? NULL : situ_env("SITU_DEVICE");
    if (packed) *d = make((situ_device_kind)(packed >> 16), packed & 0xffff);
    else if (!text || !*text) *d = situ_cpu();
    else if (situ_device_parse(text, d))
        return situ_error_take(NULL),
               situ_fail(SITU_BAD_ARGUMENT, site, "SITU_DEVICE=%.100s in the environment is no device; %s", text, forms);
    atomic_store_explicit(&known, (int32_t)d->kind << 16 | d->index, memory_order_relaxed);
    return 0;
}

int situ_device_resolve(situ_device *d, situ_site site)
{
    if (d->kind == SITU_DEVICE_UNSET) {
        if (strict)
            return situ_fail(SITU_BAD_DEVICE, site,
                "no device given, and in strict mode there is no default device; write " SITU_SAY(
                    ".device = situ_cpu() (or another one), or call situ_strict(false)",
                    "device=situ.cpu() (or another one), or leave situ.strict()"));
        const situ_device_thread *t = situ_thread_record;
        if (t && t->pushed) *d = t->device[t->pushed - 1];
        else if (t && t->first.kind) *d = t->first;
        else if (from_environment(d, site)) return -situ_error_code;
    }
    if (!known(*d))
        return situ_fail(SITU_BAD_DEVICE, site,
            "kind %d is not a device; give " SITU_SAY(
                "situ_cpu(), situ_gpu(1) or what situ_device_parse() reads", "situ.cpu(), situ.gpu(1) or a name such as \"gpu:1\""),
            d->kind);
    if (d->kind == SITU_CPU || d->kind == SITU_NULL) d->index = 0;
    return 0;
}
