// situ/custom.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/custom.h: change that.
#ifndef SITU_CALL_CUSTOM_HPP
#define SITU_CALL_CUSTOM_HPP

namespace situ {

struct steps_options : options<situ_steps_options> {
    steps_options &length(int64_t v) { return situ_steps_options::length = v, *this; }
    steps_options &reverse(bool v = true) { return situ_steps_options::reverse = v, *this; }
};
struct vmap_options : options<situ_vmap_options> {
    vmap_options &in_axes(const situ::shape &v) { return situ_vmap_options::in_axes = v, *this; }
    vmap_options &in_axes(int64_t each) { return situ_vmap_options::in_axes.dim[0] = each, *this; }
    vmap_options &out_axis(int32_t v) { return situ_vmap_options::out_axis = v, *this; }
};
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
inline int scan(situ_body_fn body, void *self, const situ::list &start, const situ::list &xs, situ_tensor **state, situ_tensor **ys, int outputs, const steps_options &o = {}, site at = {})
{
    return checked(situ_scan(body, self, start, xs, state, ys, outputs, &o, at));
}
inline int while_loop(situ_test_fn test, situ_body_fn body, void *self, const situ::list &start, situ_tensor **state, site at = {})
{
    return checked(situ_while_loop(test, body, self, start, state, at));
}
inline int branch(operand condition, situ_body_fn then, situ_body_fn otherwise, void *self, const situ::list &start, situ_tensor **state)
{
    return checked(situ_branch(condition.t, then, otherwise, self, start, state, condition.at));
}
inline int vmap(situ_slices_fn f, void *self, const situ::list &inputs, situ_tensor **results, int outputs, const vmap_options &o = {}, site at = {})
{
    return checked(situ_vmap(f, self, inputs, results, outputs, &o, at));
}

} // namespace situ
#endif
