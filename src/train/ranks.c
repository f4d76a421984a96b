#include "train/ranks.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/hash.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "group/link.h"
#include "optim/optimizer.h"
#include "os/plain.h"
#include "train/status.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define ROW(type, field) \
    { \
#field, SITU_STATUS_##type, offsetof(situ_trainer_options, field), 0 \
    }

/* Options that must agree on all ranks: they decide which collectives are called, and how the training goes. */
static const situ_status_row option_rows[] = {ROW(INT, max_epochs), ROW(INT64, batch), ROW(INT64, key), ROW(BOOL, deterministic),
    ROW(INT, accumulate), ROW(INT64, epoch_batches), ROW(BOOL, cosine), ROW(DOUBLE, clip_norm), ROW(INT, patience),
    ROW(DOUBLE, min_delta), ROW(BOOL, keep_best), ROW(BOOL, maximize), ROW(INT64, checkpoint_every), ROW(BOOL, resume)};
enum {
    OPTIONS = COUNT(option_rows),
    DATA = OPTIONS,
    HELD_OUT,
    PARAMETERS,
    MADE,
    CHECKPOINT,
    DEVICES,
    HASHED,
    DATA_HASH = HASHED,
    HELD_OUT_HASH,
    OPTIMIZER,
    NUMBERS
};
static const char *const names[NUMBERS - OPTIONS] = {"the number of rows to train on", "the number of rows held out",
    "the number of parameters of the network", "the number of its parameters that have values",
    "whether a folder for checkpoints is given", "the number of devices", "the data to train on", "the data held out",
    "the optimizer, one of its hyper-parameters or its schedule"};

bool situ_ranks_several(const situ_fit *f) { return f->train && situ_group_size(f->t->o.group) > 1; }

static int64_t bits_of(const situ_status_row *row, const void *object)
{
    static const size_t size[] = {
        [SITU_STATUS_INT] = 4, [SITU_STATUS_INT64] = 8, [SITU_STATUS_DOUBLE] = 8, [SITU_STATUS_BOOL] = sizeof(bool)};
    return (int64_t)situ_take_bits((const char *)object + row->offset, size[row->type]);
}

static void number_text(int which, int64_t bits, char *text, size_t size)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (which < OPTIONS && option_rows[which].type == SITU_STATUS_DOUBLE) situ_plain_format(text, size, "%.9g", value);
    else snprintf(text, size, "%lld", (long long)bits);
}

static int fail_unlike(const situ_fit *f, int which, int rank, int64_t here, int64_t there)
{
    char first[32], other[32];
    bool option = which < OPTIONS;
    if (which >= HASHED)
        return situ_fail(SITU_MISMATCH, f->site,
            "situ_trainer_fit: %s: rank %d has another one than rank 0; all ranks train the same", names[which - OPTIONS], rank);
    number_text(which, here, first, sizeof first);
    number_text(which, there, other, sizeof other);
    return situ_fail(SITU_MISMATCH, f->site, "situ_trainer_fit: %s%s is %s on rank 0 and %s on rank %d; all ranks train the same",
        option ? SITU_SAY(".", "") : "", option ? option_rows[which].key : names[which - OPTIONS], first, other, rank);
}

static int64_t hash_data(const situ_dataset *data)
{
    char text[1024] = "";
    situ_hash h = situ_hash_start(0);
    if (data) situ_dataset_describe(data, text, sizeof text);
    situ_hash_bytes(&h, text, strlen(text));
    return (int64_t)situ_hash_end(&h).a;
}

static int64_t hash_optimizer(const situ_optimizer *opt)
{
    situ_hash h = situ_hash_start(0);
    const situ_schedule *s = &opt->schedule;
    const char *name = situ_schedule_name(s);
    situ_hash_bytes(&h, opt->rule->name, strlen(opt->rule->name));
    situ_hash_bytes(&h, name, strlen(name));
    situ_hash_bytes(&h, s->a, sizeof s->a);
    situ_hash_word(&h, (uint64_t)s->warmup);
    for (int i = 0; i < opt->rule->hypers; i++) {
        double value = situ_hyper_get(&opt->rule->hyper[i], opt->options);
        situ_hash_bytes(&h, &value, sizeof value);
    }
    return (int64_t)situ_hash_end(&h).a;
}

static int train_the_same(situ_fit *f)
{
    const situ_trainer *t = f->t;
    const situ_module *net = situ_module_root(f->net);
    situ_site site = f->site;
    int ranks = situ_group_size(t->o.group);
    int64_t own[NUMBERS] = {[DATA] = f->train->count,
        [HELD_OUT] = f->held_out ? f->held_out->count : 0,
        [PARAMETERS] = net->total,
        [CHECKPOINT] = t->checkpoint != NULL,
        [DEVICES] = t->o.deterministic ? 0 : t->devices,
        [DATA_HASH] = hash_data(f->train),
        [HELD_OUT_HASH] = hash_data(f->held_out),
        [OPTIMIZER] = hash_optimizer(f->opt)};
    for (int i = 0; i < OPTIONS; i++) own[i] = bits_of(&option_rows[i], &t->o);
    for (int i = 0; i < net->total; i++) own[MADE] += net->all[i]->made;
    int64_t *all = situ_malloc((size_t)ranks * sizeof own);
    if (!all) return situ_fail(SITU_NO_MEMORY, site, "situ_trainer_fit: out of host memory");
    situ_tensor *mine = situ_from_host(own, SHAPE(NUMBERS), .dtype = SITU_I64, .device = situ_cpu());
    int rc = situ_read(situ_group_all_gather(t->o.group, mine), all, (size_t)ranks * sizeof own);
    for (int k = 0; k < ranks * NUMBERS && !rc; k++)
        if (all[k] != all[k % NUMBERS]) rc = fail_unlike(f, k % NUMBERS, k / NUMBERS, all[k % NUMBERS], all[k]);
    situ_free(all);
    return rc;
}

int situ_ranks_begin(situ_fit *f)
{
    situ_module *net = situ_module_root(f->net);
    situ_group *group = f->t->o.group;
    situ_site site = f->site;
    if (!situ_ranks_several(f)) return 0;
    if (situ_module_number(net) || train_the_same(f)) return -situ_error_code;
    situ_tensor *key = situ_to(net->key ? net->key : situ_key(0), situ_cpu());
    if (situ_module_rekey(net, situ_group_broadcast(group, key, 0))) return -situ_error_code;
    for (int i = 0; i < net->total && !situ_error_code; i++)
        if (net->all[i]->made) situ_assign(net->all[i]->copy[0], situ_group_broadcast(group, net->all[i]->copy[0], 0));
    return -situ_error_code;
}

int situ_ranks_first(situ_fit *f, int64_t *number, int64_t count)
{
    situ_site site = f->site;
    if (!situ_ranks_several(f)) return 0;
    situ_tensor *own = situ_from_host(number, SHAPE(count), .dtype = SITU_I64, .device = situ_cpu());
    return situ_read(situ_group_broadcast(f->t->o.group, own, 0), number, (size_t)count * sizeof *number);
}

int situ_ranks_agree(situ_fit *f)
{
    situ_site site = f->site;
    if (!situ_ranks_several(f)) return 0;
    int32_t stop = f->t->asked || f->t->stop;
    situ_scope *scope = situ_scope_open();
    situ_tensor *own = situ_from_host(&stop, SHAPE(), .dtype = SITU_I32, .device = situ_cpu());
    int rc = situ_read(situ_group_all_reduce(f->t->o.group, own, .reduction = SITU_GROUP_MAX), &stop, sizeof stop);
    situ_scope_close(scope);
    if (!rc && stop) f->t->stop = true;
    return rc;
}

void situ_ranks_fail(situ_fit *f)
{
    if (situ_error_code && situ_ranks_several(f) && situ_is_usable(f->t->o.group, "situ_trainer_end", "group"))
        situ_group_fail(f->t->o.group, situ_error_peek());
}
