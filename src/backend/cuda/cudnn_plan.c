/* Finds an execution plan for an operation: cuDNN proposes engine configurations, best first; the first one that keeps
 * situ's promises about numbers and can be built is taken. */
#include "backend/cuda/cudnn.h"

#include <stdio.h>

#include "base/memory.h"
#include <situ/error.h>

enum { MOST_PROPOSALS = 64, MOST_NOTES = 32 };

static const situ_cudnn_api *dnn(void)
{
    const char *why;
    return situ_cudnn(&why);
}

/* Counts the reasons why proposals were not taken. */
typedef struct tally {
    int proposed, unsteady, rough, broken, large, status;
} tally;

/* ---- descriptors ----------------------------------------------------------------------------------------------------- */

void situ_cudnn_set(cudnn_descriptor d, int attribute, int type, int64_t count, const void *values, int *status)
{
    if (!*status) *status = dnn()->BackendSetAttribute(d, attribute, type, count, values);
}

cudnn_descriptor situ_cudnn_new(int kind, int *status)
{
    cudnn_descriptor d = NULL;
    if (*status || (*status = dnn()->BackendCreateDescriptor(kind, &d))) return NULL;
    return d;
}

void situ_cudnn_drop(cudnn_descriptor d)
{
    if (d) dnn()->BackendDestroyDescriptor(d);
}

static void finalize(cudnn_descriptor d, int *status)
{
    if (!*status) *status = dnn()->BackendFinalize(d);
}

void situ_cudnn_plan_drop(situ_cudnn_plan *p)
{
    situ_cudnn_drop(p->plan);
    situ_cudnn_drop(p->config);
    *p = (situ_cudnn_plan){NULL, NULL, 0};
}

/* ---- one proposal ----------------------------------------------------------------------------------------------------- */

/* Bit n: the configuration's engine has note n. */
static unsigned notes_of(cudnn_descriptor config, int *status)
{
    int note[MOST_NOTES];
    unsigned all = 0;
    int64_t count = 0;
    cudnn_descriptor engine = situ_cudnn_new(CUDNN_BACKEND_ENGINE_DESCRIPTOR, status);
    if (!*status)
        *status =
            dnn()->BackendGetAttribute(config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine);
    count = 0;
    if (!*status)
        *status = dnn()->BackendGetAttribute(
            engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, MOST_NOTES, &count, note);
    for (int64_t i = 0; !*status && i < count && i < MOST_NOTES; i++) all |= 1u << (note[i] >= 0 && note[i] < 32 ? note[i] : 31);
    situ_cudnn_drop(engine);
    return all;
}

/* Takes the configuration, or refuses it. */
static bool take(cudnn_handle handle, cudnn_descriptor config, unsigned refused, size_t most, situ_cudnn_plan *out, tally *t)
{
    const unsigned unsteady = 1u << CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
    int status = 0;
    unsigned notes = notes_of(config, &status);
    int64_t count = 0, bytes = 0;
    t->proposed++;
    if (!status && notes & refused & unsteady) return t->unsteady++, false;
    if (!status && notes & refused) return t->rough++, false;
    cudnn_descriptor plan = situ_cudnn_new(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, &status);
    situ_cudnn_set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle, &status);
    situ_cudnn_set(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config, &status);
    finalize(plan, &status);
    if (!status)
        status = dnn()->BackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &bytes);
    if (!status && bytes >= 0 && (uint64_t)bytes <= most) {
        *out = (situ_cudnn_plan){plan, config, (size_t)bytes};
        return true;
    }
    situ_cudnn_drop(plan);
    if (status) t->broken++, t->status = status;
    else t->large++;
    return false;
}

/* ---- all proposals of one kind ---------------------------------------------------------------------------------------------- */

static bool take_first(
    cudnn_handle handle, cudnn_descriptor heuristics, unsigned refused, size_t most, situ_cudnn_plan *out, tally *t, int *status)
{
    cudnn_descriptor config[MOST_PROPOSALS] = {NULL};
    int64_t count = 0, made = 0;
    bool taken = false;
    *status = dnn()->BackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, NULL);
    if (count > MOST_PROPOSALS) count = MOST_PROPOSALS;
    while (!*status && made < count)
        if ((config[made] = situ_cudnn_new(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, status))) made++;
    if (!*status && made)
        *status = dnn()->BackendGetAttribute(
            heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, made, &count, config);
    for (int64_t i = 0; i < made; i++) {
        if (!*status && !taken && i < count && take(handle, config[i], refused, most, out, t)) taken = true;
        else situ_cudnn_drop(config[i]);
    }
    return taken;
}

static bool take_of_mode(
    cudnn_handle handle, cudnn_descriptor graph, int mode, unsigned refused, size_t most, situ_cudnn_plan *out, tally *t)
{
    int status = 0;
    bool taken = false;
    cudnn_descriptor heuristics = situ_cudnn_new(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, &status);
    situ_cudnn_set(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph, &status);
    situ_cudnn_set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode, &status);
    finalize(heuristics, &status);
    if (!status) taken = take_first(handle, heuristics, refused, most, out, t, &status);
    situ_cudnn_drop(heuristics);
    if (status) t->status = status;
    return taken;
}

static const char *tell(const tally *t)
{
    char text[256], last[96] = "";
    if (t->status) snprintf(last, sizeof last, " (%.80s)", situ_cudnn_status(t->status));
    if (!t->proposed) snprintf(text, sizeof text, "cuDNN proposes no engine for it%s", last);
    else
        snprintf(text, sizeof text,
            "cuDNN proposes %d engines for it: %d do not give the same bits each time, %d do not keep the precision, %d become no "
            "plan%s, %d want too much memory",
            t->proposed, t->unsteady, t->rough, t->broken, last, t->large);
    const char *why = situ_site_intern(text);
    return why ? why : "cuDNN has no engine for it";
}

bool situ_cudnn_plan_find(
    cudnn_handle handle, cudnn_descriptor operation, unsigned refused, size_t most, situ_cudnn_plan *out, const char **why)
{
    static const int modes[] = {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK};
    tally t = {0};
    bool taken = false;
    int status = 0;
    cudnn_descriptor graph = situ_cudnn_new(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, &status);
    situ_cudnn_set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &operation, &status);
    situ_cudnn_set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle, &status);
    finalize(graph, &status);
    t.status = status;
    for (int i = 0; i < 2 && !status && !taken; i++) taken = take_of_mode(handle, graph, modes[i], refused, most, out, &t);
    situ_cudnn_drop(graph);
    if (!taken) *why = tell(&t);
    return taken;
}
