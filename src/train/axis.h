/* The axes of a chart: a range and round numbers on it. */
#ifndef SITU_TRAIN_AXIS_H
#define SITU_TRAIN_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A named curve; points with a coordinate that is not finite (or beyond 1e300) interrupt it. */
typedef struct situ_series {
    const char *name;
    const double *x, *y;
    int64_t count;
} situ_series;

typedef struct situ_chart_axis {
    double low, high; /* low < high                             */
    double first;     /* value of the lowest tick */
    double step;      /* distance between ticks: 1, 2 or 5 times 10^k */
    int ticks;
    int decimals; /* decimals of the tick labels, -1: exponential form */
} situ_chart_axis;

bool situ_point_visible(double x, double y);

/* The smallest box around all visible points; 0..1 in a direction without points. */
void situ_series_box(int count, const situ_series *series, double x_range[2], double y_range[2]);

/* An axis over low..high with about `wanted` ticks; `widen` extends it to the next ticks at both ends. */
situ_chart_axis situ_axis_fit(double low, double high, int wanted, bool widen);

/* Position of a value on the axis: 0 at low, 1 at high. */
double situ_axis_place(const situ_chart_axis *axis, double value);

/* Writes the label of tick i, with a decimal point in every locale; returns its value. */
double situ_axis_tick(const situ_chart_axis *axis, int i, char *label, size_t size);

#endif
