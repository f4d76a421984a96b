// situ/optim.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/optim.h: change that.
#ifndef SITU_CALL_OPTIM_HPP
#define SITU_CALL_OPTIM_HPP

namespace situ {

struct sgd_options : options<situ_sgd_options> {
    sgd_options &lr(double v) { return situ_sgd_options::lr = v, *this; }
    sgd_options &momentum(double v) { return situ_sgd_options::momentum = v, *this; }
    sgd_options &dampening(double v) { return situ_sgd_options::dampening = v, *this; }
    sgd_options &weight_decay(double v) { return situ_sgd_options::weight_decay = v, *this; }
    sgd_options &clip_norm(double v) { return situ_sgd_options::clip_norm = v, *this; }
    sgd_options &nesterov(bool v = true) { return situ_sgd_options::nesterov = v, *this; }
    sgd_options &clip_value(double v) { return situ_sgd_options::clip_value = v, *this; }
    sgd_options &lazy_rows(bool v = true) { return situ_sgd_options::lazy_rows = v, *this; }
};
struct adam_options : options<situ_adam_options> {
    adam_options &lr(double v) { return situ_adam_options::lr = v, *this; }
    adam_options &beta1(double v) { return situ_adam_options::beta1 = v, *this; }
    adam_options &beta2(double v) { return situ_adam_options::beta2 = v, *this; }
    adam_options &eps(double v) { return situ_adam_options::eps = v, *this; }
    adam_options &weight_decay(double v) { return situ_adam_options::weight_decay = v, *this; }
    adam_options &clip_norm(double v) { return situ_adam_options::clip_norm = v, *this; }
    adam_options &clip_value(double v) { return situ_adam_options::clip_value = v, *this; }
    adam_options &lazy_rows(bool v = true) { return situ_adam_options::lazy_rows = v, *this; }
};
struct adagrad_options : options<situ_adagrad_options> {
    adagrad_options &lr(double v) { return situ_adagrad_options::lr = v, *this; }
    adagrad_options &lr_decay(double v) { return situ_adagrad_options::lr_decay = v, *this; }
    adagrad_options &initial(double v) { return situ_adagrad_options::initial = v, *this; }
    adagrad_options &eps(double v) { return situ_adagrad_options::eps = v, *this; }
    adagrad_options &weight_decay(double v) { return situ_adagrad_options::weight_decay = v, *this; }
    adagrad_options &clip_norm(double v) { return situ_adagrad_options::clip_norm = v, *this; }
    adagrad_options &clip_value(double v) { return situ_adagrad_options::clip_value = v, *this; }
    adagrad_options &lazy_rows(bool v = true) { return situ_adagrad_options::lazy_rows = v, *this; }
};
struct rmsprop_options : options<situ_rmsprop_options> {
    rmsprop_options &lr(double v) { return situ_rmsprop_options::lr = v, *this; }
    rmsprop_options &alpha(double v) { return situ_rmsprop_options::alpha = v, *this; }
    rmsprop_options &eps(double v) { return situ_rmsprop_options::eps = v, *this; }
    rmsprop_options &momentum(double v) { return situ_rmsprop_options::momentum = v, *this; }
    rmsprop_options &centered(bool v = true) { return situ_rmsprop_options::centered = v, *this; }
    rmsprop_options &weight_decay(double v) { return situ_rmsprop_options::weight_decay = v, *this; }
    rmsprop_options &clip_norm(double v) { return situ_rmsprop_options::clip_norm = v, *this; }
    rmsprop_options &clip_value(double v) { return situ_rmsprop_options::clip_value = v, *this; }
    rmsprop_options &lazy_rows(bool v = true) { return situ_rmsprop_options::lazy_rows = v, *this; }
};
struct adadelta_options : options<situ_adadelta_options> {
    adadelta_options &lr(double v) { return situ_adadelta_options::lr = v, *this; }
    adadelta_options &rho(double v) { return situ_adadelta_options::rho = v, *this; }
    adadelta_options &eps(double v) { return situ_adadelta_options::eps = v, *this; }
    adadelta_options &weight_decay(double v) { return situ_adadelta_options::weight_decay = v, *this; }
    adadelta_options &clip_norm(double v) { return situ_adadelta_options::clip_norm = v, *this; }
    adadelta_options &clip_value(double v) { return situ_adadelta_options::clip_value = v, *this; }
};
struct adamax_options : options<situ_adamax_options> {
    adamax_options &lr(double v) { return situ_adamax_options::lr = v, *this; }
    adamax_options &beta1(double v) { return situ_adamax_options::beta1 = v, *this; }
    adamax_options &beta2(double v) { return situ_adamax_options::beta2 = v, *this; }
    adamax_options &eps(double v) { return situ_adamax_options::eps = v, *this; }
    adamax_options &weight_decay(double v) { return situ_adamax_options::weight_decay = v, *this; }
    adamax_options &clip_norm(double v) { return situ_adamax_options::clip_norm = v, *this; }
    adamax_options &clip_value(double v) { return situ_adamax_options::clip_value = v, *this; }
};
struct nadam_options : options<situ_nadam_options> {
    nadam_options &lr(double v) { return situ_nadam_options::lr = v, *this; }
    nadam_options &beta1(double v) { return situ_nadam_options::beta1 = v, *this; }
    nadam_options &beta2(double v) { return situ_nadam_options::beta2 = v, *this; }
    nadam_options &eps(double v) { return situ_nadam_options::eps = v, *this; }
    nadam_options &momentum_decay(double v) { return situ_nadam_options::momentum_decay = v, *this; }
    nadam_options &decoupled(bool v = true) { return situ_nadam_options::decoupled = v, *this; }
    nadam_options &weight_decay(double v) { return situ_nadam_options::weight_decay = v, *this; }
    nadam_options &clip_norm(double v) { return situ_nadam_options::clip_norm = v, *this; }
    nadam_options &clip_value(double v) { return situ_nadam_options::clip_value = v, *this; }
};
struct radam_options : options<situ_radam_options> {
    radam_options &lr(double v) { return situ_radam_options::lr = v, *this; }
    radam_options &beta1(double v) { return situ_radam_options::beta1 = v, *this; }
    radam_options &beta2(double v) { return situ_radam_options::beta2 = v, *this; }
    radam_options &eps(double v) { return situ_radam_options::eps = v, *this; }
    radam_options &decoupled(bool v = true) { return situ_radam_options::decoupled = v, *this; }
    radam_options &weight_decay(double v) { return situ_radam_options::weight_decay = v, *this; }
    radam_options &clip_norm(double v) { return situ_radam_options::clip_norm = v, *this; }
    radam_options &clip_value(double v) { return situ_radam_options::clip_value = v, *this; }
};
struct lion_options : options<situ_lion_options> {
    lion_options &lr(double v) { return situ_lion_options::lr = v, *this; }
    lion_options &beta1(double v) { return situ_lion_options::beta1 = v, *this; }
    lion_options &beta2(double v) { return situ_lion_options::beta2 = v, *this; }
    lion_options &weight_decay(double v) { return situ_lion_options::weight_decay = v, *this; }
    lion_options &clip_norm(double v) { return situ_lion_options::clip_norm = v, *this; }
    lion_options &clip_value(double v) { return situ_lion_options::clip_value = v, *this; }
};
struct lamb_options : options<situ_lamb_options> {
    lamb_options &lr(double v) { return situ_lamb_options::lr = v, *this; }
    lamb_options &beta1(double v) { return situ_lamb_options::beta1 = v, *this; }
    lamb_options &beta2(double v) { return situ_lamb_options::beta2 = v, *this; }
    lamb_options &eps(double v) { return situ_lamb_options::eps = v, *this; }
    lamb_options &weight_decay(double v) { return situ_lamb_options::weight_decay = v, *this; }
    lamb_options &clip_norm(double v) { return situ_lamb_options::clip_norm = v, *this; }
    lamb_options &clip_value(double v) { return situ_lamb_options::clip_value = v, *this; }
};
struct adafactor_options : options<situ_adafactor_options> {
    adafactor_options &lr(double v) { return situ_adafactor_options::lr = v, *this; }
    adafactor_options &beta2_decay(double v) { return situ_adafactor_options::beta2_decay = v, *this; }
    adafactor_options &eps1(double v) { return situ_adafactor_options::eps1 = v, *this; }
    adafactor_options &eps2(double v) { return situ_adafactor_options::eps2 = v, *this; }
    adafactor_options &threshold(double v) { return situ_adafactor_options::threshold = v, *this; }
    adafactor_options &weight_decay(double v) { return situ_adafactor_options::weight_decay = v, *this; }
    adafactor_options &clip_norm(double v) { return situ_adafactor_options::clip_norm = v, *this; }
    adafactor_options &clip_value(double v) { return situ_adafactor_options::clip_value = v, *this; }
};
struct muon_options : options<situ_muon_options> {
    muon_options &lr(double v) { return situ_muon_options::lr = v, *this; }
    muon_options &momentum(double v) { return situ_muon_options::momentum = v, *this; }
    muon_options &nesterov(bool v = true) { return situ_muon_options::nesterov = v, *this; }
    muon_options &steps(int32_t v) { return situ_muon_options::steps = v, *this; }
    muon_options &weight_decay(double v) { return situ_muon_options::weight_decay = v, *this; }
    muon_options &orthogonal(bool v = true) { return situ_muon_options::orthogonal = v, *this; }
    muon_options &adam_lr(double v) { return situ_muon_options::adam_lr = v, *this; }
    muon_options &beta1(double v) { return situ_muon_options::beta1 = v, *this; }
    muon_options &beta2(double v) { return situ_muon_options::beta2 = v, *this; }
    muon_options &eps(double v) { return situ_muon_options::eps = v, *this; }
    muon_options &clip_norm(double v) { return situ_muon_options::clip_norm = v, *this; }
    muon_options &clip_value(double v) { return situ_muon_options::clip_value = v, *this; }
};
struct lbfgs_options : options<situ_lbfgs_options> {
    lbfgs_options &lr(double v) { return situ_lbfgs_options::lr = v, *this; }
    lbfgs_options &history(int32_t v) { return situ_lbfgs_options::history = v, *this; }
    lbfgs_options &clip_norm(double v) { return situ_lbfgs_options::clip_norm = v, *this; }
    lbfgs_options &clip_value(double v) { return situ_lbfgs_options::clip_value = v, *this; }
};
struct cosine_options : options<situ_cosine_options> {
    cosine_options &least(double v) { return situ_cosine_options::least = v, *this; }
    cosine_options &restarts(bool v = true) { return situ_cosine_options::restarts = v, *this; }
    cosine_options &growth(double v) { return situ_cosine_options::growth = v, *this; }
};
struct one_cycle_options : options<situ_one_cycle_options> {
    one_cycle_options &rise(double v) { return situ_one_cycle_options::rise = v, *this; }
    one_cycle_options &start(double v) { return situ_one_cycle_options::start = v, *this; }
    one_cycle_options &end(double v) { return situ_one_cycle_options::end = v, *this; }
};
struct plateau_options : options<situ_plateau_options> {
    plateau_options &factor(double v) { return situ_plateau_options::factor = v, *this; }
    plateau_options &patience(int64_t v) { return situ_plateau_options::patience = v, *this; }
    plateau_options &threshold(double v) { return situ_plateau_options::threshold = v, *this; }
    plateau_options &cooldown(int64_t v) { return situ_plateau_options::cooldown = v, *this; }
    plateau_options &least(double v) { return situ_plateau_options::least = v, *this; }
    plateau_options &largest(bool v = true) { return situ_plateau_options::largest = v, *this; }
};
inline situ_optimizer *sgd(situ_module *net, const sgd_options &o = {}, site at = {})
{
    return checked(situ_sgd(net, &o, at));
}
inline situ_optimizer *adam(situ_module *net, const adam_options &o = {}, site at = {})
{
    return checked(situ_adam(net, &o, at));
}
struct adamw_options : options<situ_adam_options> {
    adamw_options() { situ_adam_options::weight_decay = 0.01; }
    adamw_options &lr(double v) { return situ_adam_options::lr = v, *this; }
    adamw_options &beta1(double v) { return situ_adam_options::beta1 = v, *this; }
    adamw_options &beta2(double v) { return situ_adam_options::beta2 = v, *this; }
    adamw_options &eps(double v) { return situ_adam_options::eps = v, *this; }
    adamw_options &weight_decay(double v) { return situ_adam_options::weight_decay = v, *this; }
    adamw_options &clip_norm(double v) { return situ_adam_options::clip_norm = v, *this; }
    adamw_options &clip_value(double v) { return situ_adam_options::clip_value = v, *this; }
    adamw_options &lazy_rows(bool v = true) { return situ_adam_options::lazy_rows = v, *this; }
};
inline situ_optimizer *adamw(situ_module *net, const adamw_options &o = {}, site at = {})
{
    return checked(situ_adamw(net, &o, at));
}
inline situ_optimizer *adagrad(situ_module *net, const adagrad_options &o = {}, site at = {})
{
    return checked(situ_adagrad(net, &o, at));
}
inline situ_optimizer *rmsprop(situ_module *net, const rmsprop_options &o = {}, site at = {})
{
    return checked(situ_rmsprop(net, &o, at));
}
inline situ_optimizer *adadelta(situ_module *net, const adadelta_options &o = {}, site at = {})
{
    return checked(situ_adadelta(net, &o, at));
}
inline situ_optimizer *adamax(situ_module *net, const adamax_options &o = {}, site at = {})
{
    return checked(situ_adamax(net, &o, at));
}
inline situ_optimizer *nadam(situ_module *net, const nadam_options &o = {}, site at = {})
{
    return checked(situ_nadam(net, &o, at));
}
inline situ_optimizer *radam(situ_module *net, const radam_options &o = {}, site at = {})
{
    return checked(situ_radam(net, &o, at));
}
inline situ_optimizer *lion(situ_module *net, const lion_options &o = {}, site at = {})
{
    return checked(situ_lion(net, &o, at));
}
inline situ_optimizer *lamb(situ_module *net, const lamb_options &o = {}, site at = {})
{
    return checked(situ_lamb(net, &o, at));
}
inline situ_optimizer *adafactor(situ_module *net, const adafactor_options &o = {}, site at = {})
{
    return checked(situ_adafactor(net, &o, at));
}
inline situ_optimizer *muon(situ_module *net, const muon_options &o = {}, site at = {})
{
    return checked(situ_muon(net, &o, at));
}
inline situ_optimizer *lbfgs(situ_module *net, const lbfgs_options &o = {}, site at = {})
{
    return checked(situ_lbfgs(net, &o, at));
}
inline void optimizer_free(situ_optimizer *opt, site at = {})
{
    situ_called_at(at); situ_optimizer_free(opt); check();
}
inline int optimizer_step(situ_optimizer *opt, operand loss)
{
    return checked(situ_optimizer_step(opt, loss.t, loss.at));
}
inline int optimizer_step_n(situ_optimizer *opt, const situ::list &losses, const double *weights, site at = {})
{
    return checked(situ_optimizer_step_n(opt, losses, weights, at));
}
inline int optimizer_step_group(situ_optimizer *opt, const situ::list &losses, const double *weights, situ_group *group, int64_t total, site at = {})
{
    return checked(situ_optimizer_step_group(opt, losses, weights, group, total, at));
}
inline tensor mean_loss(const situ::list &losses, const double *weights, site at = {})
{
    return situ_mean_loss(losses, weights, at);
}
inline double optimizer_lr(const situ_optimizer *opt) { return checked(situ_optimizer_lr(opt)); }
inline int optimizer_set_lr(situ_optimizer *opt, double lr, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_set_lr(opt, lr));
}
inline double optimizer_clip_norm(const situ_optimizer *opt) { return checked(situ_optimizer_clip_norm(opt)); }
inline int optimizer_set_clip_norm(situ_optimizer *opt, double norm, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_set_clip_norm(opt, norm));
}
inline int optimizer_set_loss_scale(situ_optimizer *opt, double first, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_set_loss_scale(opt, first));
}
inline double optimizer_loss_scale(situ_optimizer *opt, site at = {})
{
    return checked(situ_optimizer_loss_scale(opt, at));
}
inline int64_t optimizer_left_out(situ_optimizer *opt, site at = {})
{
    return checked(situ_optimizer_left_out(opt, at));
}
inline int64_t optimizer_steps(const situ_optimizer *opt) { return checked(situ_optimizer_steps(opt)); }
inline const char *optimizer_name(const situ_optimizer *opt) { return checked(situ_optimizer_name(opt)); }
inline int optimizer_hyper(const situ_optimizer *opt, situ_hyper *out, int most, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_hyper(opt, out, most));
}
inline int optimizer_set(situ_optimizer *opt, const char *paths, const char *hyper, double value, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_set(opt, paths, hyper, value));
}
inline int optimizer_set_clip_value(situ_optimizer *opt, double value, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_set_clip_value(opt, value));
}
inline int optimizer_set_accumulation(situ_optimizer *opt, int n, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_set_accumulation(opt, n));
}
inline int optimizer_set_average(situ_optimizer *opt, double decay, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_set_average(opt, decay));
}
inline int optimizer_swap_average(situ_optimizer *opt, site at = {})
{
    return checked(situ_optimizer_swap_average(opt, at));
}
inline int schedule_warmup(situ_optimizer *opt, int64_t steps, double start, site at = {})
{
    situ_called_at(at); return checked(situ_schedule_warmup(opt, steps, start));
}
inline int schedule_constant(situ_optimizer *opt, site at = {})
{
    situ_called_at(at); return checked(situ_schedule_constant(opt));
}
inline int schedule_step(situ_optimizer *opt, int64_t every, double gamma, site at = {})
{
    situ_called_at(at); return checked(situ_schedule_step(opt, every, gamma));
}
inline int schedule_multi_step(situ_optimizer *opt, const int64_t *at, int n, double gamma, site here = {})
{
    situ_called_at(here); return checked(situ_schedule_multi_step(opt, at, n, gamma));
}
inline int schedule_exponential(situ_optimizer *opt, double gamma, site at = {})
{
    situ_called_at(at); return checked(situ_schedule_exponential(opt, gamma));
}
inline int schedule_polynomial(situ_optimizer *opt, int64_t steps, double power, double least, site at = {})
{
    situ_called_at(at); return checked(situ_schedule_polynomial(opt, steps, power, least));
}
inline int schedule_cosine(situ_optimizer *opt, int64_t steps, const cosine_options &o = {}, site at = {})
{
    return checked(situ_schedule_cosine(opt, steps, &o, at));
}
inline int schedule_one_cycle(situ_optimizer *opt, int64_t steps, const one_cycle_options &o = {}, site at = {})
{
    return checked(situ_schedule_one_cycle(opt, steps, &o, at));
}
inline int schedule_plateau(situ_optimizer *opt, const plateau_options &o = {}, site at = {})
{
    return checked(situ_schedule_plateau(opt, &o, at));
}
inline int schedule_report(situ_optimizer *opt, double value, site at = {})
{
    situ_called_at(at); return checked(situ_schedule_report(opt, value));
}
inline int schedule_custom(situ_optimizer *opt, situ_schedule_function function, void *user, site at = {})
{
    situ_called_at(at); return checked(situ_schedule_custom(opt, function, user));
}
inline double schedule_at(situ_optimizer *opt, int64_t t, site at = {})
{
    situ_called_at(at); return checked(situ_schedule_at(opt, t));
}
inline situ_optimizer *optimizer_custom(situ_module *net, const situ_optimizer_rule *rule, const void *values, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_custom(net, rule, values));
}

} // namespace situ
#endif
