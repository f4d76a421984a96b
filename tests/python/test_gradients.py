"""Gradients, histories, and variables, as the package is installed."""
import gc
import math

import numpy as np

import situ
from situ import _situ as ops
from support import array, elementwise_rows, numpy, raises, run, within


def test_gradients():
    x = situ.asarray([1.0, 2.0, 3.0])
    value, g = situ.value_and_grad(lambda v: situ.sum(v * v * v))(x)
    assert float(value) == 36 and g.tolist() == [3, 12, 27]
    assert float(situ.grad(situ.grad(lambda v: v * v * v))(situ.asarray(2.0))) == 12
    one = situ.asarray(3.0)
    assert float(situ.grad(lambda y: y * one)(one)) == 3  # only by what was passed
    tree = {"w": situ.asarray([2.0]), "b": (situ.asarray([1.0]),)}
    g = situ.grad(lambda t: situ.sum(t["w"] * t["w"] + t["b"][0]))(tree)
    assert g["w"].tolist() == [4] and g["b"][0].tolist() == [1]
    loss = situ.sum(situ.stop_gradient(x) * x)
    assert situ.gradients(loss, [x])[0].tolist() == [1, 2, 3]
    y, pull = situ.vjp(lambda a, b: a * b, x, x)
    assert [t.tolist() for t in pull(situ.ones((3,)))] == [[1, 2, 3], [1, 2, 3]]


def test_what_nobody_holds_any_more_has_gradients():
    x, w = situ.asarray([4.0, 5.0, 6.0]), np.array([1, 2, 3], np.float32)
    bodies = {"a variable": lambda x: situ.sum(x * x * situ.variable(w)), "a pending variable": lambda x: situ.sum(x * x * situ.variable(situ.asarray(w) + 0)),
              "Linear": lambda x: situ.sum(situ.nn.Linear(2)(x[None, :] * x)), "GroupNorm": lambda x: situ.sum(situ.nn.GroupNorm(1)(x[None, :, None]) ** 3),
              "PReLU": lambda x: situ.sum(situ.nn.PReLU()(x * -1.0) * x)}
    for name, f in bodies.items():
        wanted = situ.grad(f)(x).tolist()
        assert all(map(math.isfinite, wanted)) and (name != "a variable" or wanted == [8, 20, 36]), name
        if name == "Linear":
            continue  # its weights are others each time
        assert situ.value_and_grad(f)(x)[1].tolist() == wanted, name
        assert situ.vjp(f, x)[1](situ.ones(()))[0].tolist() == wanted, name
        slope = float(situ.jvp(f, (x,), (situ.ones((3,)),))[1])
        assert abs(slope - sum(wanted)) < 1e-4 * (1 + abs(slope)), name
        held = situ.variable(x)
        assert situ.gradients(f(held), [held])[0].tolist() == wanted, name


def test_no_gradient_is_silently_zero_after_a_read():
    def gradient(x, read):
        z = x * x
        y = situ.sum(z * x)
        read(z, y)
        return situ.gradients(y, [x])[0].tolist()

    reads = [lambda z, y: situ.eval(y), lambda z, y: situ.eval(z), lambda z, y: float(y), lambda z, y: str(z), lambda z, y: z.tolist(),
             lambda z, y: y.item() if hasattr(y, "item") else float(y), lambda z, y: np.asarray(z), lambda z, y: bool(y > 0)]
    x = situ.asarray([1.0, 2.0, 3.0])
    assert gradient(x, lambda z, y: None) == [3, 12, 27]
    for read in reads:
        assert gradient(situ.variable(x), read) == [3, 12, 27]
        assert situ.grad(lambda v: (lambda z: (read(z, z[0]), situ.sum(z * v))[1])(v * v))(x).tolist() == [3, 12, 27]
        assert gradient(x, read) == gradient(situ.variable(x, trainable=False), read) == [3, 12, 27]


def test_what_cannot_have_come_from_a_tensor_is_a_constant():
    w = situ.random.normal(situ.random.key(0), (3,)) * 0.1
    situ.eval(w)
    for _ in range(300):  # data that is newer than w, computed before the loss
        x = situ.asarray([1.0, 2.0, 3.0]) / 255
        situ.eval(x)
        g, = situ.gradients(situ.sum((x * w) ** 2), [w])
        w = w - 0.1 * g
        situ.eval(w)


def test_a_part_of_a_stored_tensor_is_a_way_for_gradients():
    for x in (situ.asarray([[1.0, 2.0], [3.0, 4.0]]), situ.asarray([[1.0, 2.0], [3.0, 4.0]]) * 1):
        for read in (lambda t: None, situ.wait):
            read(x)
            row = x[0]
            read(row)
            y = situ.sum(row * row)
            read(y)
            assert situ.gradients(y, [x])[0].tolist() == [[2, 4], [0, 0]] and situ.gradients(y, [row])[0].tolist() == [2, 4]
            assert situ.gradients(x[1, ::-1][0], [x])[0].tolist() == [[0, 0], [0, 1]]


def test_what_was_made_without_gradients_may_be_asked_for_itself():
    for read in (lambda t: None, situ.wait):
        x = situ.asarray([1.0, 2.0])
        with situ.no_grad():
            a = x * 2
        b = situ.stop_gradient(x * 3)
        y = situ.sum(a * a * b)
        read(y)
        assert [g.tolist() for g in situ.gradients(y, [x, a, b])] == [[0, 0], [12, 48], [4, 16]]


def test_a_number_is_pulled_back_on_any_device():
    for device in ["cpu"] + ["gpu:0"] * (situ.num_gpus() > 0):
        x = situ.ones((3,), device=device)
        for f in (lambda v: situ.sum(v * v), lambda v: v * v):
            assert situ.vjp(f, x)[1](1.5)[0].tolist() == [3, 3, 3]


def test_histories_hold_little_and_say_when_they_have_forgotten():
    target, u = situ.ones((64,)), situ.zeros((64,))
    live = []
    for i in range(6000):
        u = u + 0.1 * (target - u)
        situ.eval(u)
        live.append(situ._situ.live())
    assert max(live) < 12_000, max(live)
    raises(situ.GradientError, lambda: situ.gradients(situ.sum(u), [target]), "has forgotten how it came from", "test_gradients.py")
    assert situ.gradients(situ.sum(u * u), [u])[0].tolist() == (2 * u).tolist()
    u = situ.zeros((64,))
    for i in range(100):
        u = u + 0.1 * (target - u)
        situ.eval(u)
    assert abs(situ.gradients(u[3], [target])[0].tolist()[3] - (1 - 0.9**100)) < 1e-5


def test_histories_hold_no_large_values():
    x = situ.ones((1 << 18,))  # 1 MB
    situ.wait(x)
    before = situ._situ.memory_of(situ.cpu())["in_use"]
    y = x
    for i in range(40):
        y = y * 1.01
        situ.wait(y)
    assert situ._situ.memory_of(situ.cpu())["in_use"] - before < 8 << 20
    want = 1.01**40
    assert abs(float(situ.gradients(situ.sum(y), [x])[0][5]) - want) < 1e-4 * want
    results = []
    for i in range(40):  # what a result came from, which nobody else has
        results.append(situ.sum(situ.random.uniform(situ.random.key(i), x.shape) * x))
        situ.wait(results[-1])
    assert situ._situ.memory_of(situ.cpu())["in_use"] - before < 32 << 20


def test_writing_to_a_view_loses_nothing_that_was_written_in_between():
    x = situ.zeros(4)
    w = x[1:3]
    x[2] = 7
    w[0] = 5
    assert x.tolist() == [0, 5, 7, 0] and w.tolist() == [5, 7]
    x[1] = 1
    w += 1
    assert x.tolist() == [0, 2, 8, 0] and w.tolist() == [2, 8]
    m = situ.reshape(situ.arange(6, dtype="float32"), (2, 3))
    t = m.T
    row = t[1]
    m *= 2
    row[0] = -1
    assert m.tolist() == [[0, -1, 4], [6, 8, 10]]
    t[None, 0, :][0, 1] = -2  # a view of a view that was taken before
    assert m.tolist() == [[0, -1, 4], [-2, 8, 10]]


def test_graphs_of_gradients_die():
    live = situ._situ.live()
    w = situ.variable(situ.ones((4,)))
    for _ in range(50):
        loss = situ.sum(w * w)
        g, = situ.gradients(loss, [w])
        situ.assign(w, w - 0.1 * g)
        float(loss)
    situ.eval(w)
    del loss, g
    gc.collect()
    assert situ._situ.live() <= live + 4, situ._situ.live() - live
    assert abs(float(w[0]) - 0.8**50) < 1e-6


def test_variables_change_and_their_readers_do_not():
    v = situ.variable(situ.zeros((2,)), name="v")
    before = v + 0
    view = np.asarray(v)
    for i in range(3):
        situ.assign(v, v + 1)
    assert v.tolist() == [3, 3] and before.tolist() == [0, 0] and view.tolist() == [0, 0]
    raises(TypeError, lambda: v.__setitem__(0, 1))


def test_a_part_of_a_variable_is_all_that_is_written():
    rows, columns = 4096, 192
    v = situ.variable(situ.zeros((rows, columns)), trainable=False)
    a = np.zeros((rows, columns), np.float32)
    situ.wait(v)
    row = situ.reshape(situ.arange(columns, dtype=situ.float32), (1, columns))
    situ.wait(row)

    def one(i):
        situ.assign(v, row + i, start=(i, 0))
        a[i] = np.arange(columns) + i

    def two():
        one(3)
        one(7)

    def then_read():
        one(9)
        assert float(situ.sum(v[9])) == a[9].sum()
        one(11)

    def columns_of():
        situ.assign(v, situ.ones((rows, 1)), start=(0, 5))
        a[:, 5] = 1
    for work in (lambda: one(1), two, then_read, columns_of):
        within(4 * rows * columns // 8, work)
    assert (np.asarray(v) == a).all()
    view = np.asarray(v)  # who looks at the old value keeps it
    one(20)
    assert view[20, 1] == 0 and (np.asarray(v) == a).all()


def test_a_gradient_is_by_the_argument_that_a_function_changes_in_place():
    x = situ.asarray([1.0, 2.0])

    def scaled(v):
        v *= 3
        return situ.sum(v * v)

    def first(v):
        v[0] = 5.0
        return situ.sum(v * v)

    def tree(d):
        d["a"] *= 2
        d["b"][0] -= 1
        return situ.sum(d["a"] * d["b"][0])

    assert situ.grad(scaled)(x).tolist() == [18, 36] and x.tolist() == [1, 2]
    assert situ.value_and_grad(scaled)(x)[1].tolist() == [18, 36]
    assert situ.grad(first)(x).tolist() == [0, 4]
    assert situ.vjp(scaled, x)[1](situ.asarray(1.0))[0].tolist() == [18, 36]
    g = situ.grad(tree)({"a": x, "b": [x]})
    assert g["a"].tolist() == [0, 2] and g["b"][0].tolist() == [2, 4] and x.tolist() == [1, 2]


def test_descent_in_a_loop_holds_one_step():
    f = lambda v: situ.sum(situ.exp(v) * v)

    def by_grad(x):
        return x - 0.001 * situ.grad(f)(x)

    def by_value_and_grad(x):
        value, slope = situ.value_and_grad(f)(x)
        value.item()
        return x - 0.001 * slope

    def by_vjp(x):
        y, pull = situ.vjp(situ.exp, x)
        return x - 0.001 * pull(y)[0]

    def of_a_tree(x):
        tree = situ.grad(lambda t: situ.sum(t["a"] * t["a"]) + f(t["b"][0]))({"a": x, "b": [x]})
        return x - 0.001 * (tree["a"] + tree["b"][0])

    def second(x):
        return x - 0.001 * situ.grad(lambda v: situ.sum(situ.grad(f)(v) * v))(x)

    for step in (by_grad, by_value_and_grad, by_vjp, of_a_tree, second):
        for read in (lambda x: x[0].item(), situ.eval, lambda x: situ.sum(x).item(), lambda x: None):
            x = situ.zeros((1 << 16,))
            before = situ._situ.memory_of(situ.cpu())["in_use"]
            for _ in range(150):
                x = step(x)
                read(x)
            situ.eval(x)
            assert situ._situ.memory_of(situ.cpu())["in_use"] - before < 12 << 20, step.__name__  # 150 steps that are held: 39 MB at least
            assert x[0].item() < 0


def test_a_watched_value_that_is_kept_is_still_differentiated_by():
    held = []

    def f(v):
        held.append((v, situ.exp(v) * v))
        return situ.sum(held[-1][1])

    for _ in range(40):
        situ.grad(f)(situ.full((1 << 14,), 0.5)).tolist()
    for v, y in held[::13]:
        assert abs(situ.gradients(situ.sum(y), [v])[0][0].item() - 1.5 * math.exp(0.5)) < 1e-6
    pulls = [situ.vjp(lambda v: situ.sum(v * v * k), situ.full((1 << 14,), 0.5)) for k in (1, 2, 3)]
    for _ in range(40):
        situ.grad(f)(situ.full((1 << 14,), 0.5)).tolist()
    for k, (y, pull) in enumerate(pulls, 1):
        assert pull(situ.asarray(1.0))[0][5].item() == k


def test_without_gradient():
    """What is differentiable nowhere takes or gives no floats, and a gradient through it is zero or refused."""
    x = array(np.array([0.5, -1.5]))
    for row in elementwise_rows():
        if row.kind not in ("PREDICATE", "COMPARE", "EQUAL", "LOGIC"):
            continue
        y = getattr(ops, row.name)(*[x] * row.arity)
        assert y.dtype.short == "bool", f"{row.name} gives {y.dtype}"
        grad = situ.gradients(ops.sum(ops.mul(ops.cast(y, "f64"), x)), [x])[0]
        assert (numpy(grad) == numpy(y)).all(), f"a gradient came through {row.name}: {numpy(grad)}"
    for name in ("argmax", "argsort", "count_nonzero", "any", "all"):
        y = getattr(ops, name)(x)
        assert y.dtype.short in ("bool", "i64"), f"{name} gives {y.dtype}"
    for y in (ops.argmax(x), ops.any(x)):
        try:
            situ.gradients(y, [x])
        except situ.Error as error:
            assert isinstance(error, (situ.GradientError, situ.DTypeError)), str(error)
        else:
            raise AssertionError(f"the gradient of a {y.dtype} was not refused")
    y = ops.sum(ops.mul(ops.stop_gradient(ops.square(x)), x))
    assert np.allclose(numpy(situ.gradients(y, [x])[0]), numpy(x)**2), "stop_gradient"


def test_bits_have_no_gradient():
    """A float made from the bits of a float is refused by name."""
    for there, back, dtype in (("bitcast_u32", "bitcast_f32", "f32"), ("bitcast_u64", "bitcast_f64", "f64")):
        x = array(np.ones(2), dtype)
        y = ops.sum(getattr(ops, back)(getattr(ops, there)(x)))
        assert (numpy(situ.gradients(y, [x])[0]) == 0).all(), back


def test_nextafter():
    a, b = array(np.array([1.0, 2.0])), array(np.array([3.0, -3.0]))
    by_a, by_b = situ.gradients(ops.sum(ops.mul(ops.nextafter(a, b), 3.0)), [a, b])
    assert (numpy(by_a) == 3).all() and (numpy(by_b) == 0).all()


def test_variables():
    """Gradients by variables, by a variable's value after an assignment, and what does not depend on it."""
    w, b = situ.variable(array(np.array([1.0, 2.0]))), situ.variable(array(np.array(3.0)))
    unused = situ.variable(array(np.ones((2, 2))))
    loss = ops.sum(ops.square(ops.mul(w, b)))
    by_w, by_b, by_unused = situ.gradients(loss, [w, b, unused])
    assert loss.item() == 45.0
    assert numpy(by_w).tolist() == [18.0, 36.0] and numpy(by_b) == 30.0 and (numpy(by_unused) == 0).all()
    situ.assign(w, ops.sub(w, ops.mul(by_w, 0.5)))
    by_w = situ.gradients(ops.sum(ops.square(ops.mul(w, b))), [w])[0]
    assert numpy(by_w).tolist() == [-144.0, -288.0], numpy(by_w)


def test_pullback():
    """A given gradient of any shape is pulled back; pulling back ones is the gradient of the sum."""
    x = array(np.random.default_rng(50).uniform(-2, 2, (3, 4)))
    y, g = ops.exp(x), np.random.default_rng(51).uniform(-2, 2, (3, 4))
    got = numpy(situ.gradients(y, [x], array(g))[0])
    assert np.allclose(got, g * np.exp(numpy(x)), 1e-12)


if __name__ == "__main__":
    run(globals())
