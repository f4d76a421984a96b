/* Continues a training when one of its ranks dies, if MPI supports it (ULFM). Each rank holds a recent copy of its
 * state; values are borrowed, not copied, so the next step writes its new values to other memory. The survivors load
 * the newest copy that any of them has, cut the batches anew, and repeat the steps after it. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "group/link.h"
#include "file/network.h"
#include "os/file.h"
#include "os/memory.h"
#include "os/wait.h"
#include "train/checkpoint.h"
#include "train/ranks.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { EVERY = 100000000 }; /* nanoseconds between two copies: repeating shorter steps is cheaper than copying */

struct situ_copies {
    bool there, settled;
    situ_status state; /* valid if `there` */
    int file;          /* else a file of the same state, which may come from another rank; -1: none */
    int64_t step, at;  /* step number of the copy, and its time */
};

static void drop(situ_copies *c)
{
    if (c->there) situ_status_close(&c->state);
    if (c->file >= 0) situ_fd_close(c->file);
    *c = (situ_copies){.file = -1};
}

static int take(situ_fit *f, bool whole, bool before)
{
    situ_status s;
    situ_scope *scope = situ_scope_open();
    situ_status_open(&s, "situ_trainer_fit", f->site);
    situ_keep_gather(&s, f, whole, before);
    int rc = s.rc ? s.rc : situ_file_compute(s.tensor, s.tensors, s.function, f->site);
    if (!rc) rc = situ_file_borrow(s.tensor, s.tensors, f->site);
    for (int64_t i = 0; i < s.tensors && !rc; i++)
        if (s.tensor[i].size) rc = situ_borrow_wait(&s.tensor[i].borrow, f->site);
    situ_scope_close(scope);
    if (rc || situ_error_code) {
        situ_status_close(&s);
        return -situ_error_code;
    }
    drop(f->copies);
    *f->copies = (situ_copies){.there = true, .state = s, .file = -1, .step = f->t->steps, .at = situ_now()};
    return 0;
}

int situ_survive_begin(situ_fit *f)
{
    situ_group *group = f->t->o.group;
    char lost[400];
    int rc = situ_ranks_begin(f);
    if (!situ_ranks_several(f) || !f->opt || !situ_group_survives(group)) return rc;
    while ((!rc || rc == -SITU_RANK_LOST) && (rc || !situ_group_settled(group)) && situ_group_survive(group, lost, sizeof lost)) {
        if (situ_error_code) situ_error_take(NULL);
        rc = situ_ranks_begin(f);
    }
    if (rc) return rc;
    if (!(f->copies = situ_calloc(1, sizeof *f->copies)))
        return situ_fail(SITU_NO_MEMORY, f->site, "situ_trainer_fit: out of host memory");
    f->copies->file = -1;
    return 0;
}

int situ_survive_first(situ_fit *f) { return f->copies && !f->copies->there ? take(f, false, true) : 0; }

int situ_survive_copy(situ_fit *f, bool whole)
{
    if (!f->copies || (!whole && situ_now() - f->copies->at < EVERY)) return 0;
    int rc = whole ? 0 : situ_fit_read(f);
    return rc ? rc : take(f, whole, false);
}

bool situ_survive_settled(situ_fit *f)
{
    if (!f->copies || f->copies->settled || f->phase != FIT_DONE) return true;
    return f->copies->settled = situ_group_settled(f->t->o.group);
}

void situ_survive_free(situ_fit *f)
{
    if (f->copies) drop(f->copies);
    situ_free(f->copies);
    f->copies = NULL;
}

/* ---- continuing
 * ------------------------------------------------------------------------------------------------------------------ */

static int no_room(const situ_fit *f)
{
    return situ_fail(SITU_NO_MEMORY, f->site, "situ_trainer_fit: no memory for a copy of the training's state");
}

/* Returns the rank with the newest copy and sets its step; or a negative code. */
static int newest(situ_fit *f, int64_t *step)
{
    situ_group *group = f->t->o.group;
    situ_site site = f->site;
    int ranks = situ_group_size(group), best = 0;
    int64_t own = f->copies->there || f->copies->file >= 0 ? f->copies->step : -1;
    int64_t *all = situ_malloc((size_t)ranks * sizeof *all);
    if (!all) return no_room(f);
    situ_tensor *mine = situ_from_host(&own, SHAPE(1), .dtype = SITU_I64, .device = situ_cpu());
    int rc = situ_read(situ_group_all_gather(group, mine), all, (size_t)ranks * sizeof *all);
    for (int i = 1; i < ranks && !rc; i++)
        if (all[i] > all[best]) best = i;
    if (!rc) *step = all[best];
    if (!rc && *step < 0)
        rc = situ_fail(SITU_RANK_LOST, site, "situ_trainer_fit: a rank died before there was a copy to go on from");
    situ_free(all);
    return rc ? rc : best;
}

/* Writes the copy to a file in memory, which has no name. */
static int write_copy(situ_fit *f)
{
    situ_copies *c = f->copies;
    situ_status *s = &c->state;
    if (!c->there) return 0;
    situ_written *sorted = situ_malloc((size_t)s->tensors * sizeof *sorted + 1);
    int file = situ_nameless_file();
    FILE *out = sorted && file >= 0 ? situ_fd_stream(file) : NULL;
    int rc = !out;
    if (sorted) situ_file_sort_by_size(s->tensor, s->tensors, sorted);
    if (!rc) rc = situ_file_put(out, sorted, s->tensors, s->about, s->abouts, "a copy", SITU_REASON_CHECKPOINT, f->site);
    if (out && fclose(out) && !rc) rc = 1;
    if (sorted) situ_file_give_back(sorted, s->tensors);
    if (sorted) s->tensors = 0; /* these were entries of s->tensor, which have just been released */
    situ_free(sorted);
    int64_t step = c->step;
    drop(c);
    *c = (situ_copies){.file = file, .step = step};
    return rc > 0 ? no_room(f) : rc;
}

/* Copies a file's bytes from one rank to a file on each rank. */
static int spread_bytes(situ_fit *f, int root, int file, int64_t size)
{
    situ_group *group = f->t->o.group;
    situ_site site = f->site;
    bool mine = situ_group_rank(group) == root;
    void *bytes = situ_map_shared(file, (size_t)size);
    if (!bytes) return no_room(f);
    situ_tensor *t = mine ? situ_from_host(bytes, SHAPE(size), .dtype = SITU_U8, .device = situ_cpu()) :
                            situ_zeros(SHAPE(size), .dtype = SITU_U8, .device = situ_cpu());
    t = situ_group_broadcast(group, t, root);
    if (mine) situ_wait(NULL);
    else situ_read(t, bytes, (size_t)size);
    situ_unmap(bytes, (size_t)size);
    return -situ_error_code;
}

/* Copies rank `root`'s state to every rank. */
static int spread(situ_fit *f, int root, int64_t step)
{
    situ_group *group = f->t->o.group;
    situ_site site = f->site;
    bool mine = situ_group_rank(group) == root;
    if (mine && write_copy(f)) return -situ_error_code;
    situ_file_about about = {.size = 0};
    if (mine) situ_fd_look(f->copies->file, &about);
    int64_t size = about.size;
    situ_tensor *length = situ_from_host(&size, SHAPE(), .dtype = SITU_I64, .device = situ_cpu());
    if (situ_read(situ_group_broadcast(group, length, root), &size, sizeof size)) return -situ_error_code;
    int file = mine ? f->copies->file : situ_nameless_file();
    int rc = file < 0 ? no_room(f) : spread_bytes(f, root, file, size);
    if (rc && !mine && file >= 0) situ_fd_close(file);
    if (rc || mine) return rc;
    drop(f->copies);
    f->copies->file = file;
    f->copies->step = step;
    return 0;
}

/* Loads the copy. 1: in the middle of an epoch; 0: at its end; or a negative code. */
static int give(situ_fit *f)
{
    char path[32];
    situ_trainer *t = f->t;
    situ_site site = f->site;
    situ_fd_path(f->copies->file, path, sizeof path);
    situ_archive *a = situ_archive_open(path);
    if (!a) return -situ_error_code;
    situ_weights_free(&f->best);
    int rc = situ_keep_give(a, f);
    situ_archive_done(a);
    if (rc >= 0) situ_board_cut(t->board, t->epochs + (rc ? (double)f->batch / (double)f->batches : 0) + 1e-9);
    return rc;
}

static int go_on(situ_fit *f, const char *lost)
{
    char text[200];
    int64_t step = 0;
    situ_scope *scope = situ_scope_open();
    int root = newest(f, &step), at = root < 0 ? root : spread(f, root, step);
    if (!at) at = give(f);
    situ_scope_close(scope);
    if (at < 0 || situ_error_code) return -situ_error_code;
    int ranks = situ_group_size(f->t->o.group);
    snprintf(text, sizeof text, "%.100s died; %d %s on from step %lld", lost, ranks, ranks > 1 ? "ranks go" : "rank goes",
        (long long)step);
    int rc = situ_keep_take_over(f);
    if (!rc) rc = situ_keep_note(f, text);
    if (!rc && !at) rc = situ_keep_epoch(f); /* the checkpoint of this epoch may not have been written */
    if (!rc) rc = situ_fit_go_on(f, at);
    return rc ? rc : take(f, !at, false);
}

bool situ_survive(situ_fit *f)
{
    situ_error first = {0};
    char lost[400] = "";
    if (!f || !f->copies || (situ_error_code && situ_error_code != SITU_RANK_LOST)) return false;
    situ_site site = f->site;
    if (situ_error_code) situ_error_take(&first);
    bool again = true;
    while (again && situ_group_survive(f->t->o.group, lost, sizeof lost)) { /* another rank may die meanwhile */
        /* Calls that were started with the lost ranks end here, with errors. */
        situ_wait(NULL);
        if (situ_error_code) situ_error_take(NULL);
        situ_fit_leave_batch(f);
        if (!go_on(f, lost)) return true;
        again = situ_error_code == SITU_RANK_LOST;
        situ_error_take(&first);
        *lost = 0;
    }
    if (*lost || !first.code) situ_fail(SITU_RANK_LOST, site, "situ_trainer_fit: %s", *lost ? lost : "a rank died");
    else situ_fail_again(first.code, first.message);
    return false;
}
