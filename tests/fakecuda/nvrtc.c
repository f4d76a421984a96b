/* A fake NVRTC: what it "compiles" is the text behind a header with a sum; the machine's compiler looks at it first. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

#include "fakecuda.h"

typedef struct program { char *text, *log, *image; size_t image_size; int architecture; } program;
typedef program *nvrtcProgram;

enum { SUCCESS, OUT_OF_MEMORY, CREATION_FAILURE, INVALID_INPUT, INVALID_PROGRAM, INVALID_OPTION, COMPILATION };

static uint64_t sum_of(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u ^ 7;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h ^ h >> 29;
}

#define ENTER(name)                            \
    do {                                       \
        int injected = fakecuda_enter(#name);  \
        if (injected) return injected;         \
    } while (0)

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}

FAKE_API int nvrtcVersion(int *major, int *minor);
FAKE_API int nvrtcVersion(int *major, int *minor)
{
    ENTER(nvrtcVersion);
    int version = setting("FAKECUDA_NVRTC", 12040);
    *major = version / 1000;
    *minor = version % 1000 / 10;
    return SUCCESS;
}

FAKE_API int nvrtcCreateProgram(nvrtcProgram *p, const char *text, const char *name, int headers, const char *const *header, const char *const *names);
FAKE_API int nvrtcCreateProgram(nvrtcProgram *p, const char *text, const char *name, int headers, const char *const *header, const char *const *names)
{
    (void)name, (void)header, (void)names;
    ENTER(nvrtcCreateProgram);
    if (!text || headers) {
        fakecuda_violation("nvrtc: a program without text, or with headers, which the fake does not know");
        return INVALID_INPUT;
    }
    *p = calloc(1, sizeof **p);
    if (!*p || !((*p)->text = strdup(text))) return OUT_OF_MEMORY;
    return SUCCESS;
}

/* ---------------------------------------------------------------- options */

/* Bits depend on these; they have to be said. */
static const char *const needed[] = {"fmad=false", "prec-div=true", "prec-sqrt=true", "ftz=false"};
static const char *const known[] = {"-w", "-default-device", "--device-as-default-execution-space", "-std=c++17", "--std=c++17", "--std=c++14", "-std=c++14",
                                    "--extra-device-vectorization", "-lineinfo", "--generate-line-info", "--no-source-include", "--dopt=on"};
static const int architectures[] = {50, 52, 60, 61, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 120};

static bool read_architecture(program *p, const char *option)
{
    const char *value = strchr(option, '=');
    if (strncmp(option, "--gpu-architecture=", 19) && strncmp(option, "-arch=", 6)) return false;
    if (sscanf(value + 1, "sm_%d", &p->architecture) != 1 && sscanf(value + 1, "compute_%d", &p->architecture) != 1) return false;
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (architectures[i] == p->architecture) return p->architecture <= setting("FAKECUDA_NVRTC_LAST", 90);
    return false;
}

static bool is_known(const char *option)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(option, known[i])) return true;
    return !strncmp(option, "-D", 2) || !strncmp(option, "--define-macro=", 15) || !strncmp(option, "--maxrregcount=", 15);
}

static int read_options(program *p, int count, const char *const *option)
{
    unsigned said = 0;
    p->architecture = 0;
    for (int i = 0; i < count; i++) {
        bool taken = read_architecture(p, option[i]) || is_known(option[i]);
        for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
            const char *bare = option[i] + strspn(option[i], "-");
            if (!strcmp(bare, needed[k])) said |= 1u << k, taken = true;
        }
        if (taken) continue;
        char log[300];
        snprintf(log, sizeof log, "nvrtc: error: invalid value for, or unrecognized option: %s\n", option[i]);
        p->log = strdup(log);
        return INVALID_OPTION;
    }
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (!(said >> k & 1)) fakecuda_violation("nvrtc: a program is compiled without --%s: its bits are not the CPU's", needed[k]);
    if (!p->architecture) fakecuda_violation("nvrtc: a program is compiled for no architecture");
    return SUCCESS;
}

FAKE_API int nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *option);
FAKE_API int nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *option)
{
    char log[4096] = "";
    ENTER(nvrtcCompileProgram);
    if (!p) return INVALID_PROGRAM;
    free(p->log);
    p->log = NULL;
    int code = read_options(p, count, option);
    if (code) return code;
    if (fakecuda_compile(p->text, log, sizeof log)) code = COMPILATION;
    p->log = strdup(log);
    if (code || !p->log) return code;
    size_t size = strlen(p->text) + 128;
    p->image = malloc(size);
    if (!p->image) return OUT_OF_MEMORY;
    int n = snprintf(p->image, size, FAKE_CUBIN, p->architecture, (unsigned long long)sum_of(p->text));
    memcpy(p->image + n, p->text, strlen(p->text) + 1);
    p->image_size = (size_t)n + strlen(p->text) + 1;
    return SUCCESS;
}

/* ---------------------------------------------------------------- what came out */

#define GET(name, type, value, statement)                           \
    FAKE_API int name(nvrtcProgram p, type value);                  \
    FAKE_API int name(nvrtcProgram p, type value)                   \
    {                                                               \
        ENTER(name);                                                \
        if (!p) return INVALID_PROGRAM;                             \
        statement;                                                  \
        return SUCCESS;                                             \
    }
#define IMAGE if (!p->image) return INVALID_PROGRAM
GET(nvrtcGetProgramLogSize, size_t *, size, *size = p->log ? strlen(p->log) + 1 : 1)
GET(nvrtcGetProgramLog, char *, to, strcpy(to, p->log ? p->log : ""))
GET(nvrtcGetCUBINSize, size_t *, size, IMAGE; *size = p->image_size)
GET(nvrtcGetCUBIN, char *, to, IMAGE; memcpy(to, p->image, p->image_size))
GET(nvrtcGetPTXSize, size_t *, size, IMAGE; *size = p->image_size)
GET(nvrtcGetPTX, char *, to, IMAGE; memcpy(to, p->image, p->image_size))

FAKE_API int nvrtcDestroyProgram(nvrtcProgram *p);
FAKE_API int nvrtcDestroyProgram(nvrtcProgram *p)
{
    ENTER(nvrtcDestroyProgram);
    if (!p || !*p) return INVALID_PROGRAM;
    free((*p)->text);
    free((*p)->log);
    free((*p)->image);
    free(*p);
    *p = NULL;
    return SUCCESS;
}

FAKE_API const char *nvrtcGetErrorString(int code);
FAKE_API const char *nvrtcGetErrorString(int code)
{
    static const char *const names[] = {"NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVRTC_ERROR_INVALID_INPUT", "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION",
                                        "NVRTC_ERROR_COMPILATION", "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"};
    fakecuda_enter("nvrtcGetErrorString");
    return code >= 0 && code < 8 ? names[code] : "NVRTC_ERROR unknown";
}
