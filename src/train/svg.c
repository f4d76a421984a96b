#include "train/svg.h"

#include "base/error.h"
#include "math/f64.h"
#include "os/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 720,
    PLOT_HEIGHT = 320,
    LEFT = 64,
    RIGHT = WIDTH - 24,
    TITLE_HEIGHT = 40,
    LEGEND_LINE = 22,
    BELOW = 52,
    COLOURS = 8,
    DRAWN_POINTS = 2000 /* longer series are drawn by the extremes of this many equal pieces */
};

typedef struct chart {
    FILE *file;
    situ_chart_axis x, y;
    int top; /* top of the plot, below title and legend */
} chart;

/* It has no CSS variables, which some viewers do not support. */
static const char style[] =
    "<style>\n"
    ".situ text{font:12px system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:#1f2328}.situ "
    ".title{font-size:16px;font-weight:600}.situ .tick{font-size:11px;fill:#59636e}\n"
    ".situ .paper{fill:#ffffff}.situ .grid{stroke:#e3e7eb}.situ .axis{stroke:#59636e}\n"
    ".situ .bar{fill:none;stroke-width:13}.situ .curve{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}\n"
    ".situ .s0{stroke:#1f6feb}.situ .s1{stroke:#c2410c}.situ .s2{stroke:#1a7f37}.situ .s3{stroke:#8250df}.situ "
    ".s4{stroke:#b35900}.situ .s5{stroke:#0e7490}.situ .s6{stroke:#bf3989}.situ .s7{stroke:#57606a}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".situ text{fill:#e6edf3}.situ .tick{fill:#9198a1}.situ .paper{fill:#0d1117}.situ .grid{stroke:#2a313c}.situ "
    ".axis{stroke:#9198a1}\n"
    ".situ .s0{stroke:#58a6ff}.situ .s1{stroke:#ff8b5e}.situ .s2{stroke:#56d364}.situ .s3{stroke:#bc8cff}.situ "
    ".s4{stroke:#e3b341}.situ .s5{stroke:#39c5cf}.situ .s6{stroke:#f778ba}.situ .s7{stroke:#b1bac4}\n"
    "}</style>\n";

static const char *const dashes[] = {
    "", " stroke-dasharray=\"7 5\"", " stroke-dasharray=\"1.5 5\"", " stroke-dasharray=\"9 4 1.5 4\""};

/* Writes text of the user: escapes markup, blanks control characters. */
static void put_text(FILE *file, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c; c++) {
        if (*c == '&') fputs("&amp;", file);
        else if (*c == '<') fputs("&lt;", file);
        else if (*c == '>') fputs("&gt;", file);
        else if (*c == '"') fputs("&quot;", file);
        else fputc(*c < 32 || *c == 127 ? ' ' : *c, file);
    }
}

/* Writes a coordinate in hundredths, with a decimal point in every locale. */
static void put_number(FILE *file, double value)
{
    long hundredths = lround(value * 100);
    fprintf(file, "%s%ld.%02ld", hundredths < 0 ? "-" : "", labs(hundredths) / 100, labs(hundredths) % 100);
}

static double x_of(const chart *c, double value) { return LEFT + situ_axis_place(&c->x, value) * (RIGHT - LEFT); }
static double y_of(const chart *c, double value) { return c->top + (1 - situ_axis_place(&c->y, value)) * PLOT_HEIGHT; }

static int characters(const char *text)
{
    int count = 0;
    for (; text && *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

/* Arranges the legend's entries in as many lines as needed; returns the number of lines. Without a file it only
 * counts. */
static int legend(FILE *file, int nseries, const situ_series *series)
{
    int x = LEFT, line = 0;
    for (int s = 0; s < nseries; s++) {
        int width = 34 + 7 * characters(series[s].name) + 22;
        if (x > LEFT && x + width > RIGHT) x = LEFT, line++;
        int y = TITLE_HEIGHT + line * LEGEND_LINE + 8;
        if (file) {
            fprintf(file, "<path class=\"curve s%d\"%s d=\"M%d %dh24\"/><text x=\"%d\" y=\"%d\">", s % COLOURS, dashes[s % 4], x, y,
                x + 32, y + 4);
            put_text(file, series[s].name);
            fputs("</text>\n", file);
        }
        x += width;
    }
    return nseries ? line + 1 : 0;
}

static void draw_axes(const chart *c, const char *x_label)
{
    char label[32];
    int bottom = c->top + PLOT_HEIGHT;
    for (int i = 0; i < c->y.ticks; i++) {
        double y = y_of(c, situ_axis_tick(&c->y, i, label, sizeof label));
        fprintf(c->file, "<path class=\"grid\" d=\"M%d ", LEFT);
        put_number(c->file, y);
        fprintf(c->file, "H%d\"/><text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"", RIGHT, LEFT - 8);
        put_number(c->file, y + 4);
        fprintf(c->file, "\">%s</text>\n", label);
    }
    for (int i = 0; i < c->x.ticks; i++) {
        double x = x_of(c, situ_axis_tick(&c->x, i, label, sizeof label));
        fputs("<path class=\"axis\" d=\"M", c->file);
        put_number(c->file, x);
        fprintf(c->file, " %dv5\"/><text class=\"tick\" text-anchor=\"middle\" x=\"", bottom);
        put_number(c->file, x);
        fprintf(c->file, "\" y=\"%d\">%s</text>\n", bottom + 18, label);
    }
    fprintf(c->file, "<path class=\"axis\" d=\"M%d %dH%d\"/>\n", LEFT, bottom, RIGHT);
    fprintf(c->file, "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">", (LEFT + RIGHT) / 2, bottom + 40);
    put_text(c->file, x_label);
    fputs("</text>\n", c->file);
}

static void draw_point(const chart *c, const situ_series *s, int64_t i, bool *pen_down, int *drawn)
{
    if (!situ_point_visible(s->x[i], s->y[i])) {
        *pen_down = false;
        return;
    }
    fputc(*pen_down ? 'L' : 'M', c->file);
    put_number(c->file, x_of(c, s->x[i]));
    fputc(' ', c->file);
    put_number(c->file, y_of(c, s->y[i]));
    if (!*pen_down) fputs("h0", c->file); /* with round line ends a single point is drawn as a dot */
    *pen_down = true;
    if (++*drawn % 16 == 0) fputc('\n', c->file);
}

static void draw_curve(const chart *c, const situ_series *s, int colour)
{
    fprintf(c->file, "<path class=\"curve s%d\"%s d=\"", colour % COLOURS, dashes[colour % 4]);
    bool pen_down = false;
    int drawn = 0;
    int64_t piece = s->count > DRAWN_POINTS ? (s->count + DRAWN_POINTS / 2 - 1) / (DRAWN_POINTS / 2) : 1;
    for (int64_t start = 0; start < s->count; start += piece) {
        int64_t end = start + piece < s->count ? start + piece : s->count, low = start, high = start;
        for (int64_t i = start; i < end; i++) {
            if (!(s->y[i] >= s->y[low])) low = i;
            if (!(s->y[i] <= s->y[high])) high = i;
        }
        draw_point(c, s, low < high ? low : high, &pen_down, &drawn);
        if (low != high) draw_point(c, s, low < high ? high : low, &pen_down, &drawn);
    }
    fputs("\"/>\n", c->file);
}

static void head(FILE *file, const char *title, int left, int width, int height)
{
    fprintf(
        file, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"situ\" role=\"img\" width=\"%d\" height=\"%d\" ", width, height);
    fprintf(file, "viewBox=\"0 0 %d %d\">\n<title>", width, height);
    put_text(file, title);
    fprintf(file, "</title>\n%s<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", style, width, height);
    fprintf(file, "<text class=\"title\" x=\"%d\" y=\"26\">", left);
    put_text(file, title);
    fputs("</text>\n", file);
}

void situ_svg_write(FILE *file, const char *title, const char *x_label, double x_limit, int nseries, const situ_series *series)
{
    chart one = {.file = file}, *c = &one;
    double x_range[2], y_range[2];
    situ_series_box(nseries, series, x_range, y_range);
    if (x_limit > x_range[1]) x_range[1] = x_limit;
    if (y_range[0] > 0 && y_range[0] < y_range[1] / 2) y_range[0] = 0;
    c->x = situ_axis_fit(x_range[0], x_range[1], 8, false);
    c->y = situ_axis_fit(y_range[0], y_range[1], 6, true);
    c->top = TITLE_HEIGHT + legend(NULL, nseries, series) * LEGEND_LINE + 8;
    int height = c->top + PLOT_HEIGHT + BELOW;
    head(c->file, title, LEFT, WIDTH, height);
    legend(c->file, nseries, series);
    draw_axes(c, x_label);
    for (int s = 0; s < nseries; s++) draw_curve(c, &series[s], s);
    fputs("</svg>\n", c->file);
}

static int fail_picture(const char *path, int code)
{
    return situ_fail(SITU_IO, NULL, "cannot write the picture %s: %s", path, situ_file_why(code));
}

int situ_svg_check(const char *path)
{
    int code = situ_file_check(path);
    return code ? fail_picture(path, code) : 0;
}

int situ_svg_curves(const char *path, const char *title, const char *x_label, int nseries, const situ_series *series)
{
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_svg_curves: path is NULL; give the file to write");
    if (nseries < 0 || (nseries && !series)) {
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_svg_curves: %d series at %s", nseries, series ? "an address" : "NULL");
    }
    for (int s = 0; s < nseries; s++) {
        if (series[s].count < 0 || (series[s].count && (!series[s].x || !series[s].y))) {
            return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_svg_curves: series %d (\"%s\") has no values", s,
                series[s].name ? series[s].name : "");
        }
    }
    situ_file file;
    FILE *picture = situ_file_begin(&file, path, false);
    if (!picture) return fail_picture(path, errno);
    situ_svg_write(picture, title, x_label, -HUGE_VAL, nseries, series);
    int code = situ_file_end(&file, true);
    return code ? fail_picture(path, code) : 0;
}

/* ---- bars ---------------------------------------------------------------------------------------------------------------- */

enum { BAR_LINE = 24, BAR_LEFT = 290, BAR_RIGHT = WIDTH - 96 };

static bool drawable(const situ_svg_bar *b) { return situ_point_visible(b->from, b->to) && b->to >= b->from; }

/* Maps a value to (f(value) - low) / (high - low), where f is the logarithm or the identity. */
typedef struct scale {
    bool powers;
    double low, high;
} scale;

static double place(const scale *s, double seconds)
{
    double v = !s->powers ? seconds : situ_f64_log10(seconds > 0 ? seconds : 1e-300);
    v = (v - s->low) / (s->high - s->low);
    return BAR_LEFT + (v < 0 ? 0 : v > 1 ? 1 : v) * (BAR_RIGHT - BAR_LEFT);
}

static scale scale_of(int count, const situ_svg_bar *bars)
{
    double least = INFINITY, most = 0;
    bool from_zero = true;
    for (int i = 0; i < count; i++) {
        if (!drawable(&bars[i])) continue;
        from_zero &= bars[i].from <= 1e-6 * bars[i].to;
        if (bars[i].to > 0 && bars[i].to < least) least = bars[i].to;
        if (bars[i].to > most) most = bars[i].to;
    }
    if (from_zero && most >= 50 * least) return (scale){true, floor(situ_f64_log10(least)) - 1, ceil(situ_f64_log10(most))};
    return (scale){false, 0, most > 0 ? most : 1};
}

static void put_time(FILE *file, double seconds)
{
    double size = fabs(seconds);
    put_number(file, seconds * (size < 1e-3 ? 1e6 : size < 1 ? 1e3 : 1));
    fputs(size < 1e-3 ? " \302\265s" : size < 1 ? " ms" : " s", file);
}

static void draw_scale(FILE *file, const scale *s, int top, int bottom)
{
    int lines = s->powers ? (int)(s->high - s->low) : 4;
    for (int i = 0; i <= lines; i++) {
        double seconds = s->powers ? situ_f64_pow(10, s->low + i) : s->high * i / lines;
        fputs("<path class=\"grid\" d=\"M", file);
        put_number(file, place(s, seconds));
        fprintf(file, " %dV%d\"/><text class=\"tick\" text-anchor=\"middle\" x=\"", top, bottom);
        put_number(file, place(s, seconds));
        fprintf(file, "\" y=\"%d\">", bottom + 16);
        put_time(file, seconds);
        fputs("</text>\n", file);
    }
}

/* Index of the first bar with the same label (`who`) as bar i, counting labels; it selects the colour. */
static int colour_of(const situ_svg_bar *bars, int i)
{
    int colours = 0;
    for (int k = 0; k <= i; k++) {
        bool seen = false;
        for (int m = 0; m < k; m++) seen |= !strcmp(bars[m].who, bars[k].who);
        if (!strcmp(bars[k].who, bars[i].who)) return colours % COLOURS;
        colours += !seen;
    }
    return 0;
}

static void draw_bar(FILE *file, const scale *s, const situ_svg_bar *b, int colour, int y)
{
    fprintf(file, "<text text-anchor=\"end\" x=\"%d\" y=\"%d\">", BAR_LEFT - 8, y + 4);
    put_text(file, b->what);
    fputs(b->who[0] ? ", " : "", file);
    put_text(file, b->who);
    fprintf(file, "</text><path class=\"bar s%d\" d=\"M", colour);
    put_number(file, s->powers ? BAR_LEFT : place(s, b->from));
    fprintf(file, " %dH", y);
    put_number(file, place(s, b->to));
    fputs("\"/><text class=\"tick\" x=\"", file);
    put_number(file, place(s, b->to) + 6);
    fprintf(file, "\" y=\"%d\">", y + 4);
    put_time(file, b->to - b->from);
    fputs("</text>\n", file);
}

/* Number of bars from `first` on that belong to its section. */
static int section_of(const situ_svg_bar *bars, int first, int count)
{
    int n = 1;
    while (first + n < count && !strcmp(bars[first].section, bars[first + n].section)) n++;
    return n;
}

/* Draws a section and returns its height; without a file it only computes the height. */
static int draw_section(FILE *file, const situ_svg_bar *bars, int first, int n, int y)
{
    int top = y + (bars[first].section[0] ? BAR_LINE : 0), bottom = top + 8;
    for (int i = first; i < first + n; i++) bottom += drawable(&bars[i]) * BAR_LINE;
    if (!file) return bottom + 36 - y;
    scale s = scale_of(n, bars + first);
    fprintf(file, "<text x=\"%d\" y=\"%d\">", LEFT, y + 14);
    put_text(file, bars[first].section);
    fputs("</text>\n", file);
    draw_scale(file, &s, top, bottom);
    for (int i = first, at = top + 16; i < first + n; i++) {
        if (!drawable(&bars[i])) continue;
        draw_bar(file, &s, &bars[i], colour_of(bars, i), at);
        at += BAR_LINE;
    }
    return bottom + 36 - y;
}

int situ_svg_bars(const char *path, const char *title, int count, const situ_svg_bar *bars)
{
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_svg_bars: path is NULL; give the file to write");
    if (count < 0 || (count && !bars))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_svg_bars: %d bars at %s", count, bars ? "an address" : "NULL");
    situ_file picture;
    FILE *file = situ_file_begin(&picture, path, false);
    if (!file) return fail_picture(path, errno);
    int height = TITLE_HEIGHT + 8;
    for (int i = 0, n; i < count; i += n) height += draw_section(NULL, bars, i, n = section_of(bars, i, count), 0);
    head(file, title, LEFT, WIDTH, height);
    height = TITLE_HEIGHT;
    for (int i = 0, n; i < count; i += n) height += draw_section(file, bars, i, n = section_of(bars, i, count), height);
    fputs("</svg>\n", file);
    int code = situ_file_end(&picture, true);
    return code ? fail_picture(path, code) : 0;
}

/* ---- timelines -------------------------------------------------------------------------------------------------------------- */

enum {
    LANE_LEFT = 16,
    LANE_RIGHT = 560 - 16, /* narrow, so that it can be read on a phone */
    LANE_LINE = 44,
    LANE_BAR = 20,
    WAITS = 4,
    LETTER = 7
};

/* Bars of a timeline have the colour of what they are. */
static const char lane_style[] =
    "<style>\n"
    ".situ .host{fill:#6e7781}.situ .wait{fill:#cf222e}.situ .compute{fill:#1f6feb}.situ .copy{fill:#b35900}\n"
    ".situ .in{fill:#ffffff;font-size:11px}.situ .stall{fill:#cf222e}\n"
    "@media (prefers-color-scheme:dark){.situ .stall{fill:#ff7b72}}\n"
    "</style>\n";

static double lane_place(double seconds, double most) { return LANE_LEFT + (LANE_RIGHT - LANE_LEFT) * seconds / most; }

/* As much of the text as has room. */
static void put_fitting(FILE *file, const char *text, int letters)
{
    char some[96];
    snprintf(some, sizeof some, "%.*s", letters < 95 ? letters : 95, text);
    for (size_t n = strlen(some); n && (some[n - 1] & 0xc0) == 0x80 && text[n] && (text[n] & 0xc0) == 0x80; n--) some[n - 1] = 0;
    put_text(file, some);
}

static void draw_lane_bar(FILE *file, const situ_timeline_bar *b, double left, double right, int y)
{
    static const char *const class[SITU_BAR_KINDS] = {"host", "wait", "compute", "copy"};
    fprintf(file, "<rect class=\"%s\" x=\"", class[b->kind]);
    put_number(file, left);
    fprintf(file, "\" y=\"%d\" height=\"%d\" width=\"", y, LANE_BAR);
    put_number(file, right - left);
    fputs("\"><title>", file);
    put_text(file, b->name);
    fputs(", ", file);
    put_time(file, b->to - b->from);
    fputs(b->line ? ", " : "", file);
    put_text(file, b->line);
    fputs("</title></rect>\n", file);
    const char *shown = b->kind == SITU_BAR_WAIT && b->line ? b->line : b->name;
    int letters = (int)((right - left - 8) / LETTER);
    if (letters < 4 || (letters < (int)strlen(shown) && letters < 8)) return;
    fputs("<text class=\"in\" x=\"", file);
    put_number(file, left + 4);
    fprintf(file, "\" y=\"%d\">", y + 14);
    put_fitting(file, shown, letters);
    fputs("</text>\n", file);
}

/* A lane's name, its bars and for how long it was busy. Bars that the eye could not tell apart are drawn once. */
static void draw_lane(FILE *file, const situ_trace_view *t, int lane, double most, int y)
{
    double busy = 0, until = 0, drawn = 0;
    for (int i = 0; i < t->bars; i++) {
        const situ_timeline_bar *b = &t->bar[i];
        if (b->lane != lane) continue;
        if (b->to > until) busy += b->to - fmax(b->from, until), until = b->to;
        double left = lane_place(b->from, most), right = fmax(lane_place(b->to, most), left + 0.5);
        if (right < drawn + 0.4 && right - left < 1) continue;
        drawn = fmax(drawn, right);
        draw_lane_bar(file, b, left, right, y + 16);
    }
    fprintf(file, "<text x=\"%d\" y=\"%d\">", LANE_LEFT, y + 11);
    put_text(file, t->lane[lane].name ? t->lane[lane].name : "");
    fputs("<tspan class=\"tick\"> ", file);
    put_time(file, busy);
    fputs("</tspan></text>\n", file);
}

/* Draws a timeline and returns its height; without a file it only computes the height. */
static int draw_timeline(FILE *file, const situ_trace_view *t, double most, int y)
{
    situ_timeline_waits waits[WAITS];
    int lines = situ_timeline_waited(t, waits, WAITS), top = y + 28, bottom = top + t->lanes * LANE_LINE;
    if (!file) return bottom + 40 + lines * 18 - y;
    fprintf(file, "<text x=\"%d\" y=\"%d\">", LANE_LEFT, y + 12);
    put_text(file, t->name);
    fprintf(file, "<tspan class=\"tick\"> %s, ", situ_timeline_clock(t));
    put_time(file, t->seconds);
    fputs("</tspan></text>\n", file);
    for (int i = 0; i <= 4; i++) {
        double x = lane_place(most * i / 4, most);
        fputs("<path class=\"grid\" d=\"M", file);
        put_number(file, x);
        fprintf(file, " %dV%d\"/><text class=\"tick\" text-anchor=\"%s\" x=\"", top, bottom,
            i == 0     ? "start" :
                i == 4 ? "end" :
                         "middle");
        put_number(file, x);
        fprintf(file, "\" y=\"%d\">", bottom + 14);
        put_time(file, most * i / 4);
        fputs("</text>\n", file);
    }
    for (int i = 0; i < t->lanes; i++) draw_lane(file, t, i, most, top + i * LANE_LINE);
    for (int i = 0; i < lines; i++) {
        fprintf(file, "<text class=\"stall\" x=\"%d\" y=\"%d\">waited %lld time%s, ", LANE_LEFT, bottom + 36 + i * 18,
            (long long)waits[i].count, waits[i].count == 1 ? "" : "s");
        put_time(file, waits[i].seconds);
        fputs(": ", file);
        put_fitting(file, waits[i].line, 70);
        fputs("</text>\n", file);
    }
    return bottom + 40 + lines * 18 - y;
}

int situ_svg_timelines(const char *path, const char *title, int count, const situ_trace_view *timelines)
{
    situ_file file;
    int height = TITLE_HEIGHT + 8;
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, timelines[i].seconds);
    if (!(most > 0)) most = 1e-6;
    for (int i = 0; i < count; i++) height += draw_timeline(NULL, &timelines[i], most, 0);
    FILE *picture = situ_file_begin(&file, path, false);
    if (!picture) return fail_picture(path, errno);
    head(picture, title, LANE_LEFT, LANE_RIGHT + LANE_LEFT, height);
    fputs(lane_style, picture);
    for (int i = 0, y = TITLE_HEIGHT + 8; i < count; i++) y += draw_timeline(picture, &timelines[i], most, y);
    fputs("</svg>\n", picture);
    int code = situ_file_end(&file, true);
    return code ? fail_picture(path, code) : 0;
}
