"""What people write who come from MXNet, PyTorch, TensorFlow or JAX: each word does what it does there, or says what to write; and
mistakes of students with their messages. Prints PASS or FAIL for each."""
import gc
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

import situ
from support import raises, run

nn, random = situ.nn, situ.random
if situ.num_gpus() < 2:
    situ.sim_gpus(2)
CPU, GPU, OTHER = situ.cpu(), situ.gpu(0), situ.gpu(1)


# ---- words that work


def test_words_of_tensors_mean_what_they_mean_there():
    x = situ.asarray([[1.0, 2.0], [3.0, 4.0]], device=GPU)
    assert x.ctx == x.context == GPU and x.devices() == {GPU}
    for name in ("as_in_ctx", "as_in_context", "to"):
        assert getattr(x, name)(GPU) is x and getattr(x, name)(OTHER).device == OTHER
    assert x.as_in_ctx(GPU) is x and x.as_in_context(OTHER).tolist() == x.tolist()
    before = GPU.memory()["in_use"]
    big = situ.ones((1024,), device=GPU)
    situ.wait(big)
    held = big.copyto(GPU)  # new memory, also on the same device
    situ.wait(held)
    assert held is not big and GPU.memory()["in_use"] - before >= 8192 and x.copyto(CPU).tolist() == x.tolist()
    assert isinstance(x.asnumpy(), np.ndarray) and x.asnumpy().tolist() == x.tolist() and x.asnumpy().flags.writeable
    y = x.to(CPU)
    a = y.asnumpy()
    a[0, 0] = 9
    assert y.tolist() == [[1, 2], [3, 4]]
    assert x.cuda() is x and x.cuda(1).device == OTHER and x.cuda(OTHER).device == OTHER and x.cpu().device == CPU and y.cpu() is y
    assert x.to("float64").dtype == situ.float64 and x.to(situ.int32).dtype == situ.int32 and x.to("cuda:1").device == OTHER
    assert x.to(OTHER, situ.float64).dtype == situ.float64 and x.to(y).device == CPU and x.to(device=OTHER).device == OTHER and x.to(dtype="int32").dtype == situ.int32
    z = x @ x
    assert z.block_until_ready() is z and z.state == "stored"
    for name in ("ctx", "context", "devices", "as_in_ctx", "as_in_context", "copyto", "asnumpy", "cuda", "cpu", "to", "block_until_ready"):
        assert name not in dir(x) and hasattr(x, name)
    assert situ.ones((2, 3), ctx=OTHER).device == random.uniform(random.key(0, ctx=OTHER), (2,), ctx=OTHER).device == OTHER
    raises(TypeError, lambda: x.copyto(y), "nothing is copied into it", "situ.assign(variable, x)")
    raises(TypeError, lambda: x.device(), "write x.device, without ()")
    raises(situ.NoDeviceError, lambda: x.cuda(7), "gpu(7)")


def test_words_of_the_module_mean_what_they_mean_there():
    a = np.ones(3, "float32")
    for make in (situ.array, situ.constant):
        t = make(a)
        a[0] += 1
        assert t.tolist() == [a[0] - 1, 1, 1] and make([1, 2], "float32").dtype == situ.float32 and make(t) is not t and make([1], device=GPU).device == GPU
    x = situ.ones((2, 3))
    assert situ.device_put(x, CPU) is x and situ.device_put(x, GPU).device == GPU and situ.device_put(a, GPU).tolist() == a.tolist()
    tree = situ.device_put({"w": x, "rest": [a, 1.5]}, GPU)
    assert tree["w"].device == tree["rest"][0].device == tree["rest"][1].device == GPU and situ.device_put([1, 2], GPU).tolist() == [1, 2]
    assert situ.devices()[:1] == [CPU] and {GPU, OTHER} <= set(situ.devices()) and situ.devices("gpu")[1] == OTHER == situ.devices("cuda")[1] and situ.devices("cpu") == [CPU]
    assert situ.device_count() == situ.device_count("gpu") == situ.num_gpus() == len(situ.devices("GPU")) and situ.device_count("cpu") == 1
    raises(ValueError, lambda: situ.devices("mps"), "'mps' is no kind of device; there are cpu, gpu, tpu, opencl, pjrt")
    assert situ.cuda.device_count() == situ.num_gpus() and situ.cuda.is_available() is True and situ.cuda.synchronize() is None is situ.cuda.synchronize(GPU)
    assert situ.config.get_visible_devices() == situ.devices() and situ.config.experimental.list_physical_devices("GPU") == situ.devices("gpu")
    assert situ.ndarray is situ.Tensor and nn.LazyLinear is nn.Linear and nn.LazyConv2d is nn.Conv2d and nn.LazyBatchNorm2d is nn.BatchNorm2d
    for name in ("array", "constant"):
        assert name not in dir(situ)
    for text in ("/physical_device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", "/CPU:0"):
        assert situ.device(text) == CPU
    assert situ.device("/physical_device:GPU:1") == OTHER


def test_keys_are_those_of_jax():
    # jax 0.4: jax.random.PRNGKey(seed), without and with 64-bit integers
    for seed, narrow, wide in ((0, [0, 0], [0, 0]), (42, [0, 42], [0, 42]), (10**12 - 1, [0, 3567587327], [232, 3567587327]), (-1, [0, 4294967295], [4294967295, 4294967295]),
                               (2**32 + 5, [0, 5], [1, 5])):
        assert random.PRNGKey(seed).tolist() == narrow and random.key(seed).tolist() == wide, seed
    printed = [[0.57450044, 0.09968603, 0.7419659], [0.8941783, 0.59656656, 0.45325184]]  # as the chapter prints it
    for device in (CPU, OTHER):
        assert random.uniform(random.PRNGKey(0, device=device), (2, 3)).device == device
        assert np.array_equal(np.asarray(random.uniform(random.PRNGKey(0, device=device), (2, 3))), np.asarray(printed, "float32"))


def test_a_default_device_can_be_set():
    try:
        situ.set_default_device(OTHER)
        assert situ.ones((2,)).device == OTHER == situ.default_device()
        with GPU:
            assert situ.ones((2,)).device == GPU
            situ.set_default_device("cpu")
            assert situ.ones((2,)).device == GPU  # the block counts until it ends
        assert situ.ones((2,)).device == CPU
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            situ.set_default_device()
        assert situ.ones((2,)).device == situ.try_tpu_gpu()
        raises(situ.NoDeviceError, lambda: situ.set_default_device("gpu:9"), "gpu(9)")
        assert situ.ones((2,)).device == situ.try_tpu_gpu()
    finally:
        situ.set_default_device("cpu")
    alone = "import os, warnings; os.environ['SITU_SIM_GPUS'] = '0'; import situ; warnings.simplefilter('always'); situ.set_default_device(); print(situ.ones((1,)).device)"
    out = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, env={"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": ":".join(sys.path)})
    assert situ.num_tpus() or out.stdout == "cpu(0)\n" and "<string>:1: RuntimeWarning: No GPU/TPU found, falling back to CPU" in out.stderr, out


def test_eager_operations_start_at_their_call():
    n = 300_000

    def cell():
        x = situ.linspace(0, 100, n)
        return x**0.5 - situ.log(situ.abs(x))

    def states(work):
        y = work()
        first = y.state
        situ.wait(y)
        return first, bytes(y)

    lazy = states(cell)
    with situ.eager():
        eager = states(cell)
        assert situ.ones((3,)).state != "pending"
        raises(situ.ShapeError, lambda: situ.ones((2, 3)) @ situ.ones((2, 3)))
        with situ.eager(False):
            assert states(cell)[0] == "pending"
        for _ in range(20):
            raises(situ.DeviceMemoryError, lambda: situ.wait(situ.ones((1 << 50,), device=GPU)))
        net = nn.Sequential(nn.Linear(4), nn.ReLU(), nn.Linear(1))
        params = net.init(random.key(0), situ.ones((2, 3)))
        gradient = situ.grad(lambda p: situ.sum(net.apply(p, situ.ones((2, 3)))))(params)
        values = [g.tolist() for g in gradient.values()]
    assert lazy[0] == "pending" and eager[0] in ("running", "stored") and lazy[1] == eager[1]
    assert values == [g.tolist() for g in situ.grad(lambda p: situ.sum(net.apply(p, situ.ones((2, 3)))))(params).values()]
    try:
        assert situ.set_eager() is None and states(cell)[0] != "pending"
    finally:
        situ.set_eager(False)
    assert states(cell)[0] == "pending"


def test_is_ready_asks_the_virtual_clock():
    x = random.uniform(random.key(0), (512, 512), device=GPU)
    situ.wait(x)
    y = x @ x
    assert y.state == "pending"
    situ.eval(y)
    assert y.state == "running"
    questions = 1
    while not y.is_ready():  # each question takes a microsecond
        questions += 1
    assert questions > 1 and y.state == "stored" and situ.asarray([1.0, 2.0]).is_ready() is True
    raises(situ.DeviceMemoryError, situ.ones((1 << 50,), device=GPU).is_ready)


def test_a_wait_for_everything_starts_what_is_held():
    x = random.uniform(random.key(0), (64, 64), device=GPU)
    y, dropped = x @ x, (x + 1) * 2
    v = situ.variable(x)
    situ.assign(v, v + 1)
    del dropped
    situ.wait()
    assert x.state == y.state == "stored"
    assert y.is_ready()


def test_equal_work_is_counted():
    x = random.uniform(random.key(0), (32, 32), device=GPU)
    situ.wait(x)
    with situ.ledger() as ledger:
        products = [x @ x for _ in range(100)]
        situ.wait(products)
    assert ledger.totals["merge_count"] == 99
    merged = [e for e in ledger.entries if e["transfer"] == "merge"]
    assert [e["bytes"] for e in merged] == [99] and merged[0]["reason"] == "equal" and "test_editions.py:" in merged[0]["site"]


CELLS = """
import sys, types
ended = []
shell = types.SimpleNamespace(events=types.SimpleNamespace(register=lambda name, function: ended.append((name, function))))
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
import situ
x = situ.exp(situ.ones((100, 100), device=situ.gpu(0)))
first = x.state
(name, function), = ended
function(None)
print(name, first, x.state != "pending")
bad = situ.ones((1 << 50,), device=situ.gpu(0))
function(None)
try:
    situ.wait(bad)
except situ.DeviceMemoryError:
    print("its error is where it is read")
"""


def test_a_cells_end_starts_what_is_pending():
    """With a stand-in for IPython. What cannot be computed fails where it is read."""
    out = subprocess.run([sys.executable, "-c", CELLS], capture_output=True, text=True, env={"SITU_SIM_GPUS": "1", "PYTHONPATH": ":".join(sys.path)})
    assert out.stdout == "post_run_cell pending True\nits error is where it is read\n", out


def test_the_cpus_work_is_on_the_virtual_clock_from_the_first_call():
    """Also before a GPU was asked for, and where the program makes the GPUs itself."""
    program = "import situ; situ.sim_gpus(1); a = situ.ones((1024, 1024)); situ.wait(a); s = situ.sim_clock(); situ.wait(a @ a); print(situ.sim_clock() - s)"
    for code, gpus in ((program, "0"), (program.replace("situ.sim_gpus(1); ", ""), "1")):
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                             env={"SITU_SIM_GPUS": gpus, "SITU_SIM_PROFILE": "workstation", "PYTHONPATH": ":".join(sys.path)})
        assert float(out.stdout) > 1e-3, out


def test_eager_mode_exports_the_same_network():
    class Own(nn.Module):
        def forward(self, x):
            return situ.exp(x) * (x + 2)

    def exported(name):
        net = nn.Sequential(nn.Linear(3, inputs=2), Own())
        for parameter in net.parameters().values():
            situ.assign(parameter, situ.ones(parameter.shape))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            situ.onnx.save(net, path, situ.ones((1, 2)))
            with open(path, "rb") as file:
                return file.read()

    lazy = exported("a.onnx")
    with situ.eager():
        assert exported("a.onnx") == lazy


def test_the_module_runs():
    def ask(*arguments):
        out = subprocess.run([sys.executable, "-m", "situ", *arguments], capture_output=True, text=True, env={"SITU_SIM_GPUS": "1", "PYTHONPATH": ":".join(sys.path)})
        return out.returncode, out.stdout, out.stderr
    code, out, _ = ask()
    assert code == 0 and out.startswith(f"situ {situ.__version__}\ncpu(0)") and "\ngpu(0)" in out and ("simulated" in out or situ.num_gpus())
    assert ask("devices")[1].splitlines()[0] == out.splitlines()[0]
    assert ask("torch.cuda.empty_cache") == (0, "situ.cuda.empty_cache: write situ.gpu(0).memory_trim()\n", "")
    assert ask("x.view")[1] == "x.view: write x.reshape(...)\n" and "situ.optim.SGD: is there" in ask("SGD")[1]
    assert ask("frobnicate")[0] == 1 and ask("a", "b")[0] == 2 and "python -m situ" in ask("--help")[1]


def test_simulated_cards_are_configured():
    card = situ.gpu(situ.num_gpus() - 1)
    if not card.info()["simulated"]:
        return "no simulated card"
    try:
        situ.sim_configure(card, memory=1 << 20)
        assert card.info()["memory_total"] == 1 << 20
        raises(situ.DeviceMemoryError, lambda: situ.wait(situ.ones((1 << 20,), device=card)), "1")
        situ.sim_configure(card, memory=1 << 34, fail_allocation=1)
        raises(situ.DeviceMemoryError, lambda: situ.wait(situ.ones((999,), device=card)))
        before = situ.sim_clock()
        situ.sim_configure(card, link_bandwidth=1e6, link_latency=0.5)
        situ.ones((4,), device=card).tolist()
        assert situ.sim_clock() - before >= 0.5
    finally:
        situ.sim_configure(card, memory=1 << 34, fail_allocation=-1, link_bandwidth=16e9, link_latency=1e-5)
    raises(TypeError, lambda: situ.sim_configure(card, speed=2), "speed")
    raises(TypeError, lambda: situ.sim_configure(card, memory="1 GB"), "memory must be an integer, not str")
    raises(situ.Error, lambda: situ.sim_configure(CPU, memory=1))


def test_profiles_and_the_hosts_clock():
    card = situ.gpu(situ.num_gpus() - 1)
    if not card.info()["simulated"]:
        return "no simulated card"
    assert situ.sim_profile("h100") == "h100" == situ.sim_profile()
    assert card.info()["memory_total"] == 80 * 10**9
    x = situ.ones((1024, 1024), device=card)
    situ.wait(x)
    before, clock = card.sim_times(), situ.sim_clock()
    situ.wait(x @ x)
    spent = card.sim_times()["computing"] - before["computing"]
    assert 2 * 1024**3 / 51e12 <= spent <= situ.sim_clock() - clock < 1e-3  # 51 TFLOP/s, and the start and the wait besides
    host, clock = situ.cpu().sim_times(), situ.sim_clock()
    situ.sim_host(0.25)
    assert abs(situ.sim_clock() - clock - 0.25) < 1e-9 and abs(situ.cpu().sim_times()["computing"] - host["computing"] - 0.25) < 1e-9
    situ.sim_reach(clock + 1)
    assert abs(situ.sim_clock() - clock - 1) < 1e-9 and situ.cpu().sim_times()["waiting"] > host["waiting"] + 0.7
    situ.sim_host_configure(call=0.5)
    clock = situ.sim_clock()
    x + 1
    assert abs(situ.sim_clock() - clock - 0.5) < 1e-9
    situ.sim_host_configure(call=-1)
    assert situ.sim_stretch() == (0.0, 0.0)
    raises(situ.Error, lambda: situ.sim_profile("h101"), "there is no profile \"h101\"", "laptop, workstation")
    raises(situ.Error, lambda: situ.sim_host_configure(start=-2), "sim_host_configure")
    raises(TypeError, lambda: situ.sim_host("long"))
    situ.sim_profile("workstation")
    situ.sim_host_configure(call=-1, start=-1, copy_bandwidth=-1, kernel=-1, core_flops=-1, flops=-1, spread=-1, memory_bandwidth=-1)


# ---- words that say what to write

HINTS = [
    (lambda x: x.numpy(), "write numpy.asarray(x)"),
    (lambda x: x.is_cuda, "x.device says where it is"),
    (lambda x: situ.ctx, "device= in the call"), (lambda x: situ.context, "situ.set_default_device(device)"), (lambda x: situ.PRNGKey(0), "situ.random.PRNGKey(seed)"),
    (lambda x: situ.norm(x), "situ.linalg.norm(x)"), (lambda x: x.norm(), "situ.linalg.norm(x)"), (lambda x: situ.as_in_ctx(x, GPU), "x.to_device(device)"),
    (lambda x: situ.asnumpy(x), "numpy.asarray(x)"), (lambda x: situ.copyto(x, GPU), "x.copyto(device)"),
    (lambda x: situ.config.set_visible_devices([]), "device=situ.gpu(1)"), (lambda x: situ.config.experimental.set_memory_growth(GPU, True), "memory_limit(bytes)"), (lambda x: situ.config.x, "situ.devices()"),
    (lambda x: situ.distribute.MirroredStrategy(), "write net.mirror()"), (lambda x: situ.keras.layers.Dense(1), "layers are in situ.nn"),
    (lambda x: situ.tree_util.tree_map(abs, {}), "{name: f(p) for name, p in params.items()}"), (lambda x: situ.default_backend(), "situ.default_device()"),
    (lambda x: situ.cuda.current_device(), "situ.default_device()"), (lambda x: situ.cuda.memory_allocated(), 'situ.gpu(0).memory()["in_use"]'),
    (lambda x: situ.cuda.get_device_name(0), 'situ.gpu(0).info()["name"]'), (lambda x: situ.cuda.set_device(1), "situ.set_default_device(situ.gpu(1))"),
    (lambda x: situ.cuda.Stream(), "devices beside each other"), (lambda x: situ.cuda.empty_cache(), "memory_trim()"),
    (lambda x: nn.Dense(1), "write situ.nn.Linear(width)", "situ.nn.Flatten()"), (lambda x: nn.Linear(3, 1), "write Linear(1), or Linear(1, inputs=3)"),
    (lambda x: nn.Sequential([nn.Linear(1)]), "write the parts one after the other, or Sequential(*parts)"), (lambda x: nn.HybridSequential(), "situ.nn.Sequential(*parts)"),
    (lambda x: net().initialize(ctx=GPU), "initialize has no argument ctx", "net.to(device) moves a network"),
    (lambda x: net().initialize(), "initialize: name and how are missing; first values come with the first call", "and net.to(device) where"),
    (lambda x: net().collect_params(), "net.parameters()"), (lambda x: net().add(nn.Linear(1)), "situ.nn.Sequential(*parts)"), (lambda x: net().layers, "net.modules()"),
    (lambda x: net()[0].weight.data().ctx, "write x, or situ.stop_gradient(x)"), (lambda x: net().weights, "net.parameters()"), (lambda x: net().hybridize(), "nothing is compiled ahead"),
    (lambda x: net().trainer, "situ.train.Trainer(...).fit(net, optimizer, data)"), (lambda x: net().board, "while a trainer trains this network"),
    (lambda x: nn.Sequential(nn.Linear(1))[0].weight, "has no shape yet; the first call of the network tells it; call it once, or write Linear(..., inputs=...)"),
    (lambda x: nn.LayerNorm().weight, "; call it once"),
    (lambda x: situ.asarray([1.0], ctx=GPU), "has no argument ctx", "write device="), (lambda x: situ.exp(x, ctx=GPU), "exp"), (lambda x: situ.zeros((2, 3), context=GPU), "write device="),
    (lambda x: random.uniform(size=(2, 3)), "write shape="), (lambda x: random.rand(2), "situ.random.uniform(situ.random.key(seed), shape)"), (lambda x: random.seed(0), "situ.random.key(seed)"),
    (lambda x: random.uniform((2, 3)), "key must be a tensor or a number, not tuple; random numbers are functions of a key, the first argument: write situ.random.key(0)"),
    (lambda x: random.uniform(), "key"), (lambda x: situ.train.Trainer(accelerator="gpu"), "write num_gpus=1, or device=situ.gpu(0)"), (lambda x: situ.train.Trainer(gpus=1), "write num_gpus="),
    (lambda x: situ.nd.ones(3), "its functions are in situ"), (lambda x: situ.gluon, "layers are in situ.nn"), (lambda x: situ.Variable(1.0), "situ.variable(value)"),
    (lambda x: situ.device(), "device"), (lambda x: situ.waitall(), "write situ.wait()"), (lambda x: situ.get_default_device(), "situ.default_device()"),
    (lambda x: nn.Conv2D(3, 3), "situ.nn.Conv2d(out, size)"), (lambda x: situ.GradientTape(), "situ.gradients(y, [x])"), (lambda x: situ.numpy.ones(3), "its functions are in situ"),
]


def net():
    made = nn.Sequential(nn.Linear(2, inputs=3))
    made(situ.ones((1, 3)))
    return made


def test_words_that_are_not_there_say_what_to_write():
    x = situ.ones((2, 3))
    for i, (call, *words) in enumerate(HINTS):
        e = raises((TypeError, AttributeError, situ.Error), lambda: call(x), *words)
        assert "object is not" not in str(e) and "Module." not in str(e), (i, e)
    return f"{len(HINTS)} words"


# ---- mistakes of students: what they write, and what they read

MISTAKES = r"""
X + Y | add: its operands live on different devices: a (f32[2,3] @gpu(0) | write b.to_device(situ.gpu(0)) for b
x + X | write a.to_device(situ.gpu(0)) for a if that copy is meant
X + x | write b.to_device(situ.gpu(0)) for b if that copy is meant
X + np.ones((2, 3)) | write b.to_device(situ.gpu(0)) for b
x @ X.T | write a.to_device(situ.gpu(0)) for a
situ.stack([X, Y]) | write x.to_device(situ.gpu(0)) for operand 2, x, if that copy is meant
situ.concat([x, x, X]) | write x.to_device(situ.gpu(0)) for operand 1, x,
situ.asarray([x, X]) | write x.to_device(situ.gpu(0)) for operand 1, x,
situ.where(x > 0, X, X) | where: its operands live on different devices | write a.to_device(situ.gpu(0)) for a if
net(X) | the input (f32[2,3] @gpu(0), | which is on cpu(0); write x.to_device(situ.cpu(0)) for the input, or move the network: net.to(situ.gpu(0))
np.sum(X) | a tensor is on gpu(0), and nothing is moved for you; write x.to_device(situ.cpu())
memoryview(X) | the tensor is on gpu(0), and its memory can be read on the CPU alone; write x.to_device(situ.cpu())
X.__dlpack__() | the tensor is on gpu(0) | write x.to_device(situ.cpu())
situ.asarray(situ.gpu(0)) | cannot make numbers of Device; a tensor is made there by situ.asarray(numbers, device=gpu(0))
situ.assign(vg, np.ones((2, 3))) | write situ.assign(variable, situ.asarray(value, dtype=situ.float32, device=situ.gpu(0)))
situ.assign(v, [[1, 2, 3], [4, 5, 6]]) | not list; write situ.assign(variable, situ.asarray(value, dtype=situ.float32, device=situ.cpu(0)))
situ.assign(vg, x) | must have the variable's shape, dtype and device | write value.to_device(variable.device)
situ.assign(v, situ.ones((2, 3), dtype="int32")) | write value.astype(variable.dtype)
situ.assign(v, situ.ones((3, 2))) | must have the variable's shape, dtype and device (f32[2,3] @cpu(0) | their shapes differ
situ.assign(x, x) | is no variable; only variables change, make one with situ.variable
v += 1 | write situ.assign(variable, new_value)
situ.try_gpu("0") | try_gpu takes the number of a device, not '0'; write situ.try_gpu(0)
situ.try_gpu(None) | try_gpu takes the number of a device, not None
situ.try_tpu_gpu(1.5) | try_tpu_gpu takes the number of a device, not 1.5
situ.ones((2,), device=situ.gpu(7)) | gpu(7) does not exist: there are | or situ.try_gpu(7) to fall back to the CPU
situ.ones((2,), device=situ.gpu(-1)) | gpu(-1) does not exist | use one of these; they are numbered from 0
situ.ones((2,), device="mps") | device "mps" is unknown; valid are cpu, gpu
situ.ones((2,), device=0) | 0 is no device of situ; write situ.cpu(), situ.gpu(0) or "gpu:0"
situ.device("cuda:x") | has a bad index
x.device() | write x.device, without ()
situ.wait(x, 3) | wait
situ.wait("x") | wait takes a tensor, a list of tensors, or nothing, not str
situ.random.uniform((2, 3)) | the first argument: write situ.random.key(0)
situ.random.normal(shape=(2, 3)) | argument key is missing; random numbers are functions of a key
situ.ones(2, 3) | write ones((2, 3))
situ.zeros((2, -3)) | zeros
x.reshape(4, 2) | reshape
x @ x | its rows fit: write b.mT if that is meant
x[2] | index
x[0, 5] | index
x.view(3, 2) | write x.reshape(...)
x.backward() | an optimizer's step(loss) computes the gradients itself
x.grad | situ.gradients(loss, net.parameters())
x.item() | a tensor of 6 elements is no single number; x.tolist() has all of them
if x: pass | bool: a tensor of 6 elements is no single number; write situ.all(x) or situ.any(x)
float(x) | float: a tensor of 6 elements is no single number
x.size(0) | x.size is the number of elements, 6; write x.shape[0]
nn.Linear(3, 1) | write Linear(1), or Linear(1, inputs=3)
nn.Linear("3") | out must be an integer, not str
nn.Sequential([nn.Linear(1)]) | write the parts one after the other, or Sequential(*parts)
nn.Sequential(nn.Linear) | a part is a Module, not the class Linear; write Linear(...), which makes one
nn.Sequential(nn.relu) | write situ.nn.Function(f) for a function
nn.Linear(1)(np.ones((2, 3))) | the input of a network is a tensor, not ndarray; write situ.asarray(...) for its numbers
net(situ.ones((2, 4))) | takes inputs whose last axis has 3 elements, not f32[2,4]
net[3] | Sequential: it has 1 parts, and none of them is number 3; net.modules() has all of them by name
net.to("gpu:9") | gpu(9)
net.mirror(situ.gpu(0)) | mirror takes a list of devices; write net.mirror([gpu(0)]) or net.to(gpu(0))
net.mirror([situ.gpu(0), situ.gpu(0)]) | gpu(0) is there twice
situ.optim.SGD(net.parameters(), lr=0.1) | write SGD(net, ...), with the network itself
opt.step() | the loss is missing: opt.step(loss) computes the gradients itself
opt.step(situ.ones((2,))) | step
opt.step(situ.mean(x)) | depends on no parameter of this network
opt.zero_grad() | nothing is to be set to zero
nn.cross_entropy(x, situ.asarray([0.0, 1.0])) | write labels.astype("int64")
nn.mse(x, situ.ones((3, 2))) | mse
situ.train.Trainer(3) | Trainer takes nothing by position | write Trainer(max_epochs=3)
situ.train.Trainer(num_gpus="1") | num_gpus must be an integer, not str
situ.train.Trainer().fit(net, opt, (x, x)) | the training data is a situ.data.Dataset, not tuple; write situ.data.Dataset(features, labels)
situ.train.Trainer().fit(net, x, data) | the optimizer is a situ.optim.Optimizer, not Tensor
situ.train.Trainer().fit(net, data) | fit: the optimizer is missing, in its place is a Dataset; write fit(net, situ.optim.SGD(net), data)
situ.grad(lambda t: t * 2)(x) | grad
situ.gradients(situ.sum(x), x) | [x], not x
situ.grad(net)(x) | grad
situ.set_default_device("gpu:9") | gpu(9) does not exist
net.apply({"weight": x}, x) | apply: needs a value for each of 0.weight, 0.bias, and got weight
nn.Linear(1).apply({}, x) | params = net.init(key, x)
"""


def test_students_read_what_to_write():
    count, bad = 0, []
    for line in MISTAKES.strip().splitlines():
        code, *words = line.split(" | ")
        names = {"situ": situ, "np": np, "nn": nn, "x": situ.ones((2, 3)), "X": situ.ones((2, 3), device=GPU), "Y": situ.ones((2, 3), device=OTHER),
                 "v": situ.variable(situ.ones((2, 3))), "vg": situ.variable(situ.ones((2, 3), device=GPU)), "net": net()}
        names["opt"], names["data"] = situ.optim.SGD(names["net"]), situ.data.Dataset(situ.ones((4, 3)), situ.ones((4, 2)))
        count += 1
        try:
            exec(code, names)
            bad.append(f"{code}: no error")
        except Exception as e:
            text = str(e)
            if not all(word in text for word in words) or isinstance(e, (NameError, SyntaxError)) or "situ_" in text or "object is not" in text:
                bad.append(f"{code}: {type(e).__name__}: {text}")
    gc.collect()
    assert not bad, "\n".join(bad)
    assert count >= 60
    return f"{count} mistakes"


if __name__ == "__main__":
    run(globals())
