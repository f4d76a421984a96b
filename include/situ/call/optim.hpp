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
};
struct adam_options : options<situ_adam_options> {
    adam_options &lr(double v) { return situ_adam_options::lr = v, *this; }
    adam_options &beta1(double v) { return situ_adam_options::beta1 = v, *this; }
    adam_options &beta2(double v) { return situ_adam_options::beta2 = v, *this; }
    adam_options &eps(double v) { return situ_adam_options::eps = v, *this; }
    adam_options &weight_decay(double v) { return situ_adam_options::weight_decay = v, *this; }
    adam_options &clip_norm(double v) { return situ_adam_options::clip_norm = v, *this; }
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
};
inline situ_optimizer *adamw(situ_module *net, const adamw_options &o = {}, site at = {})
{
    return checked(situ_adamw(net, &o, at));
}
inline void optimizer_free(situ_optimizer *opt, site at = {}) { situ_optimizer_free_at(opt, at); check(); }
inline int optimizer_step(situ_optimizer *opt, operand loss)
{
    return checked(situ_optimizer_step(opt, loss.t, loss.at));
}
inline int optimizer_step_n(situ_optimizer *opt, const situ::list &losses, const double *weights, site at = {})
{
    return checked(situ_optimizer_step_n(opt, losses, weights, at));
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
inline int64_t optimizer_steps(const situ_optimizer *opt) { return checked(situ_optimizer_steps(opt)); }
inline const char *optimizer_name(const situ_optimizer *opt) { return checked(situ_optimizer_name(opt)); }
inline int optimizer_hyper(const situ_optimizer *opt, situ_hyper *out, int most, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_hyper(opt, out, most));
}
inline situ_optimizer *optimizer_custom(situ_module *net, const situ_optimizer_rule *rule, const void *values, site at = {})
{
    situ_called_at(at); return checked(situ_optimizer_custom(net, rule, values));
}

} // namespace situ
#endif
