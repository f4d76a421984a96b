/* Modules and their kernels: compiled by NVRTC for the card, or taken from the cache on disk. */
#include <stdio.h>
#include <string.h>

#include "backend/cuda/kernel.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/memory.h"
#include "codegen/dialect.h"

enum { MOST_OPTIONS = 12 };

/* ---- target architecture ------------------------------------------------------------------------------------------- */

/* First choice is the card's own machine code. A compiler older than the card makes PTX for an older architecture,
 * which the driver translates. */
static const int older[] = {90, 80, 75};
enum { TARGETS = 1 + sizeof older / sizeof *older };

static void target_name(const situ_cuda *s, int target, char *name, size_t size)
{
    if (target) snprintf(name, size, "--gpu-architecture=compute_%d", older[target - 1]);
    else snprintf(name, size, "--gpu-architecture=sm_%d%d", s->major, s->minor);
}

static bool too_new(const situ_cuda *s, int target) { return target && older[target - 1] > 10 * s->major + s->minor; }

/* Splits the dialect's options in `words`; the architecture comes first. */
static int split_options(char *words, size_t size, char *architecture, const char **option)
{
    int n = 0;
    char *next;
    option[n++] = architecture;
    snprintf(words, size, "%s", situ_dialect_cuda.options);
    for (char *at = strtok_r(words, " ", &next); at && n < MOST_OPTIONS - 1; at = strtok_r(NULL, " ", &next)) option[n++] = at;
    option[n++] = "-w";
    return n;
}

/* ---- the compiler --------------------------------------------------------------------------------------------------- */

static void fail_build(nvrtc_program p, int code, const char *name)
{
    const situ_nvrtc_api *rtc = situ_nvrtc();
    size_t bytes = 0;
    char *log = p && !rtc->GetProgramLogSize(p, &bytes) && bytes ? situ_calloc(1, bytes + 1) : NULL;
    if (log && rtc->GetProgramLog(p, log)) log[0] = 0;
    situ_fail(code == NVRTC_ERROR_OUT_OF_MEMORY ? SITU_NO_MEMORY : SITU_UNSUPPORTED, NULL,
        "NVRTC refuses the kernel of %s: %s%s%.1500s", name, rtc->GetErrorString(code), log && log[0] ? ": " : "",
        log && log[0] ? log : "");
    situ_free(log);
}

static unsigned char *take_image(nvrtc_program p, bool text, size_t *bytes, int *code)
{
    const situ_nvrtc_api *rtc = situ_nvrtc();
    *bytes = 0;
    *code = text ? rtc->GetPTXSize(p, bytes) : rtc->GetCUBINSize(p, bytes);
    unsigned char *image = *code ? NULL : situ_calloc(1, *bytes + 1);
    if (!*code && !image) *code = NVRTC_ERROR_OUT_OF_MEMORY;
    if (!*code) *code = text ? rtc->GetPTX(p, (char *)image) : rtc->GetCUBIN(p, (char *)image);
    if (!*code) return image;
    situ_free(image);
    return NULL;
}

/* Compiles for one target; NULL with *code, and *p to ask for the log. */
static unsigned char *compile_for(const situ_cuda *s, int target, const char *source, size_t *bytes, nvrtc_program *p, int *code)
{
    const situ_nvrtc_api *rtc = situ_nvrtc();
    char architecture[48], words[256];
    const char *option[MOST_OPTIONS];
    target_name(s, target, architecture, sizeof architecture);
    int n = split_options(words, sizeof words, architecture, option);
    if ((*code = rtc->CreateProgram(p, source, "situ.cu", 0, NULL, NULL))) return *p = NULL, NULL;
    *code = rtc->CompileProgram(*p, n, option);
    return *code ? NULL : take_image(*p, target > 0, bytes, code);
}

/* Compiles for the first target, from s->target on, that the compiler knows. NULL with an error. */
static unsigned char *compile(situ_cuda *s, const char *source, const char *name, size_t *bytes)
{
    const situ_nvrtc_api *rtc = situ_nvrtc();
    nvrtc_program p = NULL;
    unsigned char *image = NULL;
    int code = NVRTC_ERROR_INVALID_OPTION;
    for (int target = s->target; target < TARGETS && code == NVRTC_ERROR_INVALID_OPTION; target++) {
        if (too_new(s, target)) continue;
        if (p) rtc->DestroyProgram(&p);
        image = compile_for(s, target, source, bytes, &p, &code);
        if (image) s->target = target;
    }
    if (!image) fail_build(p, code, name);
    if (p) rtc->DestroyProgram(&p);
    return image;
}

/* ---- modules ------------------------------------------------------------------------------------------------------- */

static situ_hash key_of(const situ_cuda *s, const char *source)
{
    situ_hash h = situ_hash_start(4);
    situ_hash_word(&h, s->identity.a);
    situ_hash_word(&h, s->identity.b);
    situ_hash_bytes(&h, situ_dialect_cuda.options, strlen(situ_dialect_cuda.options));
    situ_hash_bytes(&h, source, strlen(source));
    return situ_hash_end(&h);
}

static int load(situ_cuda *s, const unsigned char *image, cu_module *module)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    int code = cu->ModuleLoadDataEx(module, image, 0, NULL, NULL);
    if (code) *module = NULL;
    return situ_cuda_code(s, code, "cuModuleLoadDataEx") ? code : 0;
}

static cu_module from_cache(situ_cuda *s, situ_hash key)
{
    size_t bytes;
    cu_module module = NULL;
    unsigned char *image = situ_cache_read("cuda", key, &bytes);
    if (image && load(s, image, &module)) situ_cache_remove("cuda", key); /* the driver no longer accepts the cached code */
    situ_free(image);
    return module;
}

cu_module situ_cuda_program(situ_cuda *s, const char *source, const char *name)
{
    situ_hash key = key_of(s, source);
    cu_module module = from_cache(s, key);
    size_t bytes;
    if (module) return module;
    unsigned char *image = compile(s, source, name, &bytes);
    if (!image) return NULL;
    int code = load(s, image, &module);
    if (!code) situ_cache_write("cuda", key, image, bytes + 1);
    else if (code == CUDA_ERROR_OUT_OF_MEMORY)
        situ_fail(SITU_DEVICE_MEMORY, NULL, "no memory on the device for the kernel of %s; free some tensors", name);
    else
        situ_fail(s->lost ? SITU_DEVICE_LOST : SITU_UNSUPPORTED, NULL,
            "the NVIDIA driver (CUDA %d.%d) does not take the kernel of %s that NVRTC %d.%d made: %s",
            situ_cuda_driver_version() / 1000, situ_cuda_driver_version() % 1000 / 10, name, situ_nvrtc_version() / 1000,
            situ_nvrtc_version() % 1000 / 10, situ_cuda_error(code));
    situ_free(image);
    return module;
}

int situ_cuda_make_passes(situ_cuda *s, situ_cuda_kernel *k, const char *text, const char *name)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    int code = 0;
    cu_context before;
    if (situ_cuda_enter(s, &before)) return situ_fail(SITU_DEVICE_LOST, NULL, "%s: the device is lost: %s", name, s->lost);
    if (!(k->module = situ_cuda_program(s, text, name))) {
        situ_cuda_leave(before);
        return -situ_error_code;
    }
    for (int i = 0; i < k->passes.count && !code; i++) {
        char pass[16] = "k";
        if (i) snprintf(pass, sizeof pass, "k_%d", i);
        code = cu->ModuleGetFunction(&k->pass[i], k->module, pass);
    }
    int failed = situ_cuda_code(s, code, "cuModuleGetFunction");
    if (failed) {
        cu->ModuleUnload(k->module);
        k->module = NULL;
    }
    situ_cuda_leave(before);
    return failed ? situ_fail(-failed, NULL, "CUDA made no kernel of %s: %s", name, situ_cuda_error(code)) : 0;
}
