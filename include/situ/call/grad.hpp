// situ/grad.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/grad.h: change that.
#ifndef SITU_CALL_GRAD_HPP
#define SITU_CALL_GRAD_HPP

namespace situ {

inline int pullback(operand y, operand g, const situ::list &wrt, situ_tensor **out)
{
    return checked(situ_pullback(y.t, g.t, wrt, out, y.at));
}
inline tensor jvp(operand y, const situ::list &wrt, const situ::list &directions)
{
    return situ_jvp(y.t, wrt, directions, y.at);
}
inline int hvp(operand y, const situ::list &wrt, const situ::list &directions, situ_tensor **out)
{
    return checked(situ_hvp(y.t, wrt, directions, out, y.at));
}
inline bool no_grad(bool on) { return checked(situ_no_grad(on)); }

} // namespace situ
#endif
