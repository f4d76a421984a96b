/* The MPI thread: how it starts, the jobs it takes, how it ends. */
#include "group/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "base/thread.h"
#include "group/card_calls.h"
#include "group/pretend.h"
#include "os/env.h"
#include "os/file.h"
#include "os/library.h"
#include "os/lock.h"
#include "os/memory.h"
#include "os/plain.h"
#include "os/process.h"
#include "os/wait.h"

enum { SECOND = 1000000000, IDLE_FIRST = 100000, IDLE_MOST = 500000000, FINALIZE_SECONDS = 10 };
static const int64_t LAST_WORDS = 1500000000, READING = 200000000; /* nanoseconds to wait for the errors of other ranks, and for the
                                                                    * launcher to read them */

typedef enum job { JOB_BEGIN, JOB_CALL, JOB_FAIL, JOB_AGREE, JOB_SHRINK, JOB_END } job;

/* The state of MPI in this process. */
static struct engine {
    situ_thread_id thread;
    int64_t pid; /* process that initialised it; 0: not initialised */
    situ_launcher launcher;
    situ_mpi mpi;
    situ_link *link;
    bool owned, polls; /* owned: situ called MPI_Init; polls: MPI may be called while the program computes */
    bool several;      /* the MPI world has several processes, even if the link to them failed */
    bool direct;       /* any thread of the library may call MPI, one at a time */
    situ_mpi_handle given;
    _Atomic bool stuck;
    _Atomic int due; /* calls that were made and have not ended */
    _Atomic uint32_t asked, answered;
    job job;
    int64_t deadline;
    int status, begun; /* exit status of the program; result of MPI_Init */
    situ_exchange *exchange;
    const char *failed; /* reason, for JOB_FAIL */
    char *lost;         /* names of lost ranks, for JOB_SHRINK */
    size_t lost_size;
    char reason[1024];
    _Atomic int64_t finalizing, aborting; /* start times */
} engine;
SITU_LOCK(lock);
SITU_LOCK(greet_lock);

bool situ_link_stuck(void) { return engine.stuck; }
bool situ_link_beside(void) { return engine.polls; }
int situ_link_due(int change) { return atomic_fetch_add(&engine.due, change) + change; }
int situ_link_rank(const situ_link *l) { return l ? l->rank : 0; }
int situ_link_size(const situ_link *l) { return l ? l->size : 1; }
const char *situ_link_engine(const situ_link *l) { return !l ? "none" : *l->engine ? l->engine : l->mpi->version; }
double situ_link_seconds(const situ_link *l) { return (double)l->deadline / SECOND; }
int situ_link_cards(const situ_link *l, const char *call, situ_site site)
{
    return *l->unlike ? situ_fail(SITU_NO_LIBRARY, site, "%s: %s", call, l->unlike) : l->cards;
}
void situ_link_deadline(situ_link *l, double seconds)
{
    if (l) l->deadline = (int64_t)(seconds * SECOND);
}

/* ---- in the MPI thread --------------------------------------------------------------------------------------------------- */

static int say(int code, const char *format, int a, int b)
{
    snprintf(engine.reason, sizeof engine.reason, format, a, b);
    return code;
}

/* Creates the link from the state of MPI. */
static int make_link(void)
{
    situ_mpi *m = &engine.mpi;
    situ_mpi_handle world = engine.given ? engine.given : m->world, own = NULL;
    int rank = 0, size = 0, rc = m->Comm_dup(world, &own);
    if (!rc) rc = m->Comm_set_errhandler(own, m->errors_return);
    if (!rc) rc = m->Comm_rank(own, &rank);
    if (!rc) rc = m->Comm_size(own, &size);
    if (rc) return say(SITU_RANK_LOST, "MPI gave no communicator: error %d", rc, 0);
    if (!engine.given && engine.launcher.size && engine.launcher.size != size)
        return say(SITU_NO_LIBRARY,
            "the launcher started %d processes, but the MPI that was opened knows %d: it is not the launcher's; start the "
            "program with the launcher of that MPI, or name the launcher's library: SITU_MPI=FILE",
            engine.launcher.size, size);
    engine.several = size > 1;
    if (size == 1) return 0;
    situ_link *l = situ_calloc(1, sizeof *l + (size_t)size * sizeof *l->peer);
    if (!l) return say(SITU_NO_MEMORY, "out of host memory", 0, 0);
    l->mpi = m;
    l->communicator = own;
    l->rank = rank;
    l->size = size;
    l->deadline = engine.deadline;
    l->beat = situ_link_now();
    for (int i = 0; i < size; i++) l->peer[i].heard = l->beat;
    const char *survivors = situ_env("OMPI_MCA_mpi_ft_enable");
    l->survives = engine.owned && situ_mpi_has_survivors(m) && survivors && (*survivors == '1' || *survivors == 't');
    engine.link = l;
    return 0;
}

static int begin(void)
{
    situ_mpi *m = &engine.mpi;
    int there = 0, ended = 0, level = 0, rc = 0;
    m->Finalized(&ended);
    if (ended) return say(SITU_BAD_ARGUMENT, "MPI_Finalize was called already", 0, 0);
    m->Initialized(&there);
    if (there) m->Query_thread(&level);
    else rc = m->Init_thread(NULL, NULL, m->serialized, &level);
    if (rc) return say(SITU_RANK_LOST, "MPI_Init_thread failed with %d", rc, 0);
    engine.owned = !there;
    engine.polls = !there || level == m->multiple;
    engine.direct = level >= m->serialized;
    return make_link();
}

/* The last job: MPI_Finalize, which waits for all processes, or MPI_Abort, which waits for none. */
static void end(void)
{
    situ_mpi *m = &engine.mpi;
    situ_link *l = engine.link;
    int ended = 0, there = 0, idle = 0;
    m->Initialized(&there);
    m->Finalized(&ended);
    if (!there || ended) return;
    char lost[64];
    bool orderly = !engine.status && !(l && l->code && !l->died);
    bool broken = l ? (orderly && l->died) || situ_link_end(l, orderly) : engine.several;
    while (l && broken && orderly && l->died && !situ_link_shrink(l, lost, sizeof lost)) broken = situ_link_end(l, true) != 0;
    if (!engine.owned || (!broken && l && l->shrunk)) return; /* after a loss of ranks MPI_Finalize may hang */
    if (!broken && (orderly || !l)) {
        engine.finalizing = situ_link_now();
        if (!l || !situ_hydra_needed(m, l->size)) m->Finalize();
        else situ_hydra_leave(l, engine.finalizing + (int64_t)FINALIZE_SECONDS * SECOND);
        return;
    }
    engine.aborting = situ_link_now();
    /* The others receive the error and print it. The launcher may drop output that it has not read when the first
     * process ends. */
    int64_t said = 0;
    while (l && situ_link_now() - (said ? said : engine.aborting) < (said ? READING : LAST_WORDS)) {
        situ_link_pump(l, false);
        situ_rest(&idle);
        if (situ_link_last_words(l) && !said) said = situ_link_now();
    }
    if (said) return;
    m->Abort(m->world, engine.status ? engine.status : 1);
}

static void *run(void *self)
{
    (void)self;
    uint32_t seen = 0;
    int64_t nap = IDLE_FIRST, since = situ_now();
    for (;;) {
        uint32_t now = atomic_load(&engine.asked);
        if (now == seen) {
            situ_link *l = engine.link;
            if (situ_now() - since < SITU_SPIN_NANOSECONDS) {
                situ_pause();
                continue;
            }
            situ_wait_word_for(&engine.asked, now, nap);
            int ended = 0;
            if (atomic_load(&engine.asked) != now) continue;
            /* If the lock is taken, a call is under way. */
            if (l && engine.polls && (!l->code || l->ends) && situ_mutex_try(&lock)) {
                if (!engine.mpi.Finalized(&ended) && !ended) situ_link_pump(l, true);
                situ_mutex_unlock(&lock);
            }
            nap = nap < IDLE_MOST / 2 ? 2 * nap : IDLE_MOST;
            continue;
        }
        seen = now;
        switch (engine.job) {
        case JOB_BEGIN: engine.begun = begin(); break;
        case JOB_CALL: situ_link_call(engine.link, engine.exchange); break;
        case JOB_FAIL:
            situ_link_break(engine.link, SITU_RANK_LOST, "%s", engine.failed);
            situ_link_end(engine.link, false);
            break;
        case JOB_AGREE: situ_link_agree(engine.link, true); break;
        case JOB_SHRINK: situ_link_shrink(engine.link, engine.lost, engine.lost_size); break;
        case JOB_END: end(); break;
        }
        job done = engine.job;
        since = situ_now();
        nap = IDLE_FIRST;
        atomic_store(&engine.answered, now);
        situ_wake_word(&engine.answered, 1);
        if (done == JOB_END) return NULL;
    }
}

/* ---- in the calling thread ------------------------------------------------------------------------------------------------- */

static void post(job what)
{
    engine.job = what;
    atomic_fetch_add(&engine.asked, 1);
    situ_wake_word(&engine.asked, 1);
}

static bool answered(int64_t nanoseconds)
{
    uint32_t want = atomic_load(&engine.asked), now = atomic_load(&engine.answered);
    if (now != want) situ_wait_word_for(&engine.answered, now, nanoseconds);
    return atomic_load(&engine.answered) == want;
}

static bool spin(void)
{
    int64_t until = situ_now() + SITU_SPIN_NANOSECONDS;
    while (atomic_load(&engine.answered) != atomic_load(&engine.asked)) {
        if (situ_now() > until) return false;
        situ_pause();
    }
    return true;
}

static void wait_for_calls(void)
{
    while (engine.due && !engine.stuck) situ_sleep(200000);
}

/* Within a second: the thread may be receiving heartbeats right now. */
static bool lock_soon(void)
{
    int64_t until = situ_now() + SECOND;
    while (!situ_mutex_try(&lock)) {
        if (situ_now() > until) return false;
        situ_sleep(100000);
    }
    return true;
}

/* Runs at the end of the process, with its exit status. */
static void at_exit(int status)
{
    if (situ_process_id() != engine.pid) return; /* a forked child */
    wait_for_calls();
    bool busy = engine.stuck || !lock_soon();
    fflush(NULL);
    if (!busy) {
        engine.status = status;
        post(JOB_END);
        while (!answered(SECOND / 100)) {
            int64_t now = situ_link_now(), finalizing = engine.finalizing, aborting = engine.aborting;
            int64_t beat = engine.link ? engine.link->beat : 0;
            bool late = finalizing ? now - finalizing > (int64_t)FINALIZE_SECONDS * SECOND :
                aborting           ? now - aborting > LAST_WORDS + SECOND :
                                     now - beat > engine.deadline + SECOND;
            if (late) situ_process_end(status || finalizing ? status : 1); /* when MPI_Finalize starts, all ranks have ended well */
        }
        if (engine.aborting) situ_process_end(status ? status : 1); /* in some MPIs MPI_Abort returns */
        return;
    }
    situ_process_end(status ? status : 1); /* the MPI thread is still inside MPI; a normal exit would wait for it */
}

/* Raises the error of MPI_Init, each time it is asked, or returns 0. */
static int fail_begun(situ_site site)
{
    int code = engine.stuck ? SITU_RANK_LOST : engine.begun;
    return code ? situ_fail(code, site, "situ_group_open: %s", engine.reason) : 0;
}

static int begin_thread(double deadline, situ_site site)
{
    char reason[900];
    engine.launcher = situ_launcher_of();
    if (engine.launcher.size == 1 && !engine.given) return 0;
    int rc = situ_mpi_open(&engine.mpi, &engine.launcher, reason, sizeof reason);
    if (rc) return situ_fail(-rc, site, "situ_group_open: %s", reason);
    if (engine.mpi.family == SITU_MPI_NONE && engine.given)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_group_open: a communicator is given, but MPI is not in use");
    if (engine.mpi.family == SITU_MPI_NONE && engine.launcher.size > 1 && !situ_env("SITU_MPI"))
        return situ_fail(SITU_NO_LIBRARY, site,
            "situ_group_open: this is one of %d processes of the %s, which gave them neither PMI nor PMIx to find each other by; "
            "write mpirun in the job, or srun --mpi=pmix (srun --mpi=list says what there is); SITU_MPI=none: each is by itself",
            engine.launcher.size, engine.launcher.name);
    if (engine.mpi.family == SITU_MPI_NONE) return 0;
    engine.deadline = (int64_t)(deadline * SECOND);
    if (situ_thread_start(&engine.thread, run, NULL, "situ-mpi"))
        return situ_fail(SITU_NO_THREAD, site, "situ_group_open: the thread of MPI could not be started");
    situ_thread_detach(engine.thread);
    engine.pid = situ_process_id();
    post(JOB_BEGIN);
    int64_t until = situ_link_now() + engine.deadline;
    while (!answered(SECOND / 10))
        if (situ_link_now() > until) {
            engine.stuck = true;
            break;
        }
    if (engine.stuck)
        situ_plain_format(engine.reason, sizeof engine.reason,
            "MPI_Init (%s) has not ended within %g s; do all ranks use the same MPI, and were all started?", engine.mpi.version,
            deadline);
    situ_process_at_exit(at_exit); /* registered after MPI was opened, so that it runs before MPI's own exit handlers */
    return fail_begun(site);
}

/* ---- comparing the ranks --------------------------------------------------------------------------------------------------- */

typedef struct hello {
    char mpi[96];
    situ_hash program, library;
    situ_process process;
    int nccl; /* version of NCCL; 0: none, with the reason in the text */
    char without[200];
} hello;

/* Hash of a file's contents: its name may differ between machines. */
static situ_hash hash_file(const char *path)
{
    situ_hash h = situ_hash_start(0);
    void *bytes;
    size_t size;
    if (!situ_map_file(path, &bytes, &size)) {
        situ_hash_bytes(&h, bytes, size);
        situ_unmap(bytes, size);
    }
    return situ_hash_end(&h);
}

static hello introduce(void)
{
    char path[SITU_FILE_PATH];
    hello h = {.process = situ_watch_own()};
    if (situ_process_program(situ_process_id(), path, sizeof path)) h.program = hash_file(path);
    h.library = h.program;
    if (situ_library_path((const void *)(uintptr_t)&situ_link_open, path, sizeof path)) h.library = hash_file(path);
    const char *why = "this library is built without CUDA";
    snprintf(h.mpi, sizeof h.mpi, "%s", engine.mpi.version);
    h.nccl = situ_card_calls_here() ? situ_card_calls_here()->version(&why) : 0;
    snprintf(h.without, sizeof h.without, "%s", why);
    return h;
}

/* The property in which rank i differs from this rank, as text; NULL: none. */
static const char *other(const hello *a, const hello *b)
{
    if (strncmp(a->mpi, b->mpi, sizeof a->mpi)) return "MPI";
    if (!situ_hash_equal(a->library, b->library)) return "build of situ";
    return situ_hash_equal(a->program, b->program) ? NULL : "program";
}

/* Decides whether NCCL connects the cards: only if all ranks have the same version. */
static void take_cards(situ_link *l, const hello *all)
{
    int there = -1, other = -1;
    const char *none;
    for (int i = 0; i < l->size; i++)
        if (all[i].nccl && there < 0) there = i;
    for (int i = 0; i < l->size && there >= 0 && other < 0; i++)
        if (all[i].nccl != all[there].nccl) other = i;
    l->cards = there >= 0 && other < 0;
    if (l->cards) snprintf(l->engine, sizeof l->engine, "%.90s, cards by %s", l->mpi->version, situ_card_calls_here()->name(&none));
    if (other < 0) return;
    char text[240];
    int v = all[other].nccl;
    if (v) snprintf(text, sizeof text, "%d.%d.%d", v / 10000, v / 100 % 100, v % 100);
    else snprintf(text, sizeof text, "none (%s)", all[other].without);
    v = all[there].nccl;
    snprintf(l->unlike, sizeof l->unlike,
        "rank %d has NCCL %d.%d.%d, but rank %d %s; all ranks have the same, or SITU_NCCL=none: cards exchange by the host's "
        "memory",
        there, v / 10000, v / 100 % 100, v % 100, other, text);
}

static int greet(situ_link *l, situ_site site)
{
    hello own = introduce(), *all = situ_calloc((size_t)l->size, sizeof *all);
    situ_stream *stream = situ_calloc(2 * (size_t)l->size, sizeof *stream);
    situ_move *move = situ_calloc((size_t)l->size, sizeof *move), mine = {&own, sizeof own};
    situ_exchange e = {.head = {.call = SITU_CALL_HELLO}, .partner = SITU_EVERYBODY, .stream = stream};
    char why[sizeof l->why];
    int rc = all && move && stream ? 0 : situ_fail(SITU_NO_MEMORY, site, "situ_group_open: out of host memory");
    for (int i = 0; i < l->size && !rc; i++) {
        if (i == l->rank) continue;
        move[i] = (situ_move){&all[i], sizeof own};
        stream[e.streams++] = (situ_stream){.peer = i, .out = true, .move = &mine, .moves = 1, .allowed = 1, .bytes = sizeof own};
        stream[e.streams++] = (situ_stream){.peer = i, .move = &move[i], .moves = 1, .allowed = 1, .bytes = sizeof own};
    }
    int code = rc ? 0 : situ_link_exchange(l, &e, site, why, sizeof why);
    if (code) rc = situ_fail(code, site, "situ_group_open: %s", why);
    for (int i = 0; i < l->size && !rc; i++) {
        const char *what = i == l->rank ? NULL : other(&own, &all[i]);
        if (!what) continue;
        situ_mutex_lock(&lock);
        situ_link_break(l, SITU_MISMATCH, "rank %d runs another %s than rank %d (%s, %s); all ranks run the same", i, what, l->rank,
            all[i].mpi, own.mpi);
        situ_mutex_unlock(&lock);
        rc = situ_fail(SITU_MISMATCH, site, "situ_group_open: %s", l->why);
    }
    l->greeted = !rc;
    if (!rc) {
        all[l->rank] = own;
        take_cards(l, all);
        for (int i = 0; i < l->size && !l->survives; i++) /* with ULFM MPI itself reports a death */
            if (i != l->rank) l->peer[i].watch = situ_watch_open(&own.process, &all[i].process);
    }
    if (engine.stuck) return rc; /* the MPI thread may still use them */
    situ_free(move);
    situ_free(stream);
    situ_free(all);
    return rc;
}

/* Waits until all ranks (or all survivors) have joined, and compares them. */
static int meet(situ_link *l, situ_site site)
{
    char lost[sizeof l->why];
    int rc = greet(l, site);
    while ((rc || !situ_link_settled(l)) && situ_link_survive(l, lost, sizeof lost)) {
        situ_error_take(NULL);
        rc = greet(l, site);
    }
    if (rc && l->shrunk && l->code) {
        situ_error_take(NULL);
        rc = situ_fail(l->code, site, "situ_group_open: %s", l->why);
    }
    return rc;
}

/* Reads the program's MPI_Comm through its pointer. In MPICH it is an int, so only that many bytes may be read. */
static situ_mpi_handle take_communicator(const void *pointer)
{
    situ_mpi probe;
    char reason[200];
    const situ_launcher any = {.name = "none"};
    if (situ_mpi_open(&probe, &any, reason, sizeof reason) || probe.family != SITU_MPI_MPICH) return *(void *const *)pointer;
    return (situ_mpi_handle)(uintptr_t) * (const unsigned *)pointer;
}

bool situ_link_child(situ_site site)
{
    if (situ_forked) situ_fail_forked(site);
    else if (engine.pid && engine.pid != situ_process_id())
        situ_fail(SITU_FORKED, site,
            "situ_group: this process was forked from a rank; the group is that rank's, and MPI does not survive a fork: leave the "
            "collectives to the parent, or start the child anew (exec, multiprocessing's spawn) before it computes");
    return situ_error_code != 0;
}

int situ_link_open(situ_link **out, const void *communicator, double deadline, situ_site site)
{
    if (situ_pretend_ranks()) {
        engine.polls = true; /* cards exchange beside their work */
        return situ_pretend_open(out, site);
    }
    *out = NULL;
    situ_runtime_use();
    if (situ_link_child(site)) return -situ_error_code;
    situ_mutex_lock(&lock);
    bool first = !engine.pid;
    if (first) engine.given = communicator ? take_communicator(communicator) : NULL;
    int rc = first ? begin_thread(deadline, site) : fail_begun(site);
    situ_link *l = rc ? NULL : engine.link;
    situ_mutex_unlock(&lock);
    if (l && !first) situ_link_deadline(l, deadline);
    if (l) {
        situ_mutex_lock(&greet_lock);
        if (!l->greeted) rc = meet(l, site); /* also if the first attempt ran out of memory */
        situ_mutex_unlock(&greet_lock);
    }
    *out = rc ? NULL : l;
    return rc;
}

static void wait_for_call(const situ_link *l)
{
    for (bool there = spin(); !there && !engine.stuck; there = answered(SECOND / 10))
        if (situ_link_now() - l->beat > l->deadline + (int64_t)5 * SECOND) engine.stuck = true;
}

void situ_link_fail(situ_link *l, const char *why)
{
    if (!l || situ_forked || engine.pid != situ_process_id()) return;
    situ_mutex_lock(&lock);
    if (!l->code && !engine.stuck) {
        l->beat = situ_link_now();
        engine.failed = why;
        post(JOB_FAIL);
        wait_for_call(l);
    }
    situ_mutex_unlock(&lock);
}

bool situ_link_survives(const situ_link *l) { return l && l->survives; }

/* Gives the MPI thread a job, with a deadline, since the other ranks may never do their part. */
static bool ask(situ_link *l, job what)
{
    situ_mutex_lock(&lock);
    if (!engine.stuck) {
        l->beat = situ_link_now();
        post(what);
        wait_for_call(l);
    }
    situ_mutex_unlock(&lock);
    return !engine.stuck && !l->code;
}

bool situ_link_survive(situ_link *l, char *lost, size_t size)
{
    if (!l || !l->died || situ_forked) return false;
    wait_for_calls();
    engine.lost = lost;
    engine.lost_size = size;
    return ask(l, JOB_SHRINK) || (situ_link_broken(l, lost, size), false);
}

bool situ_link_settled(situ_link *l)
{
    if (!l || !l->survives) return true;
    wait_for_calls();
    return !l->code && ask(l, JOB_AGREE);
}

int situ_link_broken(situ_link *l, char *why, size_t size)
{
    int code = engine.stuck ? SITU_RANK_LOST : l->code;
    if (code) snprintf(why, size, "%s", engine.stuck ? "MPI itself does not answer" : l->why);
    return code;
}

int situ_link_exchange(situ_link *l, situ_exchange *e, situ_site site, char *why, size_t size)
{
    const char *line = site ? site : "";
    size_t length = strlen(line), most = sizeof e->head.line - 1;
    snprintf(e->head.line, sizeof e->head.line, "%s", length > most ? line + length - most : line);
    situ_mutex_lock(&lock);
    if (!l->code && (l->instead || engine.direct)) { /* runs in this thread, so that no other one has to be woken */
        if (l->instead) l->instead(l, e);
        else situ_link_call(l, e);
    } else if (!l->code && !engine.stuck) {
        l->beat = situ_link_now();
        engine.exchange = e;
        post(JOB_CALL);
        wait_for_call(l);
    }
    situ_mutex_unlock(&lock);
    return situ_link_broken(l, why, size);
}
