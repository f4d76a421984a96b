/* situ/metric.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_average[] = {{"macro", SITU_MACRO}, {"micro", SITU_MICRO}, {"weighted", SITU_WEIGHTED}, {"binary", SITU_BINARY}, {NULL, 0}};

MADE(accuracy_metric)
{
    TAKE("Accuracy", 1, 0, 1, {"k"}, {NULL});
    situ_accuracy_metric_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.k = arg_int(c, 0, 1);
    return end_handle(c, c->failed ? NULL : (situ_accuracy_metric)(&o, c->site), METRIC, metric_end);
}

MADE(confusion_metric)
{
    TAKE("ConfusionMatrix", 1, 1, 1, {"classes"}, {NULL});
    int64_t classes_ = arg_int(c, 0, 0);
    return end_handle(c, c->failed ? NULL : (situ_confusion_metric)(classes_, c->site), METRIC, metric_end);
}

MADE(precision_metric)
{
    TAKE("Precision", 2, 1, 2, {"classes", "average"}, {NULL});
    int64_t classes_ = arg_int(c, 0, 0);
    situ_score_metric_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.average = (situ_average)arg_word(c, 1, words_average, 0, "average");
    return end_handle(c, c->failed ? NULL : (situ_precision_metric)(classes_, &o, c->site), METRIC, metric_end);
}

MADE(recall_metric)
{
    TAKE("Recall", 2, 1, 2, {"classes", "average"}, {NULL});
    int64_t classes_ = arg_int(c, 0, 0);
    situ_score_metric_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.average = (situ_average)arg_word(c, 1, words_average, 0, "average");
    return end_handle(c, c->failed ? NULL : (situ_recall_metric)(classes_, &o, c->site), METRIC, metric_end);
}

MADE(f1_metric)
{
    TAKE("F1", 2, 1, 2, {"classes", "average"}, {NULL});
    int64_t classes_ = arg_int(c, 0, 0);
    situ_score_metric_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.average = (situ_average)arg_word(c, 1, words_average, 0, "average");
    return end_handle(c, c->failed ? NULL : (situ_f1_metric)(classes_, &o, c->site), METRIC, metric_end);
}

MADE(auc_metric)
{
    TAKE("AUC", 1, 0, 1, {"bins"}, {NULL});
    situ_auc_metric_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bins = arg_int(c, 0, 65536);
    return end_handle(c, c->failed ? NULL : (situ_auc_metric)(&o, c->site), METRIC, metric_end);
}

MADE(perplexity_metric)
{
    TAKE("Perplexity", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_perplexity_metric)(c->site), METRIC, metric_end);
}

MADE(mae_metric)
{
    TAKE("MAE", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_mae_metric)(c->site), METRIC, metric_end);
}

MADE(mse_metric)
{
    TAKE("MSE", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_mse_metric)(c->site), METRIC, metric_end);
}

MADE(r2_metric)
{
    TAKE("R2", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_r2_metric)(c->site), METRIC, metric_end);
}

MADE(mean_metric)
{
    TAKE("Mean", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_mean_metric)(c->site), METRIC, metric_end);
}

PyMethodDef made_metric_methods[] = {
    MADE_ROW(accuracy_metric, accuracy_metric,
        "accuracy_metric(*, k=1)\n--\n\nThe share of rows whose label is among the k largest scores; of equal "
        "scores the first ranks higher.\n\nk: counts if the label is among the k largest scores"),
    MADE_ROW(confusion_metric, confusion_metric,
        "confusion_metric(classes)\n--\n\nmetric_result: how many rows with label i have their largest score at j, "
        "f64[classes, classes]."),
    MADE_ROW(precision_metric, precision_metric,
        "precision_metric(classes, *, average='macro')\n--\n\nPrecision, Recall, F1: Precision, recall and F1 of "
        "predictions by the largest score. metric_result has the values of each class.\n\naverage: how classes are "
        "averaged; a class without counts is 0"),
    MADE_ROW(recall_metric, recall_metric,
        "recall_metric(classes, *, average='macro')\n--\n\nPrecision, Recall, F1: Precision, recall and F1 of "
        "predictions by the largest score. metric_result has the values of each class.\n\naverage: how classes are "
        "averaged; a class without counts is 0"),
    MADE_ROW(f1_metric, f1_metric,
        "f1_metric(classes, *, average='macro')\n--\n\nPrecision, Recall, F1: Precision, recall and F1 of "
        "predictions by the largest score. metric_result has the values of each class.\n\naverage: how classes are "
        "averaged; a class without counts is 0"),
    MADE_ROW(auc_metric, auc_metric,
        "auc_metric(*, bins=65536)\n--\n\nThe area under the ROC curve: the share of pairs of a row with target 1 "
        "and one with target 0 in which the former has the larger\nprobability; ties count half. Probabilities from "
        "0 to 1 and targets 0 or 1, of one shape.\n\nbins: bins between 0 and 1; probabilities in one bin count as "
        "equal"),
    MADE_ROW(perplexity_metric, perplexity_metric,
        "perplexity_metric()\n--\n\nExp of the mean cross entropy of logits and labels."),
    MADE_ROW(mae_metric, mae_metric,
        "mae_metric()\n--\n\nMAE, MSE, R2: For predictions and targets of one shape: mean |d|; mean d^2; 1 - "
        "sum(d^2) / sum((target - mean target)^2)."),
    MADE_ROW(mse_metric, mse_metric,
        "mse_metric()\n--\n\nMAE, MSE, R2: For predictions and targets of one shape: mean |d|; mean d^2; 1 - "
        "sum(d^2) / sum((target - mean target)^2)."),
    MADE_ROW(r2_metric, r2_metric,
        "r2_metric()\n--\n\nMAE, MSE, R2: For predictions and targets of one shape: mean |d|; mean d^2; 1 - "
        "sum(d^2) / sum((target - mean target)^2)."),
    MADE_ROW(mean_metric, mean_metric,
        "mean_metric()\n--\n\nThe mean of all elements, such as losses; target is None."),
    {NULL, NULL, 0, NULL}};
