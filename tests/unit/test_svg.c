#include "device/counted.h"
#include "file/gzip.h"
#include "test.h"
#include "train/svg.h"

#include <math.h>
#include <situ/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *drawn(const char *title, const char *x_label, int nseries, const situ_series *series)
{
    const char *path = test_path("curves.svg");
    void *text = NULL;
    size_t size;
    CHECK_EQ(situ_svg_curves(path, title, x_label, nseries, series), 0);
    CHECK_EQ(situ_read_file(path, &text, &size), 0);
    return text;
}

static int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

TEST(curves_axes_and_legend)
{
    const double x[] = {0, 1, 2, 3, 4}, loss[] = {2.3, 1, 0.5, 0.25, 0.2}, accuracy[] = {0.1, 0.6, 0.8, 0.9, 0.95};
    const situ_series series[] = {{"train loss", x, loss, 5}, {"accuracy", x, accuracy, 5}};
    char *text = drawn("Digits", "epoch", 2, series);
    if (!CHECK(text)) return;
    CHECK(!strncmp(text, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39));
    CHECK_EQ(occurrences(text, "</svg>"), 1);
    CHECK_EQ(occurrences(text, ">Digits<"), 2); /* for the eye and for screen readers */
    CHECK_EQ(occurrences(text, ">epoch<"), 1);
    CHECK_EQ(occurrences(text, ">train loss<"), 1);
    CHECK(strstr(text, ">2.5<"));
    CHECK(strstr(text, "prefers-color-scheme:dark"));
    CHECK(!strstr(text, "<script") && !strstr(text, "nan") && !strstr(text, "inf"));
    situ_counted_free(text);
}

TEST(names_cannot_break_the_file)
{
    const double x[] = {1}, y[] = {2};
    const situ_series series[] = {{"<b> & \"q\"\n", x, y, 1}, {NULL, x, y, 1}};
    char *text = drawn("</title><script>", NULL, 2, series);
    if (!CHECK(text)) return;
    CHECK(!strstr(text, "<script"));
    CHECK(strstr(text, "&lt;b&gt; &amp; &quot;q&quot; <"));
    situ_counted_free(text);
}

TEST(gaps_and_strange_values)
{
    const double x[] = {0, 1, 2, 3, 4, NAN, 6}, y[] = {1, 2, NAN, INFINITY, 3, 4, 1e308};
    const situ_series gap = {"gap", x, y, 7}, none = {"none", NULL, NULL, 0};
    char *text = drawn("", "", 1, &gap);
    if (!CHECK(text)) return;
    char *curve = strstr(text, "curve s0\" d=\"M64.00 ");
    if (CHECK(curve)) {
        curve += strlen("curve s0\" d=\"");
        *strchr(curve, '"') = 0;
        CHECK_EQ(occurrences(curve, "M"), 2);
        CHECK_EQ(occurrences(curve, "L"), 1);
    }
    situ_counted_free(text);
    text = drawn("", "", 1, &none);
    CHECK(text && strstr(text, ">1.0<"));
    situ_counted_free(text);
    text = drawn("", "", 0, NULL);
    CHECK(text && strstr(text, "</svg>"));
    situ_counted_free(text);
}

TEST(long_series_keep_their_extremes)
{
    enum { COUNT = 100000 };
    double *x = malloc(COUNT * sizeof *x), *y = calloc(COUNT, sizeof *y);
    for (int i = 0; i < COUNT; i++) x[i] = i;
    y[54321] = 1;
    y[77777] = -1;
    const situ_series series = {"spikes", x, y, COUNT};
    char *text = drawn("", "", 1, &series);
    if (CHECK(text)) {
        CHECK(strlen(text) < 60000);
        CHECK_EQ(occurrences(text, " 70.00L") + occurrences(text, " 70.00\n"), 1);   /* the top of the plot */
        CHECK_EQ(occurrences(text, " 390.00L") + occurrences(text, " 390.00\n"), 1); /* and its bottom */
    }
    situ_counted_free(text);
    free(x);
    free(y);
}

TEST(bad_arguments_and_places)
{
    const double x[] = {1};
    const situ_series no_values = {"n", x, NULL, 1};
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_svg_curves(NULL, "", "", 0, NULL));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_svg_curves("x.svg", "", "", 1, NULL));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_svg_curves("x.svg", "", "", 1, &no_values));
    CHECK_FAILS(SITU_IO, situ_svg_curves("/nowhere/at/all.svg", "", "", 0, NULL), "/nowhere/at/all.svg");
    CHECK_FAILS(SITU_IO, situ_svg_curves("/dev/full", "", "", 0, NULL));
}

static void check_axis(double low, double high, bool widen, double first, double step, int ticks, const char *last)
{
    situ_chart_axis axis = situ_axis_fit(low, high, 5, widen);
    char label[32] = "";
    CHECK_NEAR(axis.first, first, 1e-12 * fabs(first));
    CHECK_NEAR(axis.step, step, 1e-12 * step);
    CHECK_EQ(axis.ticks, ticks);
    situ_axis_tick(&axis, axis.ticks - 1, label, sizeof label);
    CHECK_STR(label, last);
}

TEST(axes_have_round_ticks)
{
    check_axis(0, 10, false, 0, 2, 6, "10");
    check_axis(0, 1, true, 0, 0.2, 6, "1.0");
    check_axis(0.03, 0.97, true, 0, 0.2, 6, "1.0");
    check_axis(-3, 7, true, -4, 2, 7, "8");
    check_axis(0.1, 0.3, false, 0.1, 0.05, 5, "0.30");
    check_axis(0, 1e9, true, 0, 2e8, 6, "1e+09");
    check_axis(5, 5, true, 4.4, 0.2, 7, "5.6");
    check_axis(0, 0, true, -0.6, 0.2, 7, "0.6");
    check_axis(-1e300, 1e300, true, -1e300, 5e299, 5, "1e+300");
}

TEST(bars)
{
    situ_svg_bar bars[] = {{"one", "small <", "cpu", 0, 2e-6}, {"one", "large", "cpu", 0, 3e-3}, {"one", "large", "gpu", 0, 5e-4},
                           {"one", "never", "gpu", 0, NAN}, {"two", "other", "gpu", 0, 2}};
    const char *path = test_path("bars.svg");
    void *text = NULL;
    size_t size;
    for (int linear = 0; linear < 2; linear++) {
        bars[1].from = linear ? 1e-3 : 0;
        CHECK_EQ(situ_svg_bars(path, "Times", 5, bars), 0);
        CHECK_EQ(situ_read_file(path, &text, &size), 0);
        CHECK_EQ(occurrences(text, "class=\"bar s"), 4);
        CHECK_EQ(occurrences(text, "class=\"bar s0\""), 2);
        CHECK_EQ(occurrences(text, "class=\"bar s1\""), 2);
        CHECK(strstr(text, ">one<") && strstr(text, ">two<") && strstr(text, ">2.00 s<"));
        CHECK(strstr(text, "small &lt;, cpu<") && strstr(text, linear ? ">2.00 ms<" : ">3.00 ms<") && strstr(text, ">500.00 \302\265s<"));
        CHECK(!strstr(text, "nan") && !strstr(text, "inf"));
        CHECK_EQ(occurrences(text, ">0.00 \302\265s<"), 1 + linear);
        situ_counted_free(text);
    }
    CHECK_EQ(situ_svg_bars(path, NULL, 0, NULL), 0);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_svg_bars(NULL, "", 0, NULL));
    CHECK_FAILS(SITU_IO, situ_svg_bars("/dev/null/x", "", 0, NULL));
}
