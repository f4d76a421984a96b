/* Gradients: more graph, recorded from the operations' rules; so a gradient has gradients too.
 *
 *     situ_tensor *grad[2];
 *     situ_grad(loss, TENSORS(w, b), grad);     // d loss / d w and d loss / d b, pending like any value
 *
 * A variable is a leaf: its gradient counts each use of its present value, in any scope. No gradient passes an assignment: the
 * tensor that was assigned has a gradient of its own. To differentiate through several steps of an update, keep the values in
 * tensors instead of variables. If y depends on a value that a variable had before an assignment, every gradient of y is the
 * error SITU_OVERWRITTEN: ask for the gradient before the assignment, compute y again, or use situ_stop_gradient on the old value.
 * None of this depends on what has been computed already.
 * A kept tensor has its history until the scope that it was made in closes.
 */
#ifndef SITU_GRAD_H
#define SITU_GRAD_H

#include <situ/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = d y / d wrt[i] for a float scalar y (0-d) and tensors or variables wrt, with the shape and dtype of wrt[i];
 * zeros where y does not depend on it. 0, or a negative code and poisoned tensors. */
SITU_API int situ_grad(situ_tensor *y, situ_list wrt, situ_tensor **out, situ_site site);
/* The same for any y, from a given gradient g of y (with the shape of y, or one number): out[i] = g . dy/dwrt[i]. */
SITU_API int situ_pullback(situ_tensor *y, situ_tensor *g, situ_list wrt, situ_tensor **out, situ_site site);
/* The derivative of y along directions: sum over i of (d y / d wrt[i]) directions[i], with the shape of y. Forward mode by two
 * reverse passes, of which only the second is computed. */
SITU_API situ_tensor *situ_jvp(situ_tensor *y, situ_list wrt, situ_list directions, situ_site site);
/* Products of the Hessian of a scalar y with directions: out[i] = sum over k of (d^2 y / d wrt[i] d wrt[k]) directions[k]. 0, or a
 * negative code and poisoned tensors. */
SITU_API int situ_hvp(situ_tensor *y, situ_list wrt, situ_list directions, situ_tensor **out, situ_site site);
/* While it is on, what this thread records has no gradient, and nothing is stored for one. Returns the old setting. */
SITU_API bool situ_no_grad(bool on);

#ifdef __cplusplus
}
#endif

#include <situ/call/grad.h>

#endif
