/* Programs: compiled by the driver, or taken from the cache on disk. */
#include <stdio.h>
#include <string.h>

#include "backend/opencl/opencl.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/memory.h"
#include "codegen/dialect.h"

static const char *options_of(const situ_opencl *s, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s", s->dialect->options, s->rounds_division ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
    return buffer;
}

static void fail_build(situ_opencl *s, cl_program p, int32_t code, const char *name)
{
    char log[1024] = "";
    size_t needed = 0;
    const situ_cl_api *cl = situ_cl();
    if (p && !cl->GetProgramBuildInfo(p, s->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &needed) && needed) {
        char *full = situ_malloc(needed + 1);
        if (full && !cl->GetProgramBuildInfo(p, s->device, CL_PROGRAM_BUILD_LOG, needed, full, NULL)) {
            full[needed] = 0;
            snprintf(log, sizeof log, "%s", full);
        }
        situ_free(full);
    }
    situ_fail(SITU_UNSUPPORTED, NULL, "OpenCL's compiler refuses the kernel of %s: %s%s%s", name, situ_cl_error(code),
        log[0] ? ": " : "", log);
}

/* ---------------------------------------------------------------- the cache */

static situ_hash key_of(const situ_opencl *s, const char *text, const char *options)
{
    situ_hash h = situ_hash_start(3);
    situ_hash_word(&h, s->identity.a);
    situ_hash_word(&h, s->identity.b);
    situ_hash_bytes(&h, options, strlen(options));
    situ_hash_bytes(&h, text, strlen(text));
    return situ_hash_end(&h);
}

static cl_program from_cache(situ_opencl *s, situ_hash key, const char *options)
{
    const situ_cl_api *cl = situ_cl();
    size_t bytes;
    unsigned char *binary = situ_cache_read("opencl", key, &bytes);
    if (!binary) return NULL;
    int32_t status = 0, code = 0;
    const unsigned char *data = binary;
    cl_program p = cl->CreateProgramWithBinary(s->context, 1, &s->device, &bytes, &data, &status, &code);
    if (p && !code && !status) code = cl->BuildProgram(p, 1, &s->device, options, NULL, NULL);
    situ_free(binary);
    if (p && !code && !status) return p;
    if (p) cl->ReleaseProgram(p);
    situ_cache_remove("opencl", key); /* the driver no longer accepts the cached binary */
    return NULL;
}

static void to_cache(cl_program p, situ_hash key)
{
    const situ_cl_api *cl = situ_cl();
    size_t bytes = 0;
    if (cl->GetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) || !bytes) return;
    unsigned char *binary = situ_malloc(bytes);
    if (binary && !cl->GetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL))
        situ_cache_write("opencl", key, binary, bytes);
    situ_free(binary);
}

cl_program situ_opencl_program(situ_opencl *s, const char *text, const char *name)
{
    const situ_cl_api *cl = situ_cl();
    char options[128];
    options_of(s, options, sizeof options);
    situ_hash key = key_of(s, text, options);
    cl_program p = from_cache(s, key, options);
    if (p) return p;
    int32_t code = 0;
    p = cl->CreateProgramWithSource(s->context, 1, &text, NULL, &code);
    if (p) code = cl->BuildProgram(p, 1, &s->device, options, NULL, NULL);
    if (code) {
        fail_build(s, p, code, name);
        if (p) cl->ReleaseProgram(p);
        return NULL;
    }
    to_cache(p, key);
    return p;
}
