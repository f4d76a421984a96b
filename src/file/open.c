/* The public functions of archives. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/device.h"
#include "file/archive.h"
#include "file/format.h"
#include "op/support.h"
#include "os/file.h"

static const situ_file_format *const formats[] = {
    &situ_format_gguf, &situ_format_index, &situ_format_npy, &situ_format_npz, &situ_format_safetensors};

/* ---- opening --------------------------------------------------------------------------------------------------------------- */

static void archive_free(situ_archive *a)
{
    for (int i = 0; i < a->files; i++) situ_mapping_let_go(a->file[i]);
    for (int i = 0; i < a->strings; i++) situ_free(a->text[i]);
    situ_free(a->file);
    situ_free(a->entry);
    situ_free(a->order);
    situ_free(a->about);
    situ_free(a->path);
    situ_retire(a);
}

static int read_by_format(situ_archive *a)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!formats[i]->is(a->file[0], a->path)) continue;
        a->format = formats[i]->name;
        int rc = formats[i]->read(a);
        return rc ? rc : situ_archive_sort(a);
    }
    return situ_fail(SITU_BAD_FORMAT, NULL,
        "%s is no file of tensors that is known%s; safetensors, the index of its shards, GGUF, npy and npz are read", a->path,
        situ_mapping_guess(a->file[0]));
}

/* The path, or the path of the index if the file was saved in shards (written to `buffer`). */
static const char *with_index(const char *path, char *buffer, size_t size)
{
    if (!situ_file_ends(path, ".safetensors") || situ_file_exists(path)) return path;
    return snprintf(buffer, size, "%s.index.json", path) < (int)size && situ_file_exists(buffer) ? buffer : path;
}

situ_archive *(situ_archive_open)(const char *path, const situ_archive_open_options *options, situ_site site)
{
    SITU_SPEAK("situ_archive_open", site);
    situ_archive_open_options o = {SITU_DEFAULTS(SITU_ARCHIVE_OPEN_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_archive_open", site)) return NULL;
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_archive_open: no file is named"), NULL;
    char buffer[4096];
    path = with_index(path, buffer, sizeof buffer);
    situ_archive *a = situ_calloc(1, sizeof *a);
    if (a)
        a->handle = (situ_handle)SITU_HANDLE_NEW(ARCHIVE), a->path = situ_strdup(path), a->file = situ_calloc(1, sizeof *a->file);
    if (!a || !a->path || !a->file) situ_fail(SITU_NO_MEMORY, site, "situ_archive_open: out of host memory");
    else if ((a->file[0] = situ_mapping_open(path, o.map))) {
        a->files = 1;
        if (!read_by_format(a)) return a;
    }
    if (a) archive_free(a);
    return NULL;
}

void situ_archive_close(situ_archive *a)
{
    situ_site site = situ_passed_site();
    SITU_SPEAK_AT("situ_archive_close");
    if (!a || situ_ended(a, "situ_archive_close", "archive", site)) return;
    if (situ_handle_end(a, site)) archive_free(a);
}

/* ---- contents -------------------------------------------------------------------------------------------------------------- */

static const situ_entry *entry_at(const situ_archive *a, int64_t i, const char *function)
{
    if (situ_ended(a, function, "archive", NULL)) return NULL;
    if (a && i >= 0 && i < a->entries) return &a->entry[i];
    situ_fail(a ? SITU_BAD_INDEX : SITU_BAD_ARGUMENT, NULL,
        a ? "%s: there is no tensor %lld; the archive has %lld" : "%s: the archive is NULL", function, (long long)i,
        a ? (long long)a->entries : 0);
    return NULL;
}

int64_t situ_archive_count(const situ_archive *a) { return situ_is_usable(a, "situ_archive_count", "archive") ? a->entries : 0; }

const char *situ_archive_name(const situ_archive *a, int64_t i)
{
    SITU_SPEAK_AT("situ_archive_name");
    const situ_entry *e = entry_at(a, i, "situ_archive_name");
    return e ? e->name : "";
}

const char *situ_archive_type(const situ_archive *a, int64_t i)
{
    SITU_SPEAK_AT("situ_archive_type");
    const situ_entry *e = entry_at(a, i, "situ_archive_type");
    return e ? e->type : "";
}

situ_shape situ_archive_shape(const situ_archive *a, int64_t i)
{
    SITU_SPEAK_AT("situ_archive_shape");
    const situ_entry *e = entry_at(a, i, "situ_archive_shape");
    return e ? e->shape : (situ_shape){.ndim = 0};
}

int64_t situ_archive_bytes(const situ_archive *a, int64_t i)
{
    SITU_SPEAK_AT("situ_archive_bytes");
    const situ_entry *e = entry_at(a, i, "situ_archive_bytes");
    return e ? (int64_t)e->size : 0;
}

int64_t situ_archive_metadata_count(const situ_archive *a)
{
    return situ_is_usable(a, "situ_archive_metadata_count", "archive") ? a->abouts : 0;
}

const char *situ_archive_metadata_key(const situ_archive *a, int64_t i)
{
    return situ_is_usable(a, "situ_archive_metadata_key", "archive") && i >= 0 && i < a->abouts ? a->about[i].key : NULL;
}

const char *situ_archive_metadata(const situ_archive *a, const char *key)
{
    if (!situ_is_usable(a, "situ_archive_metadata", "archive") || !key) return NULL;
    for (int64_t i = 0; i < a->abouts; i++)
        if (!strcmp(a->about[i].key, key)) return a->about[i].value;
    return NULL;
}

/* ---- tensors by name --------------------------------------------------------------------------------------------------------- */

/* The error for an unknown name; it suggests the name with the longest common prefix or suffix. */
static situ_tensor *no_such(const situ_archive *a, const char *name, situ_site site)
{
    const char *near = a->entries ? a->entry[0].name : "";
    size_t best = 0, length = strlen(name);
    for (int64_t i = 0; i < a->entries; i++) {
        const char *other = a->entry[i].name;
        size_t size = strlen(other), front = 0, back = 0;
        while (front < size && other[front] == name[front]) front++;
        while (back < size && back < length && other[size - 1 - back] == name[length - 1 - back]) back++;
        if (front + back > best) best = front + back, near = other;
    }
    return situ_refused(SITU_BAD_ARGUMENT, site, "%s: %s has no tensor \"%.80s\"; it has %lld, such as \"%.80s\"",
        situ_speaking.name, a->path, name, (long long)a->entries, near);
}

situ_tensor *(situ_archive_get)(const situ_archive *a, const char *name, const situ_archive_get_options *options, situ_site site)
{
    SITU_SPEAK("situ_archive_get", site);
    situ_archive_get_options o = {SITU_DEFAULTS(SITU_ARCHIVE_GET_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_archive_get", site)) return situ_poisoned();
    if (situ_ended(a, "situ_archive_get", "archive", site)) return situ_poisoned();
    if (!a || (!name && a->entries != 1))
        return situ_refused(SITU_BAD_ARGUMENT, site, "situ_archive_get: %s", a ? "no tensor is named" : "the archive is NULL");
    int64_t i = name ? situ_archive_at(a, name) : 0;
    if (i < 0) return no_such(a, name, site);
    if (situ_device_resolve(&o.device, site)) return situ_poisoned();
    return situ_archive_tensor(a, i, o.dtype, o.device, o.copy, site);
}
