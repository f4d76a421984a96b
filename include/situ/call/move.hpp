// situ/move.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/move.h: change that.
#ifndef SITU_CALL_MOVE_HPP
#define SITU_CALL_MOVE_HPP

namespace situ {

struct axes_options : options<situ_axes_options> {
    axes_options() = default;
    axes_options(std::initializer_list<int> list) { situ_axes_options::axes = situ::axes(list); }
    axes_options &axes(const situ::axes &v) { return situ_axes_options::axes = v, *this; }
};
struct slice_options : options<situ_slice_options> {
    slice_options &start(const situ::shape &v) { return situ_slice_options::start = v, *this; }
    slice_options &start(int64_t each) { return situ_slice_options::start.dim[0] = each, *this; }
    slice_options &stop(const situ::shape &v) { return situ_slice_options::stop = v, *this; }
    slice_options &stop(int64_t each) { return situ_slice_options::stop.dim[0] = each, *this; }
    slice_options &step(const situ::shape &v) { return situ_slice_options::step = v, *this; }
    slice_options &step(int64_t each) { return situ_slice_options::step.dim[0] = each, *this; }
};
struct axis_options : options<situ_axis_options> {
    axis_options &axis(int32_t v) { return situ_axis_options::axis = v, *this; }
};
struct last_axis_options : options<situ_last_axis_options> {
    last_axis_options &axis(int32_t v) { return situ_last_axis_options::axis = v, *this; }
};
struct roll_options : options<situ_roll_options> {
    roll_options &axis(int32_t v) { return situ_roll_options::axis = v, *this; }
};
struct pad_options : options<situ_pad_options> {
    pad_options &value(double v) { return situ_pad_options::value = v, *this; }
    pad_options &mode(situ_pad_mode v) { return situ_pad_options::mode = v, *this; }
};
inline tensor reshape(operand x, const situ::shape &shape) { return situ_reshape(x.t, shape, x.at); }
inline tensor permute(operand x, const situ::axes &axes) { return situ_permute(x.t, axes, x.at); }
inline tensor transpose(operand x) { return situ_transpose(x.t, x.at); }
inline tensor matrix_transpose(operand x) { return situ_matrix_transpose(x.t, x.at); }
inline tensor swapaxes(operand x, int a, int b) { return situ_swapaxes(x.t, a, b, x.at); }
inline tensor moveaxis(operand x, int from, int to) { return situ_moveaxis(x.t, from, to, x.at); }
inline tensor expand_dims(operand x, int axis) { return situ_expand_dims(x.t, axis, x.at); }
inline tensor broadcast_to(operand x, const situ::shape &shape) { return situ_broadcast_to(x.t, shape, x.at); }
inline tensor select(operand x, int axis, int64_t i) { return situ_select(x.t, axis, i, x.at); }
inline tensor diag(operand x, int64_t offset) { return situ_diag(x.t, offset, x.at); }
inline tensor diagonal(operand x, int64_t offset) { return situ_diagonal(x.t, offset, x.at); }
inline tensor squeeze(operand x, const axes_options &o = {}) { return situ_squeeze(x.t, &o, x.at); }
inline tensor flip(operand x, const axes_options &o = {}) { return situ_flip(x.t, &o, x.at); }
inline tensor slice(operand x, const slice_options &o = {}) { return situ_slice(x.t, &o, x.at); }
inline tensor update_slice(operand x, operand value, const situ::shape &start)
{
    return situ_update_slice(x.t, value.t, start, x.at);
}
inline tensor concat(const situ::list &tensors, const axis_options &o = {}, site at = {})
{
    return situ_concat(tensors, &o, at);
}
inline tensor stack(const situ::list &tensors, const axis_options &o = {}, site at = {})
{
    return situ_stack(tensors, &o, at);
}
inline tensor atleast_1d(operand x) { return situ_atleast_1d(x.t, x.at); }
inline tensor atleast_2d(operand x) { return situ_atleast_2d(x.t, x.at); }
inline tensor atleast_3d(operand x) { return situ_atleast_3d(x.t, x.at); }
inline tensor vstack(const situ::list &tensors, site at = {}) { return situ_vstack(tensors, at); }
inline tensor hstack(const situ::list &tensors, site at = {}) { return situ_hstack(tensors, at); }
inline int split(operand x, int count, situ_tensor **out, const axis_options &o = {})
{
    return checked(situ_split(x.t, count, out, &o, x.at));
}
inline tensor roll(operand x, int64_t shift, const roll_options &o = {}) { return situ_roll(x.t, shift, &o, x.at); }
inline tensor pad(operand x, const situ::shape &before, const situ::shape &after, const pad_options &o = {})
{
    return situ_pad(x.t, before, after, &o, x.at);
}
inline tensor tile(operand x, const situ::shape &counts) { return situ_tile(x.t, counts, x.at); }
inline tensor repeat(operand x, int64_t count, const roll_options &o = {})
{
    return situ_repeat(x.t, count, &o, x.at);
}

} // namespace situ
#endif
