// situ/tensor.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/tensor.h: change that.
#ifndef SITU_CALL_TENSOR_HPP
#define SITU_CALL_TENSOR_HPP

namespace situ {

struct from_host_options : options<situ_from_host_options> {
    from_host_options &dtype(situ_dtype v) { return situ_from_host_options::dtype = v, *this; }
    from_host_options &device(situ_device v) { return situ_from_host_options::device = v, *this; }
    from_host_options &borrow(bool v = true) { return situ_from_host_options::borrow = v, *this; }
    from_host_options &release(void (*v)(void *)) { return situ_from_host_options::release = v, *this; }
    from_host_options &self(void *v) { return situ_from_host_options::self = v, *this; }
    from_host_options &pointed(int32_t v) { return situ_from_host_options::pointed = v, *this; }
    from_host_options &room(size_t v) { return situ_from_host_options::room = v, *this; }
};
struct variable_options : options<situ_variable_options> {
    variable_options &trainable(bool v = true) { return situ_variable_options::trainable = v, *this; }
    variable_options &name(const char *v) { return situ_variable_options::name = v, *this; }
};
inline tensor name(operand t, const char *name) { situ_called_at(t.at); return situ_name(t.t, name); }
inline const char *name_of(const tensor &t, site at = {}) { situ_called_at(at); return checked(situ_name_of(t.c())); }
inline int ndim(const tensor &t, site at = {}) { situ_called_at(at); return checked(situ_ndim(t.c())); }
inline int64_t dim(const tensor &t, int axis, site at = {})
{
    situ_called_at(at); return checked(situ_dim(t.c(), axis));
}
inline situ_shape shape_of(const tensor &t, site at = {})
{
    situ_called_at(at); return checked(situ_shape_of(t.c()));
}
inline int64_t count(const tensor &t, site at = {}) { situ_called_at(at); return checked(situ_count(t.c())); }
inline situ_device device_of(const tensor &t, site at = {})
{
    situ_called_at(at); return checked(situ_device_of(t.c()));
}
inline bool is_variable(const tensor &t, site at = {})
{
    situ_called_at(at); return checked(situ_is_variable(t.c()));
}
inline int read_into(operand t, void *out, size_t bytes, situ_dtype pointed, size_t room)
{
    return checked(situ_read_into(t.t, out, bytes, pointed, room, t.at));
}
inline int64_t item_int(operand t) { return checked(situ_item_int(t.t, t.at)); }
inline int print(operand t) { return checked(situ_print(t.t, t.at)); }
inline int fprint(FILE *file, operand t) { return checked(situ_fprint(file, t.t, t.at)); }
inline int set_print_digits(int digits, site at = {})
{
    situ_called_at(at); return checked(situ_set_print_digits(digits));
}
inline int eval(const situ::list &tensors, site at = {}) { return checked(situ_eval(tensors, at)); }
inline int wait(operand t) { return checked(situ_wait(t.t, t.at)); }
inline bool is_ready(operand t) { return checked(situ_is_ready(t.t, t.at)); }
inline const char *state(const tensor &t, site at = {}) { situ_called_at(at); return checked(situ_state(t.c())); }
inline int assign_all(const situ::list &variables, const situ::list &values, site at = {})
{
    return checked(situ_assign_all(variables, values, at));
}
inline int snapshot(const situ::list &tensors, situ_tensor **out, site at = {})
{
    return checked(situ_snapshot(tensors, out, at));
}
inline int assign_slice(operand variable, operand value, const situ::shape &start)
{
    return checked(situ_assign_slice(variable.t, value.t, start, variable.at));
}
inline situ_plan_counters plans() { return checked(situ_plans()); }
inline char *explain(operand t) { situ_called_at(t.at); return checked(situ_explain(t.t)); }
inline bool eager(bool on) { return checked(situ_eager(on)); }
inline bool fusing(bool on) { return checked(situ_fusing(on)); }

} // namespace situ
#endif
