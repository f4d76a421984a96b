/* Saving tensors by name: options and names. */
#include <string.h>

#include "base/memory.h"
#include "file/format.h"
#include "file/json.h"
#include "op/support.h"
#include "os/file.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

int64_t situ_take_metadata(char *text, situ_about *about, const char *function, situ_site site)
{
    int64_t n = 0;
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n'), *equals;
        if (end) *end++ = 0;
        if (*line) {
            if (!(equals = strchr(line, '=')))
                return situ_fail(
                    SITU_BAD_OPTION, site, "%s: .metadata has the line \"%.80s\"; its lines are key=value", function, line);
            if (!situ_json_is_text(line))
                return situ_fail(SITU_BAD_OPTION, site, "%s: .metadata has the line \"%.80s\", which is not UTF-8", function, line);
            *equals = 0;
            about[n++] = (situ_about){.key = line, .value = equals + 1};
        }
        line = end;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < i; k++)
            if (!strcmp(about[i].key, about[k].key))
                return situ_fail(SITU_BAD_OPTION, site, "%s: .metadata has the key \"%.80s\" twice", function, about[i].key);
    return n;
}

/* Refuses extensions of other formats. */
static int check_ending(const char *path, const char *function, situ_site site)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    static const char *const written[] = {".safetensors", ".npz", ".npy"};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (!dot || dot == name || !strcmp(dot, written[i])) return 0;
    return situ_fail(SITU_BAD_ARGUMENT, site,
        "%s: %s: files that end in \".safetensors\" (or have no such end), \".npz\" and \".npy\" are written; %s writes \".onnx\", "
        "PyTorch reads safetensors",
        function, path, SITU_SAY("situ_onnx_save", "situ.onnx.save"));
}

int situ_file_may_save(const char *path, const char *function, situ_site site)
{
    if (check_ending(path, function, site)) return -situ_error_code;
    int code = situ_file_check(path);
    return code ? situ_fail(SITU_IO, site, "%s: %s: %s", function, path, situ_file_why(code)) : 0;
}

int situ_file_save(
    const char *path, situ_written *w, int64_t n, const char *metadata, int64_t shard_bytes, const char *function, situ_site site)
{
    if (shard_bytes < 0)
        return situ_fail(
            SITU_BAD_OPTION, site, "%s: .shard_bytes is %lld; it is at least 0, one file", function, (long long)shard_bytes);
    if (check_ending(path, function, site)) return -situ_error_code;
    size_t length = metadata ? strlen(metadata) : 0;
    situ_about *about = situ_malloc((length / 2 + 1) * sizeof *about);
    char *text = situ_malloc(length + 1);
    int rc = about && text ? 0 : situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    if (text) memcpy(text, metadata ? metadata : "", length + 1);
    int64_t abouts = rc ? 0 : situ_take_metadata(text, about, function, site);
    if (!rc && abouts < 0) rc = (int)abouts;
    if (!rc) rc = situ_file_compute(w, n, function, site);
    if (!rc)
        rc = shard_bytes ? situ_file_write_shards(path, w, n, about, abouts, shard_bytes, function, site) :
                           situ_file_write(path, w, n, about, abouts, SITU_REASON_READ, function, site);
    situ_free(about);
    situ_free(text);
    return rc;
}

/* Ends the name at the next comma without a backslash, and removes the backslashes; returns the rest, or NULL after
 * the last name. */
static char *next_name(char *name)
{
    char *to = name, *p = name;
    for (; *p && *p != ','; p++) {
        if (*p == '\\' && (p[1] == ',' || p[1] == '\\')) p++;
        *to++ = *p;
    }
    char *next = *p ? p + 1 : NULL;
    *to = 0;
    return next;
}

/* Takes names from the list, or each tensor's own name (a single tensor needs none); they point into `text`. */
static int name_all(situ_written *w, situ_list tensors, char *text, bool one, situ_site site)
{
    char *next = text;
    for (int i = 0; i < tensors.count; i++) {
        w[i].tensor = tensors.tensor[i];
        if (text) {
            w[i].name = next;
            next = next ? next_name(next) : NULL;
        } else w[i].name = one ? "array" : situ_name_of(tensors.tensor[i]);
        if (!w[i].name || !*w[i].name)
            return situ_fail(SITU_BAD_ARGUMENT, site,
                "situ_save: tensor %d has no name; give it one by " SITU_SAY(".names or situ_name", "names"), i);
    }
    return next ? situ_fail(SITU_BAD_OPTION, site, "situ_save: .names has more names than the %d tensors", tensors.count) : 0;
}

int(situ_save)(const char *path, situ_list tensors, const situ_save_options *options, situ_site site)
{
    SITU_SPEAK("situ_save", site);
    situ_save_options o = {SITU_DEFAULTS(SITU_SAVE_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_save", site)) return -situ_error_code;
    if (!path || tensors.count < 0 || (tensors.count && !tensors.tensor))
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_save: %s", path ? "the list of tensors is NULL" : "no file is named");
    if (tensors.count && !situ_usable(tensors.tensor, tensors.count, "situ_save", site)) return -situ_error_code;
    situ_written *w = situ_calloc((size_t)tensors.count + 1, sizeof *w);
    char *text = situ_strdup(o.names);
    int rc = w && (text || !o.names) ? name_all(w, tensors, text, situ_file_ends(path, ".npy"), site) :
                                       situ_fail(SITU_NO_MEMORY, site, "situ_save: out of host memory");
    if (!rc) rc = situ_file_save(path, w, tensors.count, o.metadata, o.shard_bytes, "situ_save", site);
    situ_free(text);
    situ_free(w);
    return rc;
}
