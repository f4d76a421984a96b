/* Metrics: what is counted over many batches, on the device, and read once.
 *
 *     situ_metric *accuracy = situ_accuracy_metric();
 *     while (batches) situ_metric_update(accuracy, logits, labels);          // nothing is read
 *     printf("%.2f %%\n", 100 * situ_metric_value(accuracy));             // one number comes to the host
 *     situ_metric_free(accuracy);
 *
 * The counts are f64 on the device of the first update's operands; those of the next ones must be there, too. Labels are
 * integers in the shape of the scores without their last axis; one out of range is SITU_BAD_INDEX where it is computed.
 */
#ifndef SITU_METRIC_H
#define SITU_METRIC_H

#include <situ/function.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_metric situ_metric;

typedef struct SITU_BY_NAME situ_accuracy_metric_options {
    SITU_OPTION_HEAD;
    int64_t k; /* = 1 in [1, inf): counts if the label is among the k largest scores */
} situ_accuracy_metric_options;
/* The share of rows whose label is among the k largest scores; of equal scores the first ranks higher. */
SITU_API situ_metric *situ_accuracy_metric(const situ_accuracy_metric_options *options, situ_site site);
/* situ_metric_result: how many rows with label i have their largest score at j, f64[classes, classes]. */
SITU_API situ_metric *situ_confusion_metric(int64_t classes, situ_site site);
typedef enum situ_average {
    SITU_MACRO = 0,    /* the mean of the classes */
    SITU_MICRO = 1,    /* over all rows together */
    SITU_WEIGHTED = 2, /* the mean weighted by the number of labels of each class */
    SITU_BINARY = 3    /* class 1 only */
} situ_average;
typedef struct SITU_BY_NAME situ_score_metric_options {
    SITU_OPTION_HEAD;
    situ_average average; /* = SITU_MACRO: how classes are averaged; a class without counts is 0 */
} situ_score_metric_options;
/* Precision, recall and F1 of predictions by the largest score. situ_metric_result has the values of each class. */
SITU_API situ_metric *situ_precision_metric(int64_t classes, const situ_score_metric_options *options, situ_site site);
SITU_API situ_metric *situ_recall_metric(int64_t classes, const situ_score_metric_options *options, situ_site site);
SITU_API situ_metric *situ_f1_metric(int64_t classes, const situ_score_metric_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_auc_metric_options {
    SITU_OPTION_HEAD;
    int64_t bins; /* = 65536 in [2, 16777216]: bins between 0 and 1; probabilities in one bin count as equal */
} situ_auc_metric_options;
/* The area under the ROC curve: the share of pairs of a row with target 1 and one with target 0 in which the former has the larger
 * probability; ties count half. Probabilities from 0 to 1 and targets 0 or 1, of one shape. */
SITU_API situ_metric *situ_auc_metric(const situ_auc_metric_options *options, situ_site site);
/* exp of the mean cross entropy of logits and labels. */
SITU_API situ_metric *situ_perplexity_metric(situ_site site);
/* For predictions and targets of one shape: mean |d|; mean d^2; 1 - sum(d^2) / sum((target - mean target)^2). */
SITU_API situ_metric *situ_mae_metric(situ_site site);
SITU_API situ_metric *situ_mse_metric(situ_site site);
SITU_API situ_metric *situ_r2_metric(situ_site site);
/* The mean of all elements, such as losses; target is NULL. */
SITU_API situ_metric *situ_mean_metric(situ_site site);

/* Adds a batch: recorded and started, without waiting. 0 or a negative code. */
SITU_API int situ_metric_update(situ_metric *metric, situ_tensor *prediction, situ_tensor *target, situ_site site);
/* Its value so far, for which it waits. NaN before the first update and on an error. */
SITU_API double situ_metric_value(situ_metric *metric, situ_site site);
/* The same as a tensor on the device; with a value for each class if the metric counts classes. */
SITU_API situ_tensor *situ_metric_result(situ_metric *metric, situ_site site);
/* Resets the counts. */
SITU_API int situ_metric_reset(situ_metric *metric, situ_site site);
/* NULL is fine. */
SITU_API SITU_TOLD void situ_metric_free(situ_metric *metric);

/* ---- metrics of your own -------------------------------------------------------------------------------------------
 *
 *     static situ_tensor *add(situ_tensor *counts, situ_tensor *prediction, situ_tensor *target, const void *self)
 *     {
 *         return situ_maximum(counts, situ_max(situ_abs(situ_sub(prediction, target))));
 *     }
 *     static const situ_metric_kind largest_error = {.name = "largest_error", .counts = 1, .add = add};
 *
 *     situ_metric *metric = situ_metric_custom(&largest_error, NULL);
 */
typedef struct situ_metric_kind {
    const char *name;
    int64_t counts; /* length of the vector of counts, which is initially zero */
    situ_tensor *(*add)(situ_tensor *counts, situ_tensor *prediction, situ_tensor *target, const void *self); /* the new counts */
    situ_tensor *(*value)(situ_tensor *counts, const void *self);  /* a single number; NULL: the sum of the counts */
    situ_tensor *(*result)(situ_tensor *counts, const void *self); /* NULL: the value */
} situ_metric_kind;
/* A metric of this kind, which must outlive it, with `self`. NULL on an error. */
SITU_API situ_metric *situ_metric_custom(const situ_metric_kind *kind, void *self, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/metric.h>

#endif
