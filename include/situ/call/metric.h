/* Calls of situ/metric.h. Made by scripts/generate.py from include/situ/metric.h: change that. */
#ifndef SITU_CALL_METRIC_H
#define SITU_CALL_METRIC_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_ACCURACY_METRIC_DEFAULTS (.k = 1,)
#define SITU_SCORE_METRIC_DEFAULTS ()
#define SITU_AUC_METRIC_DEFAULTS (.bins = 65536,)

#ifndef __cplusplus
#define situ_accuracy_metric(...) \
    SITU_OPTIONS_(situ_accuracy_metric_options, SITU_ACCURACY_METRIC_DEFAULTS, situ_accuracy_metric, (), \
    "situ_accuracy_metric(.k = ...)", __VA_ARGS__)
#define situ_confusion_metric(classes) (situ_confusion_metric)(SITU_INTEGER(classes), SITU_HERE)
#define situ_precision_metric(...) situ_precision_metric_(__VA_ARGS__, )
#define situ_precision_metric_(classes, ...) \
    SITU_OPTIONS_(situ_score_metric_options, SITU_SCORE_METRIC_DEFAULTS, situ_precision_metric, \
    (SITU_INTEGER(classes),), "situ_precision_metric(classes, .average = ...)", __VA_ARGS__)
#define situ_recall_metric(...) situ_recall_metric_(__VA_ARGS__, )
#define situ_recall_metric_(classes, ...) \
    SITU_OPTIONS_(situ_score_metric_options, SITU_SCORE_METRIC_DEFAULTS, situ_recall_metric, (SITU_INTEGER(classes),), \
    "situ_recall_metric(classes, .average = ...)", __VA_ARGS__)
#define situ_f1_metric(...) situ_f1_metric_(__VA_ARGS__, )
#define situ_f1_metric_(classes, ...) \
    SITU_OPTIONS_(situ_score_metric_options, SITU_SCORE_METRIC_DEFAULTS, situ_f1_metric, (SITU_INTEGER(classes),), \
    "situ_f1_metric(classes, .average = ...)", __VA_ARGS__)
#define situ_auc_metric(...) \
    SITU_OPTIONS_(situ_auc_metric_options, SITU_AUC_METRIC_DEFAULTS, situ_auc_metric, (), \
    "situ_auc_metric(.bins = ...)", __VA_ARGS__)
#define situ_perplexity_metric() (situ_perplexity_metric)(SITU_HERE)
#define situ_mae_metric() (situ_mae_metric)(SITU_HERE)
#define situ_mse_metric() (situ_mse_metric)(SITU_HERE)
#define situ_r2_metric() (situ_r2_metric)(SITU_HERE)
#define situ_mean_metric() (situ_mean_metric)(SITU_HERE)
#define situ_metric_update(metric, prediction, target) \
    (situ_metric_update)(SITU_HANDLE(situ_metric *, metric), SITU_TENSOR(prediction), SITU_TENSOR(target), SITU_HERE)
#define situ_metric_value(metric) (situ_metric_value)(SITU_HANDLE(situ_metric *, metric), SITU_HERE)
#define situ_metric_result(metric) (situ_metric_result)(SITU_HANDLE(situ_metric *, metric), SITU_HERE)
#define situ_metric_reset(metric) (situ_metric_reset)(SITU_HANDLE(situ_metric *, metric), SITU_HERE)
#define situ_metric_custom(kind, self) (situ_metric_custom)((kind), (self), SITU_HERE)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_metric_free(metric) SITU_AT_(situ_metric_free, SITU_HANDLE(situ_metric *, metric))
#endif

#endif
