#include "math/f64.h"
#include "os/plain.h"
#include "train/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double largest = 1e300; /* limit of values, so that differences stay finite */

bool situ_point_visible(double x, double y) { return fabs(x) <= largest && fabs(y) <= largest; }

void situ_series_box(int count, const situ_series *series, double x_range[2], double y_range[2])
{
    bool found = false;
    for (int s = 0; s < count; s++) {
        for (int64_t i = 0; i < series[s].count; i++) {
            double x = series[s].x[i], y = series[s].y[i];
            if (!situ_point_visible(x, y)) continue;
            x_range[0] = found ? fmin(x_range[0], x) : x;
            x_range[1] = found ? fmax(x_range[1], x) : x;
            y_range[0] = found ? fmin(y_range[0], y) : y;
            y_range[1] = found ? fmax(y_range[1], y) : y;
            found = true;
        }
    }
    if (!found) x_range[0] = y_range[0] = 0, x_range[1] = y_range[1] = 1;
}

situ_chart_axis situ_axis_fit(double low, double high, int wanted, bool widen)
{
    double size = fmax(fabs(low), fabs(high));
    double narrowest = size > 0 ? size * 1e-9 : 1e-9; /* ticks of a narrower range would have equal labels */
    if (high - low < narrowest) {
        double pad = size > 0 ? size * 0.1 : 0.5;
        low -= pad;
        high += pad;
    }
    double raw = (high - low) / (wanted > 1 ? wanted : 1);
    double power = situ_f64_pow(10, floor(situ_f64_log10(raw)));
    double times = raw / power;
    situ_chart_axis axis = {.low = low, .high = high};
    axis.step = power * (times <= 1.0001 ? 1 : times <= 2.0001 ? 2 : times <= 5.0001 ? 5 : 10);
    double slack = 1e-6; /* tolerance, as a fraction of a step: an end that is a tick up to rounding counts as one */
    if (widen) {
        axis.low = floor(low / axis.step + slack) * axis.step;
        axis.high = ceil(high / axis.step - slack) * axis.step;
    }
    axis.first = ceil(axis.low / axis.step - slack) * axis.step;
    axis.ticks = (int)floor((axis.high - axis.first) / axis.step + slack) + 1;
    bool exponential = axis.step < 1e-6 || fmax(fabs(axis.low), fabs(axis.high)) >= 1e7;
    axis.decimals = exponential ? -1 : (int)fmax(0, -floor(situ_f64_log10(axis.step) + slack));
    return axis;
}

double situ_axis_place(const situ_chart_axis *axis, double value) { return (value - axis->low) / (axis->high - axis->low); }

double situ_axis_tick(const situ_chart_axis *axis, int i, char *label, size_t size)
{
    double value = axis->first + i * axis->step;
    if (fabs(value) < axis->step * 1e-6) value = 0;
    if (axis->decimals < 0) situ_plain_format(label, size, "%.4g", value);
    else situ_plain_format(label, size, "%.*f", axis->decimals, value);
    return value;
}
