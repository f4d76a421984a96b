/* Handling a failed launch: the message, and marking everything that depends on it. */
#include <stdio.h>
#include <string.h>

#include "graph/op.h"
#include "run/launch.h"

/* " at [2, 5]" for an index, " in row 2" for a label: its position among the indices. */
static void place_of(const struct situ_dims *d, int64_t place, bool label, char *text, size_t size)
{
    int ndim = d ? d->ndim - label : 0;
    int64_t at[8], rest = place - 1;
    text[0] = 0;
    if (place <= 0 || ndim <= 0) return;
    for (int i = ndim - 1; i >= 0; i--) {
        int64_t n = d->dim[i] ? d->dim[i] : 1;
        at[i] = rest % n;
        rest /= n;
    }
    if (label && ndim == 1) {
        snprintf(text, size, " in row %lld", (long long)at[0]);
        return;
    }
    int used = snprintf(text, size, label ? " at [" : ", at [");
    for (int i = 0; i < ndim; i++) used += snprintf(text + used, size - (size_t)used, "%s%lld", i ? ", " : "", (long long)at[i]);
    snprintf(text + used, size - (size_t)used, label ? "]" : "] of the indices");
}

/* An operation's name in the user's language. */
static const char *known_as(const char *name)
{
    /* Python's names of operators. */
    static const char *const standard[][2] = {{"sub", "subtract"}, {"mul", "multiply"}, {"div", "divide"}};
    if (!situ_speaks_python) return name;
    for (int k = 0; k < 3; k++)
        if (!strcmp(name, standard[k][0])) return standard[k][1];
    return strncmp(name, "situ_", 5) ? name : name + 5;
}

const char *situ_launch_speaker(const situ_launch *l, uint32_t step, const char **part)
{
    const char *own = step < l->plan->nstep ? known_as(l->plan->step[step].name) : "a step";
    const char *name = l->site && step < l->plan->nstep && l->speaker[step] ? known_as(l->speaker[step]) : own;
    *part = strcmp(name, own) ? own : NULL;
    return name;
}

static void message_of(const situ_launch *l, char *text, size_t size)
{
    const situ_plan *p = l->plan;
    uint32_t i = l->fault.step ? (uint32_t)l->fault.step - 1 : 0;
    situ_site site = l->site && i < p->nstep ? l->site[i] : NULL;
    const char *part, *name = situ_launch_speaker(l, i, &part);
    char device[32], others[64] = "", place[256], value[32], sign[64] = "";
    bool label = l->fault.code == SITU_BAD_INDEX && i < p->nstep && p->step[i].labels;
    bool large = i < p->nstep && p->step[i].large; /* unsigned of 64 bits: a negative number before a cast is a very large one */
    snprintf(value, sizeof value, large ? "%llu" : "%lld", (long long)l->fault.value);
    if (large && l->fault.value < 0) snprintf(sign, sizeof sign, " (%lld as a signed number)", (long long)l->fault.value);
    place_of(i < p->nstep ? p->step[i].indices : NULL, l->fault.place, label, place, sizeof place);
    if (l->among) snprintf(others, sizeof others, " (or one of the %d steps after it)", l->among);
    situ_device_name(p->dev[i < p->nstep ? p->step[i].device : 0]->device, device);
    /* if the device is lost during the updates, some of them may have been made */
    const char *end =
        l->updated ? "variables of this device were being written, they have no value any more" : "no variable was changed";
    int used = site ? snprintf(text, size, "%s: ", site) : 0;
    if (label)
        snprintf(text + used, size - (size_t)used,
            "%s: label %s%s, the network gives %lld scores (found on %s while computing); %s", name, value, place,
            (long long)l->fault.bound, device, end);
    else if (l->fault.code == SITU_BAD_INDEX)
        snprintf(text + used, size - (size_t)used,
            "%s: index %s is out of range for an axis of size %lld%s%s (found on %s while computing); %s", name, value,
            (long long)l->fault.bound, sign, place, device, end);
    else if (l->fault.code == SITU_NAN)
        snprintf(text + used, size - (size_t)used,
            "%s: %s%s%smade the first NaN, element %lld of its result on %s (found while computing, by a guard); %s", name,
            part ? "its " : "", part ? part : "", part ? " " : "", (long long)l->fault.value, device, end);
    else
        snprintf(text + used, size - (size_t)used, "%s%s: %s on %s while computing%s%s; %s", name, others,
            situ_code_name(l->fault.code), device, l->why ? ": " : "", l->why ? l->why : "", end);
}

static void spoil(situ_buffer *b, situ_failure *f)
{
    if (b) atomic_store(&b->failed, f);
}

static situ_failure *failure_of(const situ_launch *l)
{
    char text[1024];
    for (uint32_t i = 0; i < l->leaves; i++) { /* results of a failed operand fail with the operand's message */
        situ_failure *known = l->leaf[i].written ? NULL : atomic_load(&l->leaf[i].buffer->failed);
        if (known) return known;
    }
    message_of(l, text, sizeof text);
    return situ_failure_make(l->fault.code, text);
}

/* A variable that got new memory gets its old value copied there, because later launches use the new memory already. */
static void give_back(const situ_launch *l, situ_failure *f, situ_failure *missed)
{
    for (uint32_t i = 0; i < l->nfresh; i++) {
        situ_buffer *to = l->fresh[i].after, *from = l->fresh[i].before;
        int rc = to->dev->backend->copy(to->dev, to->address, from->dev, from->address, (size_t)l->fresh[i].bytes);
        if (!rc && to->dev->backend->finish) rc = to->dev->backend->finish(to->dev, NULL, NULL);
        spoil(to, rc ? f : atomic_load(&from->failed));
        atomic_store(&to->missed, missed);
        if (!rc && to->dev->device.kind != SITU_CPU)
            situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_PEER,
                .reason = SITU_REASON_COPY,
                .from = from->dev->device,
                .to = to->dev->device,
                .bytes = l->fresh[i].bytes});
    }
}

/* True if an earlier step wrote this location; the first step that uses it writes it. */
static bool made_before(const situ_plan *p, uint32_t place, int step)
{
    for (int i = 0; i < step && i < (int)p->nstep; i++)
        for (uint32_t k = 0; k < p->step[i].naddress; k++)
            if (p->address[p->step[i].address + k].place == place) return true;
    return false;
}

void situ_launch_spread(situ_launch *l)
{
    const situ_plan *p = l->plan;
    situ_failure *f = failure_of(l), *unheard = NULL;
    if (atomic_compare_exchange_strong(&l->outbox->failure, &unheard, f))
        unheard = f; /* no earlier failure waits to be reported, so this one does */
    for (uint32_t i = 0; i < p->nplace; i++)
        if (p->place[i].kind == SITU_PLACE_OUTPUT && !made_before(p, i, l->broken - 1)) spoil(l->persistent[p->place[i].of], f);
    for (uint32_t i = 0; i < l->leaves; i++) {
        if (!l->leaf[i].written) continue;
        if (l->updated) spoil(l->leaf[i].buffer, f); /* a half-updated variable must not be readable */
        else atomic_store(&l->leaf[i].buffer->missed, unheard);
    }
    if (!l->updated) give_back(l, f, unheard);
    for (uint32_t i = 0; i < l->nfresh && l->updated; i++) spoil(l->fresh[i].after, f);
    l->failed = true;
}
