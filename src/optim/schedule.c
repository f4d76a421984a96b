/* Learning-rate schedules: a factor as a function of the step number. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/f64.h"
#include "op/support.h"
#include "optim/optimizer.h"

/* ---- factors; a[] has the arguments of the schedule ------------------------------------------------------------------------- */

static double by_step(const situ_schedule *s, double t) { return situ_f64_pow(s->a[1], floor(t / s->a[0])); }
static double exponential(const situ_schedule *s, double t) { return situ_f64_pow(s->a[0], t); }

static double multi_step(const situ_schedule *s, double t)
{
    int passed = 0;
    while (passed < s->marks && (double)s->mark[passed] <= t) passed++;
    return situ_f64_pow(s->a[0], passed);
}

static double polynomial(const situ_schedule *s, double t)
{
    return s->a[2] + (1 - s->a[2]) * situ_f64_pow(1 - fmin(t / s->a[0], 1), s->a[1]);
}

/* a[0] steps, a[1] least factor, a[2] restarts, a[3] growth of the periods */
static double cosine(const situ_schedule *s, double t)
{
    double steps = s->a[0];
    if (s->a[2] > 0 && s->a[3] > 1) { /* the periods are a geometric series */
        double round = floor(situ_f64_log1p(t / steps * (s->a[3] - 1)) / situ_f64_log(s->a[3]) + 1e-12);
        t -= steps * (situ_f64_pow(s->a[3], round) - 1) / (s->a[3] - 1);
        steps *= situ_f64_pow(s->a[3], round);
    } else if (s->a[2] > 0) {
        t = fmod(t, steps);
    }
    return s->a[1] + (1 - s->a[1]) * 0.5 * (1 + situ_f64_cos(M_PI * fmin(t / steps, 1)));
}

static double between(double from, double to, double share) { return to + (from - to) * 0.5 * (1 + situ_f64_cos(M_PI * share)); }

/* a[0] steps, a[1] rising part, a[2] start, a[3] end. As in PyTorch the peak is at step rise - 1, the end at step
 * steps - 1. */
static double one_cycle(const situ_schedule *s, double t)
{
    double peak = s->a[1] * s->a[0] - 1, last = s->a[0] - 1, first = 1 / s->a[2];
    if (t <= peak) return between(first, 1, peak > 0 ? t / peak : 1);
    return between(1, first / s->a[3], fmin(last > peak ? (t - peak) / (last - peak) : 1, 1));
}

static double plateau(const situ_schedule *s, double t)
{
    (void)t;
    return s->factor;
}

static double custom(const situ_schedule *s, double t) { return s->function((int64_t)t, s->user); }

/* Names of the schedules in files. */
static const struct {
    const char *name;
    double (*rate)(const situ_schedule *, double);
} kinds[] = {{"constant", NULL}, {"step", by_step}, {"multi_step", multi_step}, {"exponential", exponential},
    {"polynomial", polynomial}, {"cosine", cosine}, {"one_cycle", one_cycle}, {"plateau", plateau}, {"custom", custom}};

const char *situ_schedule_name(const situ_schedule *s)
{
    size_t i = 0;
    while (kinds[i].rate != s->rate) i++;
    return kinds[i].name;
}

bool situ_schedule_named(situ_schedule *s, const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) return s->rate = kinds[i].rate, true;
    return false;
}

double situ_schedule_factor(const situ_optimizer *opt, int64_t step)
{
    const situ_schedule *s = &opt->schedule;
    if (s->warmup && step < s->warmup) return s->start + (1 - s->start) * (double)step / (double)s->warmup;
    return s->rate ? s->rate(s, (double)(step - s->warmup)) : 1;
}

/* ---- setting a schedule ----------------------------------------------------------------------------------------------------- */

static int refuse(bool wrong, const char *operation, const char *what, double value, const char *range, situ_site site)
{
    return wrong ? situ_fail(SITU_BAD_OPTION, site, "%s: %s = %g; it is %s", operation, what, value, range) : 0;
}

/* Replaces the schedule; its warm-up stays. */
static int take(situ_optimizer *opt, double (*rate)(const situ_schedule *, double), const double *a, int n, const char *operation,
    situ_site site)
{
    if (situ_error_code || situ_ended(opt, operation, "optimizer", site)) return -situ_error_code;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the optimizer is NULL", operation);
    situ_schedule *s = &opt->schedule;
    situ_free(s->mark);
    *s = (situ_schedule){.rate = rate, .warmup = s->warmup, .start = s->start, .factor = 1, .now = 1};
    if (n) memcpy(s->a, a, (size_t)n * sizeof *a);
    return 0;
}
#define TAKE(rate, ...) \
    take(opt, rate, (const double[]){__VA_ARGS__}, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), name, site)
#define TOLD(text) \
    static const char name[] = text; \
    situ_site site = situ_speaking.site; \
    SITU_SPEAK_AT(name)

int situ_schedule_warmup(situ_optimizer *opt, int64_t steps, double start)
{
    TOLD("situ_schedule_warmup");
    if (refuse(steps < 0, name, "steps", (double)steps, "at least 0", site) ||
        refuse(!(start >= 0 && start <= 1), name, "start", start, "from 0 to 1", site))
        return -situ_error_code;
    if (situ_error_code || situ_ended(opt, name, "optimizer", site)) return -situ_error_code;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the optimizer is NULL", name);
    opt->schedule.warmup = steps;
    opt->schedule.start = start;
    return 0;
}

int situ_schedule_constant(situ_optimizer *opt)
{
    TOLD("situ_schedule_constant");
    return take(opt, NULL, NULL, 0, name, site);
}

int situ_schedule_step(situ_optimizer *opt, int64_t every, double gamma)
{
    TOLD("situ_schedule_step");
    if (refuse(every < 1, name, "every", (double)every, "at least 1", site) ||
        refuse(!(gamma >= 0 && gamma < INFINITY), name, "gamma", gamma, "at least 0 and finite", site))
        return -situ_error_code;
    return TAKE(by_step, (double)every, gamma);
}

int situ_schedule_multi_step(situ_optimizer *opt, const int64_t *at, int n, double gamma)
{
    TOLD("situ_schedule_multi_step");
    if (n < 0 || (n && !at)) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: there are no steps", name);
    for (int i = 1; i < n; i++)
        if (at[i] < at[i - 1])
            return situ_fail(SITU_BAD_ARGUMENT, site, "%s: step %lld comes after %lld; they are in ascending order", name,
                (long long)at[i], (long long)at[i - 1]);
    if (refuse(!(gamma >= 0 && gamma < INFINITY), name, "gamma", gamma, "at least 0 and finite", site)) return -situ_error_code;
    int64_t *mark = situ_malloc((size_t)n * sizeof *mark + 1);
    if (!mark) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", name);
    int rc = TAKE(multi_step, gamma);
    if (rc) {
        situ_free(mark);
        return rc;
    }
    if (n) memcpy(mark, at, (size_t)n * sizeof *mark);
    opt->schedule.mark = mark;
    opt->schedule.marks = n;
    return 0;
}

int situ_schedule_exponential(situ_optimizer *opt, double gamma)
{
    TOLD("situ_schedule_exponential");
    if (refuse(!(gamma >= 0 && gamma < INFINITY), name, "gamma", gamma, "at least 0 and finite", site)) return -situ_error_code;
    return TAKE(exponential, gamma);
}

int situ_schedule_polynomial(situ_optimizer *opt, int64_t steps, double power, double least)
{
    TOLD("situ_schedule_polynomial");
    if (refuse(steps < 1, name, "steps", (double)steps, "at least 1", site) ||
        refuse(!(power >= 0 && power < INFINITY), name, "power", power, "at least 0 and finite", site) ||
        refuse(!(least >= 0 && least <= 1), name, "least", least, "from 0 to 1", site))
        return -situ_error_code;
    return TAKE(polynomial, (double)steps, power, least);
}

int(situ_schedule_cosine)(situ_optimizer *opt, int64_t steps, const situ_cosine_options *options, situ_site site)
{
    static const char name[] = "situ_schedule_cosine";
    SITU_SPEAK(name, site);
    situ_cosine_options o = {SITU_DEFAULTS(SITU_COSINE_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, name, site) || refuse(steps < 1, name, "steps", (double)steps, "at least 1", site) ||
        refuse(!(o.least >= 0 && o.least <= 1), name, "least", o.least, "from 0 to 1", site) ||
        refuse(!(o.growth >= 1 && o.growth < INFINITY), name, "growth", o.growth, "at least 1 and finite", site))
        return -situ_error_code;
    return TAKE(cosine, (double)steps, o.least, o.restarts, o.growth);
}

int(situ_schedule_one_cycle)(situ_optimizer *opt, int64_t steps, const situ_one_cycle_options *options, situ_site site)
{
    static const char name[] = "situ_schedule_one_cycle";
    SITU_SPEAK(name, site);
    situ_one_cycle_options o = {SITU_DEFAULTS(SITU_ONE_CYCLE_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, name, site) || refuse(steps < 1, name, "steps", (double)steps, "at least 1", site) ||
        refuse(!(o.rise >= 0 && o.rise <= 1), name, "rise", o.rise, "from 0 to 1", site) ||
        refuse(!(o.start >= 1 && o.start < INFINITY), name, "start", o.start, "at least 1 and finite", site) ||
        refuse(!(o.end >= 1 && o.end < INFINITY), name, "end", o.end, "at least 1 and finite", site))
        return -situ_error_code;
    return TAKE(one_cycle, (double)steps, o.rise, o.start, o.end);
}

int(situ_schedule_plateau)(situ_optimizer *opt, const situ_plateau_options *options, situ_site site)
{
    static const char name[] = "situ_schedule_plateau";
    SITU_SPEAK(name, site);
    situ_plateau_options o = {SITU_DEFAULTS(SITU_PLATEAU_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, name, site) ||
        refuse(!(o.factor >= 0 && o.factor < 1), name, "factor", o.factor, "at least 0 and less than 1", site) ||
        refuse(o.patience < 0, name, "patience", (double)o.patience, "at least 0", site) ||
        refuse(!(o.threshold >= 0 && o.threshold < 1), name, "threshold", o.threshold, "at least 0 and less than 1", site) ||
        refuse(o.cooldown < 0, name, "cooldown", (double)o.cooldown, "at least 0", site) ||
        refuse(!(o.least >= 0 && o.least <= 1), name, "least", o.least, "from 0 to 1", site))
        return -situ_error_code;
    int rc = TAKE(plateau, o.factor, (double)o.patience, o.threshold, (double)o.cooldown, o.least, o.largest);
    if (!rc) opt->schedule.best = o.largest ? -INFINITY : INFINITY;
    return rc;
}

int situ_schedule_report(situ_optimizer *opt, double value)
{
    TOLD("situ_schedule_report");
    if (situ_ended(opt, name, "optimizer", site)) return -situ_error_code;
    situ_schedule *s = opt ? &opt->schedule : NULL;
    if (!s || s->rate != plateau)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "%s: the optimizer has no schedule that waits for a value; call " SITU_SAY(
                "situ_schedule_plateau", "plateau_schedule") " first",
            name);
    double share = s->a[2];
    bool better = s->a[5] > 0 ? value > s->best * (1 + share) : value < s->best * (1 - share);
    if (better) s->best = value, s->worse = 0;
    else s->worse++;
    if (s->rest > 0) s->rest--, s->worse = 0;
    if (s->worse > (int64_t)s->a[1]) {
        s->factor = fmax(s->factor * s->a[0], s->a[4]);
        s->rest = (int64_t)s->a[3];
        s->worse = 0;
    }
    return 0;
}

int situ_schedule_custom(situ_optimizer *opt, situ_schedule_function function, void *user)
{
    TOLD("situ_schedule_custom");
    if (!function) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the function is NULL", name);
    int rc = take(opt, custom, NULL, 0, name, site);
    if (!rc) opt->schedule.function = function, opt->schedule.user = user;
    return rc;
}

double situ_schedule_at(situ_optimizer *opt, int64_t t)
{
    TOLD("situ_schedule_at");
    return situ_is_usable(opt, name, "optimizer") && !refuse(t < 0, name, "t", (double)t, "at least 0", site) ?
        situ_schedule_factor(opt, t) :
        NAN;
}
