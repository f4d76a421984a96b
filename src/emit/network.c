/* The public function: calls the network, has its program written, puts the two texts into files. */
#include <situ/emit.h>
#include <situ/grad.h>
#include <situ/create.h>

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "emit/emit.h"
#include "nn/module.h"
#include "os/file.h"
#include "os/plain.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST_INPUTS = 32, MOST_RESULTS = 64, NAME = 48 };

static int fail_file(const char *path, int code, situ_site site)
{
    return situ_fail(SITU_IO, site, "situ_emit: %s: %s", path, situ_file_why(code ? code : EIO));
}

static int write_text(const char *path, const char *text, situ_site site)
{
    situ_file f;
    FILE *stream = situ_file_begin(&f, path, false);
    if (!stream) return fail_file(path, errno, site);
    errno = 0;
    bool whole = fputs(text, stream) >= 0;
    int code = errno, end = situ_file_end(&f, whole);
    return whole && !end ? 0 : fail_file(path, end ? end : code, site);
}

/* The name that the file's own begin with: of the option or of the path. A negative code with an error. */
static int name_of(char name[NAME], const char *path, const char *wanted, situ_site site)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    if (!dot || strcmp(dot, ".c") || dot == base)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: %s is no name of a C file; write \"net.c\"", path);
    int length = wanted ? (int)strlen(wanted) : (int)(dot - base);
    if (!wanted) wanted = base;
    bool fits = length > 0 && length < NAME && (situ_is_letter(*wanted) || *wanted == '_');
    for (int i = 0; i < length && fits; i++) {
        char c = wanted[i];
        name[i] = c == '-' || c == '.' ? '_' : c;
        fits = situ_is_letter(name[i]) || situ_is_digit(name[i]) || name[i] == '_';
    }
    if (!fits)
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_emit: \"%.*s\" cannot begin names of C, which have letters, digits and _, here at most %d; choose another one "
            "with " SITU_SAY(".name", "name"),
            length < 80 ? length : 80, wanted, NAME - 1);
    name[length] = 0;
    return 0;
}

/* Copies of the inputs that are in memory, so that a plan reads them as leaves. */
static int take_inputs(situ_list given, situ_tensor **in, situ_site site)
{
    if (given.count < 1 || given.count > MOST_INPUTS || !given.tensor)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: the network is called with 1 to %d inputs", MOST_INPUTS);
    for (int i = 0; i < given.count; i++) {
        if (!situ_usable(given.tensor + i, 1, "situ_emit", site)) return -situ_error_code;
        if (situ_is_number(given.tensor[i]))
            return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: input %d is a number, no tensor", i);
        in[i] = situ_copy_to(given.tensor[i], given.tensor[i]->device);
    }
    return (situ_eval)((situ_list){in, given.count}, site);
}

/* Calls the network twice: after the first time all of its weights are in memory, so the second time records the computation
 * alone. */
static int write_network(
    situ_module *net, situ_list given, const char *name, const char *beside, char **source, char **header, situ_site site)
{
    situ_tensor *in[MOST_INPUTS], *out[MOST_RESULTS];
    if (take_inputs(given, in, site)) return -situ_error_code;
    int results = 0;
    for (int times = 0; times < 2; times++) {
        results = (situ_module_call_n)(net, (situ_list){in, given.count}, out, MOST_RESULTS, NULL, site);
        if (results < 0) return results;
        if (!times && (situ_eval)((situ_list){out, results}, site)) return -situ_error_code;
    }
    return situ_emit_program(out, results, in, given.count, name, beside, source, header, site);
}

int(situ_emit)(situ_module *net, const char *path, situ_list inputs, const situ_emit_options *options, situ_site site)
{
    SITU_SPEAK("situ_emit", site);
    situ_emit_options o = {SITU_DEFAULTS(SITU_EMIT_DEFAULTS)};
    char name[NAME], beside[SITU_FILE_PATH], *source = NULL, *header = NULL;
    if (situ_error_code || situ_ended(net, "situ_emit", "network", site)) return -situ_error_code;
    if (!net || !path)
        return situ_fail(SITU_BAD_ARGUMENT, site, net ? "situ_emit: no file is named" : "situ_emit: the network is NULL");
    if (!SITU_TAKE_OPTIONS(o, options, "situ_emit", site) || name_of(name, path, o.name, site)) return -situ_error_code;
    if (strlen(path) >= sizeof beside) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: the path is too long");
    snprintf(beside, sizeof beside, "%s", path);
    beside[strlen(beside) - 1] = 'h';
    const char *slash = strrchr(beside, '/');
    bool without = situ_no_grad(true);
    situ_scope *scope = situ_scope_open();
    situ_module_act(net, true);
    int rc = write_network(net, inputs, name, slash ? slash + 1 : beside, &source, &header, site);
    situ_module_act(net, false);
    situ_scope_close(scope);
    situ_no_grad(without);
    if (!rc) rc = write_text(beside, header, site);
    if (!rc) rc = write_text(path, source, site);
    situ_free(source);
    situ_free(header);
    return rc;
}
