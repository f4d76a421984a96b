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
};
inline situ_trainer *trainer_new(const trainer_options &o = {}, site at = {})
{
    return checked(situ_trainer_new(&o, at));
}
inline void trainer_free(situ_trainer *trainer, site at = {}) { situ_trainer_free_at(trainer, at); check(); }
inline int trainer_fit(situ_trainer *trainer, situ_module *net, situ_optimizer *opt, const situ_dataset *train, const situ_dataset *held_out, site at = {})
{
    return checked(situ_trainer_fit(trainer, net, opt, train, held_out, at));
}
inline double trainer_evaluate(situ_trainer *trainer, situ_module *net, const situ_dataset *data, site at = {})
{
    return checked(situ_trainer_evaluate(trainer, net, data, at));
}
inline double trainer_loss(const situ_trainer *trainer) { return checked(situ_trainer_loss(trainer)); }
inline double trainer_validation_loss(const situ_trainer *trainer)
{
    return checked(situ_trainer_validation_loss(trainer));
}
inline double trainer_accuracy(const situ_trainer *trainer) { return checked(situ_trainer_accuracy(trainer)); }
inline double trainer_seconds(const situ_trainer *trainer) { return checked(situ_trainer_seconds(trainer)); }
inline int trainer_epochs(const situ_trainer *trainer) { return checked(situ_trainer_epochs(trainer)); }
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
