// situ/train.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/train.h: change that.
#ifndef SITU_CALL_TRAIN_HPP
#define SITU_CALL_TRAIN_HPP

namespace situ {

struct trainer_options : options<situ_trainer_options> {
    trainer_options &max_epochs(int32_t v) { return situ_trainer_options::max_epochs = v, *this; }
    trainer_options &num_gpus(int32_t v) { return situ_trainer_options::num_gpus = v, *this; }
    trainer_options &clip_norm(double v) { return situ_trainer_options::clip_norm = v, *this; }
    trainer_options &deterministic(bool v = true) { return situ_trainer_options::deterministic = v, *this; }
    trainer_options &batch(int64_t v) { return situ_trainer_options::batch = v, *this; }
    trainer_options &key(int64_t v) { return situ_trainer_options::key = v, *this; }
    trainer_options &cosine(bool v = true) { return situ_trainer_options::cosine = v, *this; }
    trainer_options &resident(int32_t v) { return situ_trainer_options::resident = v, *this; }
    trainer_options &device(situ_device v) { return situ_trainer_options::device = v, *this; }
    trainer_options &board(FILE *v) { return situ_trainer_options::board = v, *this; }
    trainer_options &plot(const char *v) { return situ_trainer_options::plot = v, *this; }
    trainer_options &title(const char *v) { return situ_trainer_options::title = v, *this; }
    trainer_options &xlim(double v) { return situ_trainer_options::xlim = v, *this; }
    trainer_options &loss(situ_loss_fn v) { return situ_trainer_options::loss = v, *this; }
    trainer_options &step(situ_step_fn v) { return situ_trainer_options::step = v, *this; }
    trainer_options &self(void *v) { return situ_trainer_options::self = v, *this; }
    trainer_options &on_step(situ_trainer_fn v) { return situ_trainer_options::on_step = v, *this; }
    trainer_options &on_epoch(situ_trainer_fn v) { return situ_trainer_options::on_epoch = v, *this; }
    trainer_options &patience(int32_t v) { return situ_trainer_options::patience = v, *this; }
    trainer_options &min_delta(double v) { return situ_trainer_options::min_delta = v, *this; }
    trainer_options &keep_best(bool v = true) { return situ_trainer_options::keep_best = v, *this; }
    trainer_options &monitor(const char *v) { return situ_trainer_options::monitor = v, *this; }
    trainer_options &maximize(bool v = true) { return situ_trainer_options::maximize = v, *this; }
    trainer_options &log_every(int64_t v) { return situ_trainer_options::log_every = v, *this; }
    trainer_options &epoch_batches(int64_t v) { return situ_trainer_options::epoch_batches = v, *this; }
    trainer_options &accumulate(int32_t v) { return situ_trainer_options::accumulate = v, *this; }
    trainer_options &workers(int32_t v) { return situ_trainer_options::workers = v, *this; }
    trainer_options &nan(bool v = true) { return situ_trainer_options::nan = v, *this; }
    trainer_options &progress(FILE *v) { return situ_trainer_options::progress = v, *this; }
    trainer_options &report(const char *v) { return situ_trainer_options::report = v, *this; }
    trainer_options &checkpoint(const char *v) { return situ_trainer_options::checkpoint = v, *this; }
    trainer_options &checkpoint_every(int64_t v) { return situ_trainer_options::checkpoint_every = v, *this; }
    trainer_options &keep(int32_t v) { return situ_trainer_options::keep = v, *this; }
    trainer_options &resume(bool v = true) { return situ_trainer_options::resume = v, *this; }
    trainer_options &group(situ_group *v) { return situ_trainer_options::group = v, *this; }
    trainer_options &precision(situ_dtype v) { return situ_trainer_options::precision = v, *this; }
    trainer_options &proof(const char *v) { return situ_trainer_options::proof = v, *this; }
    trainer_options &proof_every(int64_t v) { return situ_trainer_options::proof_every = v, *this; }
};
inline situ_trainer *trainer_new(const trainer_options &o = {}, site at = {})
{
    return checked(situ_trainer_new(&o, at));
}
inline void trainer_free(situ_trainer *trainer, site at = {})
{
    situ_called_at(at); situ_trainer_free(trainer); check();
}
inline int trainer_fit(situ_trainer *trainer, situ_module *net, situ_optimizer *opt, const situ_dataset *train, const situ_dataset *held_out, site at = {})
{
    return checked(situ_trainer_fit(trainer, net, opt, train, held_out, at));
}
inline double trainer_evaluate(situ_trainer *trainer, situ_module *net, const situ_dataset *data, site at = {})
{
    return checked(situ_trainer_evaluate(trainer, net, data, at));
}
inline double trainer_measure(situ_trainer *trainer, situ_module *net, const situ_dataset *data, site at = {})
{
    return checked(situ_trainer_measure(trainer, net, data, at));
}
inline int trainer_log(situ_trainer *trainer, const char *name, operand value)
{
    return checked(situ_trainer_log(trainer, name, value.t, value.at));
}
inline int trainer_confusion(situ_trainer *trainer, operand prediction, operand target)
{
    return checked(situ_trainer_confusion(trainer, prediction.t, target.t, prediction.at));
}
inline int trainer_begin(situ_trainer *trainer, situ_module *net, situ_optimizer *opt, const situ_dataset *train, const situ_dataset *held_out, site at = {})
{
    return checked(situ_trainer_begin(trainer, net, opt, train, held_out, at));
}
inline int64_t trainer_next(situ_trainer *trainer, situ_batch *out, site at = {})
{
    situ_called_at(at); return checked(situ_trainer_next(trainer, out));
}
inline int trainer_give(situ_trainer *trainer, operand loss)
{
    return checked(situ_trainer_give(trainer, loss.t, loss.at));
}
inline int trainer_end(situ_trainer *trainer, site at = {})
{
    situ_called_at(at); return checked(situ_trainer_end(trainer));
}
inline void trainer_stop(situ_trainer *trainer) { situ_trainer_stop(trainer); check(); }
inline const char *trainer_ended(const situ_trainer *trainer) { return checked(situ_trainer_ended(trainer)); }
inline double trainer_loss(const situ_trainer *trainer) { return checked(situ_trainer_loss(trainer)); }
inline double trainer_validation_loss(const situ_trainer *trainer)
{
    return checked(situ_trainer_validation_loss(trainer));
}
inline double trainer_accuracy(const situ_trainer *trainer) { return checked(situ_trainer_accuracy(trainer)); }
inline double trainer_seconds(const situ_trainer *trainer) { return checked(situ_trainer_seconds(trainer)); }
inline int trainer_epochs(const situ_trainer *trainer) { return checked(situ_trainer_epochs(trainer)); }
inline int64_t trainer_steps(const situ_trainer *trainer) { return checked(situ_trainer_steps(trainer)); }
inline int trainer_best(const situ_trainer *trainer) { return checked(situ_trainer_best(trainer)); }
inline double trainer_value(const situ_trainer *trainer, const char *name)
{
    return checked(situ_trainer_value(trainer, name));
}
inline int trainer_note(situ_trainer *trainer, const char *note, site at = {})
{
    situ_called_at(at); return checked(situ_trainer_note(trainer, note));
}
inline const char *trainer_commitment(const situ_trainer *trainer)
{
    return checked(situ_trainer_commitment(trainer));
}
inline situ_trainer_proof trainer_proof_of(const situ_trainer *trainer)
{
    return checked(situ_trainer_proof_of(trainer));
}
inline situ_trainer_rates trainer_rates_of(const situ_trainer *trainer)
{
    return checked(situ_trainer_rates_of(trainer));
}
inline int trainer_devices(const situ_trainer *trainer, situ_device *out, int most)
{
    return checked(situ_trainer_devices(trainer, out, most));
}
inline int trainer_gpus(const situ_trainer *trainer, situ_device *out, int most)
{
    return checked(situ_trainer_gpus(trainer, out, most));
}
inline int trainer_curves(const situ_trainer *trainer, situ_curve *out, int most)
{
    return checked(situ_trainer_curves(trainer, out, most));
}
inline int report_join(const char *path, const char *const *reports, int count, site at = {})
{
    situ_called_at(at); return checked(situ_report_join(path, reports, count));
}
inline int trainer_prepare_model(situ_trainer *trainer, situ_module *net, site at = {})
{
    situ_called_at(at); return checked(situ_trainer_prepare_model(trainer, net));
}
inline tensor trainer_prepare_batch(situ_trainer *trainer, operand batch)
{
    return situ_trainer_prepare_batch(trainer, batch.t, batch.at);
}
inline int trainer_prepare_arrays(situ_trainer *trainer, const situ::list &batch, situ_tensor **out, site at = {})
{
    return checked(situ_trainer_prepare_arrays(trainer, batch, out, at));
}
inline int trainer_hyper(const situ_trainer *trainer, situ_hyper *out, int most, site at = {})
{
    situ_called_at(at); return checked(situ_trainer_hyper(trainer, out, most));
}
inline int trainer_save_hyperparameters(const situ_trainer *trainer, const situ_optimizer *opt, FILE *file, site at = {})
{
    situ_called_at(at); return checked(situ_trainer_save_hyperparameters(trainer, opt, file));
}

} // namespace situ
#endif
