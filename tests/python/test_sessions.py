"""Sessions from Python: the bits of the call, states, versions while another thread publishes, what is refused."""
import copy
import threading

import numpy as np

import situ
from support import raises, run
from situ import nn

draw = np.random.default_rng(0)


def numbers(*shape):
    return draw.normal(size=shape).astype(np.float32)


def test_a_session_gives_the_bits_of_the_call():
    nets = [(nn.Sequential(nn.Linear(40), nn.ReLU(), nn.Linear(3)), [(2, 32)]),
            (nn.Sequential(nn.Conv2d(4, 3), nn.BatchNorm(), nn.ReLU(), nn.Flatten(), nn.Linear(3)), [(1, 3, 8, 8)]),
            (nn.GRU(7), [(2, 5, 4), (1, 2, 7)])]
    for net, shapes in nets:
        session = situ.Session(net, *[situ.zeros(s) for s in shapes])
        net.train(False)
        for _ in range(3):
            given = [numbers(*s) for s in shapes]
            y, wanted = session(*given), net(*[situ.asarray(x) for x in given])
            for a, b in zip(y if isinstance(y, tuple) else (y,), wanted if isinstance(wanted, tuple) else (wanted,)):
                assert np.array_equal(np.asarray(a), np.asarray(b)) and np.asarray(a).dtype == np.asarray(b).dtype
    assert np.asarray(situ.Session(nets[0][0], situ.zeros((2, 32)))(situ.ones((2, 32)))).shape == (2, 3)


def test_states_go_on_are_saved_and_come_back():
    net, x, h = nn.GRU(6), numbers(1, 9, 4), numbers(1, 1, 6)
    whole = np.asarray(net(situ.asarray(x), situ.asarray(h))[0])[0]
    session = situ.Session(net, situ.zeros((1, 1, 4)), situ.asarray(h), state="1=1")

    def steps(first, end):
        return np.stack([np.asarray(session(x[:, t:t + 1])[0])[0, 0] for t in range(first, end)])

    a = steps(0, 5)
    saved = {i: np.array(v) for i, v in session.state().items()}
    b = steps(5, 9)
    assert np.allclose(np.concatenate([a, b]), whole, atol=1e-6)
    session.set_state(saved)
    assert np.array_equal(steps(5, 9), b)
    session.reset()
    assert np.array_equal(steps(0, 5), a)


def test_each_call_sees_one_version_while_a_thread_publishes():
    net = nn.Linear(16)
    net(situ.ones((1, 4)))
    trained = copy.deepcopy(net)

    def publish(version):
        trained.load_state({name: situ.full(value.shape, float(version)) for name, value in trained.state().items()})
        net.publish(trained)

    publish(1)
    session, stop, torn, seen = situ.Session(net, situ.ones((1, 4))), threading.Event(), [], set()
    ones = np.ones((1, 4), np.float32)

    def serve():
        while not stop.is_set():
            y = np.asarray(session(ones))[0]
            seen.add(y[0])
            if len(set(y)) > 1 or y[0] % 5:
                torn.append(y)

    threads = [threading.Thread(target=serve) for _ in range(2)]
    for t in threads:
        t.start()
    for version in range(2, 60):
        publish(version)
    stop.set()
    for t in threads:
        t.join()
    assert not torn and seen and np.asarray(session(ones))[0, 0] == 5 * 59


def test_what_does_not_fit_is_told():
    net = nn.Linear(3)
    session = situ.Session(net, situ.zeros((1, 4)))
    raises(ValueError, lambda: session(np.zeros((2, 4), np.float32)), "input 0 has the shape (1, 4)")
    raises(ValueError, lambda: session(np.zeros((1, 4))), "format 'f'")
    raises(TypeError, lambda: session(), "takes 1 inputs")
    raises(TypeError, lambda: situ.Session(3, situ.zeros(2)), "the network is a situ.nn.Module")
    raises(ValueError, lambda: situ.Session(net, situ.zeros((1, 4)), state="0=0"), "one shape and dtype")
    index = situ.Session(nn.Sequential(nn.Embedding(5, 2)), situ.zeros((3,), dtype=situ.int64))
    raises(IndexError, lambda: index(np.array([0, 1, 7])), "cannot compute")
    assert np.asarray(index(np.array([0, 1, 4]))).shape == (3, 2)


if __name__ == "__main__":
    run(globals())
