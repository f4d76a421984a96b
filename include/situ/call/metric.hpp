// situ/metric.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/metric.h: change that.
#ifndef SITU_CALL_METRIC_HPP
#define SITU_CALL_METRIC_HPP

namespace situ {

struct accuracy_metric_options : options<situ_accuracy_metric_options> {
    accuracy_metric_options &k(int64_t v) { return situ_accuracy_metric_options::k = v, *this; }
};
struct score_metric_options : options<situ_score_metric_options> {
    score_metric_options &average(situ_average v) { return situ_score_metric_options::average = v, *this; }
};
struct auc_metric_options : options<situ_auc_metric_options> {
    auc_metric_options &bins(int64_t v) { return situ_auc_metric_options::bins = v, *this; }
};
inline situ_metric *accuracy_metric(const accuracy_metric_options &o = {}, site at = {})
{
    return checked(situ_accuracy_metric(&o, at));
}
inline situ_metric *confusion_metric(int64_t classes, site at = {})
{
    return checked(situ_confusion_metric(classes, at));
}
inline situ_metric *precision_metric(int64_t classes, const score_metric_options &o = {}, site at = {})
{
    return checked(situ_precision_metric(classes, &o, at));
}
inline situ_metric *recall_metric(int64_t classes, const score_metric_options &o = {}, site at = {})
{
    return checked(situ_recall_metric(classes, &o, at));
}
inline situ_metric *f1_metric(int64_t classes, const score_metric_options &o = {}, site at = {})
{
    return checked(situ_f1_metric(classes, &o, at));
}
inline situ_metric *auc_metric(const auc_metric_options &o = {}, site at = {})
{
    return checked(situ_auc_metric(&o, at));
}
inline situ_metric *perplexity_metric(site at = {}) { return checked(situ_perplexity_metric(at)); }
inline situ_metric *mae_metric(site at = {}) { return checked(situ_mae_metric(at)); }
inline situ_metric *mse_metric(site at = {}) { return checked(situ_mse_metric(at)); }
inline situ_metric *r2_metric(site at = {}) { return checked(situ_r2_metric(at)); }
inline situ_metric *mean_metric(site at = {}) { return checked(situ_mean_metric(at)); }
inline int metric_update(situ_metric *metric, operand prediction, operand target)
{
    return checked(situ_metric_update(metric, prediction.t, target.t, prediction.at));
}
inline double metric_value(situ_metric *metric, site at = {}) { return checked(situ_metric_value(metric, at)); }
inline tensor metric_result(situ_metric *metric, site at = {}) { return situ_metric_result(metric, at); }
inline int metric_reset(situ_metric *metric, site at = {}) { return checked(situ_metric_reset(metric, at)); }
inline void metric_free(situ_metric *metric, site at = {}) { situ_called_at(at); situ_metric_free(metric); check(); }
inline situ_metric *metric_custom(const situ_metric_kind *kind, void *self, site at = {})
{
    return checked(situ_metric_custom(kind, self, at));
}

} // namespace situ
#endif
