/* Every sample (cli/samples.h) of two or more operands with each of them on another device: refused at the call, with
 * a message that names the operand, both devices, and where the operands were made. With all of them on one device its
 * result is there. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "../../cli/samples.h"
#include "support/opencl_devices.h"
#include "support/sim_devices.h"
#include "values.h"

static const char *const lines[] = {"made.c:100", "made.c:101", "made.c:102", "made.c:103", "made.c:104", "made.c:105"};

/* The first sample of each function; one that takes but the shape of an operand is none. */
static bool counts(int i)
{
    const sample *s = &samples[i];
    if (sample_operands(s) < 2 || !strcmp(s->name, "full_like") || !strcmp(s->name, "conv2d_half")) return false;
    for (int k = 0; k < i; k++)
        if (!strcmp(samples[k].name, s->name) && strcmp(samples[k].header, "complex")) return false;
    return strcmp(s->header, "complex") != 0;
}

/* All operands at home, but `odd`, each made at a line of its own. */
static situ_tensor *call_with(const sample *s, int odd, situ_device home, situ_device away)
{
    situ_tensor *in[SAMPLE_OPERANDS];
    sample_tensors(s, SITU_F32, situ_cpu(), in);
    for (int k = 0; k < sample_operands(s); k++) in[k] = (situ_copy_to)(in[k], k == odd ? away : home, lines[k]);
    return s->call(in, home);
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n])) return true;
    return false;
}

static void check_message(const sample *s, int odd, situ_device home, situ_device away)
{
    char name[32], where[2][32], text[900];
    situ_error e = {0};
    situ_error_take(&e);
    snprintf(name, sizeof name, "%s", s->operand[odd].name);
    if (strchr(name, '_') && !strncmp(name, "operand_", 8)) name[7] = ' '; /* of a list */
    bool other = false;
    for (int k = 0; k < sample_operands(s); k++) other |= k != odd && strstr(e.message, lines[k]);
    bool good = e.code == SITU_BAD_DEVICE && other && strstr(e.message, lines[odd]) && has_word(e.message, name) && strstr(e.message, ".def:");
    good = good && strstr(e.message, situ_device_name(home, where[0])) && strstr(e.message, situ_device_name(away, where[1]));
    snprintf(text, sizeof text, "%.40s with %.20s on %s: %.700s", s->name, s->operand[odd].name, situ_device_name(away, where[1]), e.message);
    if (!good) CHECK_STR(text, "says what is where");
}

static void misplace(situ_device one, situ_device another)
{
    situ_device pairs[][2] = {{situ_cpu(), one}, {one, situ_cpu()}, {one, another}};
    int checked = 0;
    for (int i = 0; i < sample_count; i++)
        for (int odd = 0; counts(i) && odd < sample_operands(&samples[i]); odd++)
            for (int p = 0; p < 3; p++) IN_SCOPE {
                call_with(&samples[i], odd, pairs[p][0], pairs[p][1]);
                check_message(&samples[i], odd, pairs[p][0], pairs[p][1]);
                checked++;
            }
    CHECK(checked > 3 * 2 * 60);
}

/* How many have no kernel there. */
static int place_well(situ_device d)
{
    int refused = 0;
    for (int i = 0; i < sample_count; i++) {
        if (!counts(i)) continue;
        IN_SCOPE {
            situ_tensor *y = call_with(&samples[i], -1, d, d);
            CHECK_EQ(situ_device_of(y).kind, d.kind);
            situ_eval(TENSORS(y));
            situ_error e;
            if (!situ_error_take(&e)) continue;
            refused++;
            if (!testing_pjrt() || !strstr(e.message, "has no text of StableHLO")) CHECK_STR(e.message, samples[i].name);
        }
    }
    return refused;
}

TEST(misplaced_operands) { misplace(sim_device(0), sim_device(1)); }
TEST(well_placed_operands) { CHECK_EQ(place_well(situ_cpu()) + place_well(sim_device(0)), 0); }

TEST(operands_of_tested_devices)
{
    need_tested(2);
    misplace(tested_device(0), tested_device(1));
    CHECK(place_well(tested_device(0)) <= (testing_pjrt() ? 1 : 0));
}
