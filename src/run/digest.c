/* Writes a line for each result of each step, for `situ diff`. */
#include "run/digest.h"
#include "os/env.h"
#include "os/file.h"
#include "os/lock.h"
#include "run/nan.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/device.h"

static int out = -1;
SITU_LOCK(lock);
static char *dump_file, *dump_name;

__attribute__((constructor)) static void from_environment(void)
{
    const char *fd = situ_env("SITU_DIGEST"), *wish = situ_env("SITU_DIGEST_DUMP");
    if (situ_nan_wanted()) situ_plan_comparable = true, situ_speakers_wanted++;
    if (!fd || !*fd) return;
    char *end;
    long number = strtol(fd, &end, 10);
    if (*end || number < 3 || number > INT_MAX || !situ_fd_is_open((int)number)) return; /* not an open pipe */
    out = (int)number;
    situ_plan_comparable = true;
    dump_file = wish ? strdup(wish) : NULL;
    dump_name = dump_file ? strrchr(dump_file, ':') : NULL;
    if (dump_name) *dump_name++ = 0;
}

void situ_digest_launch(situ_launch *l)
{
    static __thread uint64_t launches;
    l->thread = situ_thread_number();
    l->of_thread = ++launches;
}

static void keep(const void *data, size_t bytes)
{
    situ_file f;
    if (situ_file_begin(&f, dump_file, true))
        situ_file_end(&f, fwrite(data, 1, bytes, f.stream) == bytes); /* whole or not at all: `situ diff` reports it as missing */
}

static size_t dims_text(const struct situ_dims *d, char text[200])
{
    size_t used = 0;
    for (int i = 0; d && i < d->ndim; i++)
        used += (size_t)snprintf(text + used, 200 - used, "%s%lld", i ? "x" : "", (long long)d->dim[i]);
    if (!used) used = (size_t)snprintf(text, 200, "-");
    return used;
}

static void tell(const situ_launch *l, const situ_plan_step *s, uint32_t k, const situ_address *a, situ_site site, const void *data)
{
    situ_hash h = situ_hash_start(0);
    situ_hash_bytes(&h, data, (size_t)a->written);
    h = situ_hash_end(&h);
    char line[1100], name[100], dims[200], device[32];
    dims_text(s->result, dims);
    snprintf(name, sizeof name, "%llu.%llu.%u.%u", (unsigned long long)l->thread, (unsigned long long)l->of_thread, s->ordinal, k);
    int n = snprintf(line, sizeof line - 1, "%s %016llx%016llx %d %lld %s %.200s\t%s\t%.500s", name, (unsigned long long)h.a,
        (unsigned long long)h.b, a->dtype, (long long)a->written, dims, s->name,
        situ_device_name(l->plan->dev[s->device]->device, device), site ? site : "");
    line[n++] = '\n';
    situ_mutex_lock(&lock);
    if (dump_name && !strcmp(name, dump_name)) keep(data, (size_t)a->written);
    (void)situ_fd_write(out, line, (size_t)n); /* or the reader is gone */
    situ_mutex_unlock(&lock);
}

int64_t situ_digest_step(const situ_launch *l, uint32_t step, char *const *address)
{
    const situ_plan *p = l->plan;
    const situ_plan_step *s = &p->step[step];
    situ_dev *d = p->dev[s->device];
    int64_t nan = -1;
    for (uint32_t k = 0; k < s->naddress && s->ordinal; k++) {
        const situ_address *a = &p->address[s->address + k];
        void *copy = a->written ? situ_malloc((size_t)a->written) : NULL;
        if (copy && !d->backend->download(d, copy, address[k], (size_t)a->written)) {
            situ_site site = l->site ? l->site[step] : NULL;
            const char *part, *name = situ_launch_speaker(l, step, &part);
            if (situ_nan_wanted())
                situ_nan_look((situ_dtype)a->dtype, copy, (size_t)a->written, name, part, false, d->device, site);
            if (out >= 0) tell(l, s, k, a, site, copy);
            if (p->watches && !s->update && nan < 0) nan = situ_nan_find((situ_dtype)a->dtype, copy, (size_t)a->written);
        }
        situ_free(copy);
    }
    return nan;
}
