/* Which card and which host are simulated: the profiles of cards.def, or of a file. */
#include "backend/sim/card.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/sim/sim.h"
#include "base/error.h"
#include "device/virtual.h"
#include "os/env.h"
#include "os/file.h"
#include "os/plain.h"
#include "run/launch.h"

enum {
#define CARD(name, title) CARD_##name,
#include "backend/sim/cards.def"
    CARDS
};
static const situ_card cards[CARDS] = {
#define CARD(card, text) [CARD_##card].name = #card, [CARD_##card].title = text,
#define CONSTANT(card, field, value, unit, how, source) [CARD_##card].field = value,
#include "backend/sim/cards.def"
};

static const struct {
    const char *name;
    size_t offset;
    bool may_be_zero;
} fields[] = {
#define FIELD(name) {#name, offsetof(situ_card, name), !strncmp(#name, "peer_", 5)},
    SITU_CARD_FIELDS(FIELD)
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields };

SITU_LOCK(lock); /* protects what follows */
static situ_card present;
static char file_name[256]; /* of the profile, if it is a file */
static _Atomic bool begun;

const situ_card *situ_card_nth(int i) { return i >= 0 && i < CARDS ? &cards[i] : NULL; }

void situ_card_now(situ_card *out)
{
    situ_mutex_lock(&lock);
    *out = present.name ? present : cards[CARD_workstation];
    situ_mutex_unlock(&lock);
}

double situ_card_cpu_seconds(const situ_card *c, double flops, double bytes)
{
    double one = flops / c->core_flops, all = c->spread + flops / c->host_flops;
    return c->host_kernel + fmax(fmin(one, all), bytes / c->host_memory_bandwidth);
}

static double *field_of(situ_card *c, int i) { return (double *)(void *)((char *)c + fields[i].offset); }

/* A line of a profile's file: a field and its value, or `base` and a card that gives the fields that are not there. */
static int read_line(situ_card *c, char *line, const char *path, int number)
{
    char name[32] = "", value[64] = "", *end;
    if (sscanf(line, " %31s %63s", name, value) < 1 || *name == '#') return 0;
    for (int i = 0; !strcmp(name, "base") && i < CARDS; i++)
        if (!strcmp(value, cards[i].name)) return *c = cards[i], 0;
    for (int i = 0; i < FIELDS; i++) {
        if (strcmp(name, fields[i].name)) continue;
        double x = situ_plain_number(value, &end);
        if (end == value || *end || !isfinite(x) || !(x > 0 || (x == 0 && fields[i].may_be_zero))) break;
        return *field_of(c, i) = x, 0;
    }
    return situ_fail(SITU_BAD_FORMAT, NULL,
        "%s:%d: \"%s %s\" is no line of a profile: base h100, or a name of a constant (docs/gpu.md) and its positive value", path,
        number, name, value);
}

static int read_file(situ_card *c, const char *path)
{
    char line[256];
    FILE *file = situ_file_open(path);
    if (!file)
        return situ_fail(errno == ENOENT ? SITU_BAD_ARGUMENT : SITU_IO, NULL,
            "there is no profile \"%s\": it is laptop, workstation, a100, h100, h200, or a file of constants (%s)", path,
            situ_plain_reason(errno));
    int code = 0;
    *c = cards[CARD_workstation];
    for (int n = 1; !code && fgets(line, sizeof line, file); n++) code = read_line(c, line, path, n);
    fclose(file);
    c->title = "a profile of its own";
    return code;
}

static void use(const situ_card *c, const char *path)
{
    situ_mutex_lock(&lock);
    present = *c;
    if (path) {
        snprintf(file_name, sizeof file_name, "%s", path);
        present.name = file_name;
    }
    situ_mutex_unlock(&lock);
    atomic_store_explicit(&situ_host_cost.call, c->call, memory_order_relaxed);
    atomic_store_explicit(&situ_host_cost.byte, 1 / c->copy_bandwidth, memory_order_relaxed);
}

static int take(const char *name)
{
    situ_card c;
    int i = 0;
    while (i < CARDS && strcmp(name, cards[i].name)) i++;
    if (i == CARDS && read_file(&c, name)) return -situ_error_code;
    use(i < CARDS ? &cards[i] : &c, i < CARDS ? NULL : name);
    return 0;
}

/* Without a profile the card is the workstation's, and the host costs nothing. */
static void take_default(void)
{
    situ_card c = cards[CARD_workstation];
    c.name = "none";
    c.start = c.call = c.host_kernel = c.spread = 0;
    c.copy_bandwidth = c.core_flops = c.host_flops = c.host_memory_bandwidth = INFINITY;
    use(&c, NULL);
}

static int wished(const char *name, const char *host)
{
    if (host && *host && strcmp(host, "profile") && strcmp(host, "measured"))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "SITU_SIM_HOST=%.20s: write profile or measured", host);
    if (name && *name) return take(name);
    take_default();
    return 0;
}

static bool is_chosen(void)
{
    situ_mutex_lock(&lock);
    bool chosen = present.name != NULL;
    situ_mutex_unlock(&lock);
    return chosen;
}

/* How long a virtual second is, as SITU_SIM_REALTIME says; 0: no number. */
static double stretch_of(const char *text)
{
    char *end;
    double k = situ_plain_number(text, &end);
    return end > text && !*end && isfinite(k) && k > 0 ? k : 0;
}

int situ_sim_begin(void)
{
    if (atomic_load(&begun)) return 0;
    const char *host = situ_env("SITU_SIM_HOST");
    if (!is_chosen() && wished(situ_env("SITU_SIM_PROFILE"), host)) return -situ_error_code;
    situ_host_cost.measured = host && !strcmp(host, "measured");
    const char *real = situ_env("SITU_SIM_REALTIME");
    situ_host_cost.adapts = real && !strcmp(real, "auto");
    situ_host_cost.stretch = real ? (situ_host_cost.adapts ? 1 : stretch_of(real)) : 0;
    situ_timeline = situ_sim_timeline;
    atomic_store(&begun, true);
    atomic_store(&situ_host_cost.on, true);
    return 0;
}

void situ_sim_begin_quietly(void)
{
    if (atomic_load_explicit(&begun, memory_order_relaxed) || situ_error_code) return;
    if (situ_sim_begin()) situ_error_take(NULL);
}

int situ_sim_profile(const char *name)
{
    SITU_SPEAK_AT("situ_sim_profile");
    if (!name || !*name)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_sim_profile: write its name, as in " SITU_SAY("situ_sim_profile(\"h100\")", "situ.sim_profile(\"h100\")"));
    if (take(name) || situ_sim_begin()) return -situ_error_code;
    situ_card c;
    situ_card_now(&c);
    situ_sim_dress(&c);
    return 0;
}

const char *situ_sim_profile_name(void)
{
    situ_mutex_lock(&lock);
    const char *name = present.name ? present.name : "none";
    situ_mutex_unlock(&lock);
    return name;
}

/* ---- the host by itself ------------------------------------------------------------------------------------------------ */

int situ_sim_host_configure(const situ_sim_host_options *options)
{
    SITU_SPEAK_AT("situ_sim_host_configure");
    if (!options || !options->size)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_sim_host_configure: %s; write " SITU_SAY("situ_sim_host_configure(SITU_SIM_HOST(.call = ...))", "its options"),
            options ? "its size is 0" : "options is NULL");
    situ_sim_host_options o = {.size = sizeof o};
    memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    if (situ_sim_begin()) return -situ_error_code;
    situ_card c;
    situ_card_now(&c);
    /* A time is -1 for none; so is a rate, which is then endless. */
    const struct {
        double value, *of;
        bool rate;
    } each[] = {{o.call, &c.call, false}, {o.start, &c.start, false}, {o.copy_bandwidth, &c.copy_bandwidth, true},
        {o.kernel, &c.host_kernel, false}, {o.core_flops, &c.core_flops, true}, {o.flops, &c.host_flops, true},
        {o.spread, &c.spread, false}, {o.memory_bandwidth, &c.host_memory_bandwidth, true}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        if (!isfinite(each[i].value) || (each[i].value < 0 && each[i].value != -1))
            return situ_fail(SITU_BAD_OPTION, NULL,
                "situ_sim_host_configure: %g; times and rates are positive numbers, 0 to leave them, or -1 for nothing",
                each[i].value);
        if (each[i].value == -1) *each[i].of = each[i].rate ? INFINITY : 0;
        else if (each[i].value > 0) *each[i].of = each[i].value;
    }
    use(&c, NULL);
    return 0;
}
