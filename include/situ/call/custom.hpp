// situ/custom.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/custom.h: change that.
#ifndef SITU_CALL_CUSTOM_HPP
#define SITU_CALL_CUSTOM_HPP

namespace situ {

inline const situ_custom *custom_new(const char *name, int inputs, situ_custom_infer_fn infer, situ_custom_run_fn run, situ_custom_grad_fn grad, site at = {})
{
    situ_called_at(at); return checked(situ_custom_new(name, inputs, infer, run, grad));
}
inline tensor custom_call(const situ_custom *op, const situ::list &operands, const void *attr, size_t attr_size, site at = {})
{
    return situ_custom_call(op, operands, attr, attr_size, at);
}
inline tensor custom_vjp(operand y, const situ::list &inputs, situ_vjp_fn rule, void *self)
{
    return situ_custom_vjp(y.t, inputs, rule, self, y.at);
}

} // namespace situ
#endif
