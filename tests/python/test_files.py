"""Files of safetensors from Python: what is written comes back, networks go on alike, and what cannot be done says why."""
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import zipfile

import numpy as np

import situ
from support import raises, run
from situ import nn, optim


folder = tempfile.mkdtemp()
path = os.path.join(folder, "x.safetensors")


def test_every_dtype_and_shape_comes_back():
    kinds = "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 complex64".split()
    arrays = {k: np.arange(6).reshape(2, 3).astype(k) for k in kinds} | {"empty": np.zeros((0, 3)), "one, number": np.float32(3.5)}
    situ.save(path, arrays, metadata={"made by": "a=test"})
    back = situ.load(path)
    assert sorted(back) == sorted(arrays)
    for name, a in arrays.items():
        b = np.asarray(back[name])
        assert b.dtype == a.dtype and b.shape == a.shape and np.array_equal(a, b), name
    rows, about = situ.info(path)
    assert about == {"made by": "a=test"} and ("float32", "F32", (2, 3), 24) in rows
    assert all(t.device == situ.gpu(1) for t in situ.load(path, device=situ.gpu(1)).values())


def arrays_of_numpy():
    kinds = "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()
    draw = np.random.default_rng(0)
    made = {}
    for kind in kinds:
        for shape in ((), (0,), (3,), (2, 0, 3), (4, 5), (2, 3, 4), (1, 2, 1, 2, 1, 2, 1, 2)):
            made[f"{kind} {shape}"] = draw.integers(0, 256, (*shape, np.dtype(kind).itemsize), dtype=np.uint8).view(kind)[..., 0] if kind != "bool" else draw.integers(0, 2, shape).astype(bool)
    return made


def equal_bytes(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), (a, b)


def test_numpy_s_files_are_read_and_written():
    arrays = arrays_of_numpy()
    npz, npy = os.path.join(folder, "x.npz"), os.path.join(folder, "x.npy")
    for save in (np.savez, np.savez_compressed):
        save(npz, **arrays)
        back = situ.load(npz)
        assert list(back) == list(arrays)
        for name, a in arrays.items():
            equal_bytes(a, np.asarray(back[name]))
        other = {name: (a.astype(a.dtype.newbyteorder(">")) if i % 2 else a).copy(order="F") for i, (name, a) in enumerate(arrays.items())}
        save(npz, **other)
        for map in (True, False):
            back = situ.load(npz, map=map)
            for name, a in arrays.items():
                equal_bytes(a, np.asarray(back[name]))
        assert all(t.device == situ.gpu(1) for t in situ.load(npz, device=situ.gpu(1)).values())
    situ.save(npz, arrays)
    with np.load(npz) as file:
        assert sorted(file.files) == sorted(arrays)
        for name, a in arrays.items():
            equal_bytes(a, file[name])
    for name, a in arrays.items():
        situ.save(npy, {"any": a})
        equal_bytes(a, np.load(npy))
        equal_bytes(a, np.asarray(situ.load(npy)["array"]))
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(npy, "wb") as file:
            np.lib.format.write_array(file, np.arange(6.0).reshape(2, 3), version)
        equal_bytes(np.arange(6.0).reshape(2, 3), np.asarray(situ.load(npy)["array"]))
    net, other = network().init(situ.random.key(2)), network()
    net(situ.zeros((1, 2, 6, 6)))
    same(state_of(net.save(npz)), state_of(other.load(npz)))
    rows, about = situ.info(npz)
    assert about == {} and ("0.weight", "<f4", (4, 2, 3, 3), 288) in rows


def test_files_of_numpy_that_cannot_be_read_or_written_say_why():
    npz, npy = os.path.join(folder, "x.npz"), os.path.join(folder, "x.npy")
    np.savez(npz, plain=np.ones(2), parts=np.zeros(2, [("a", "<f4"), ("b", "<i4")]), objects=np.array([None, 1], object), text=np.array(["a"]))
    assert {row[0]: row[1] for row in situ.info(npz)[0]}["objects"] == "|O"
    raises(situ.Error, lambda: situ.load(npz), "holds [('a', '<f4')")
    raises(TypeError, lambda: situ.save(npz, {"b": situ.ones(2, dtype=situ.bfloat16)}), "cast it to f32")
    raises(ValueError, lambda: situ.save(npz, {"b": np.ones(2)}, metadata={"a": "b"}), "have no metadata")
    raises(ValueError, lambda: situ.save(npy, {"a": np.ones(2), "b": np.ones(2)}), "holds one array, not 2")
    np.savez(npz, a=np.ones(2))

    def edited(change, **kinds):
        with zipfile.ZipFile(npz) as file:
            data = file.read("a.npy")
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", **kinds) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            change(file, data)
        with open(os.path.join(folder, "y.npz"), "wb") as file:
            file.write(out.getvalue())
        return lambda: [np.asarray(t) for t in situ.load(os.path.join(folder, "y.npz")).values()]

    raises(ValueError, edited(lambda z, d: (z.writestr("a.npy", d), z.writestr("a.npy", d))), "there twice")
    raises(ValueError, edited(lambda z, d: z.writestr("../a.npy", d)), "is no name of an array")
    raises(ValueError, edited(lambda z, d: z.writestr("a.npy", d), compression=zipfile.ZIP_BZIP2), "other than deflate")
    raises(ValueError, edited(lambda z, d: z.writestr("a.npy", d + b"0")), "other bytes of values")
    raises(ValueError, edited(lambda z, d: z.writestr("a.npy", d[:-1]), compression=zipfile.ZIP_DEFLATED), "other bytes of values")
    raises(ValueError, edited(lambda z, d: z.writestr("a.npy", d[:9])), "NumPy's format")
    edited(lambda z, d: (z.writestr("a.npy", d), z.writestr("read me", "text")), compression=zipfile.ZIP_DEFLATED)()
    big = np.lib.format.header_data_from_array_1_0(np.broadcast_to(np.uint8(0), (1 << 40,)))
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, big)
    raises(ValueError, edited(lambda z, d: z.writestr("a.npy", head.getvalue() + bytes(1 << 20)), compression=zipfile.ZIP_DEFLATED), "other bytes of values")
    wrong = bytearray(open(npz, "rb").read())
    np.savez_compressed(npz, a=np.random.default_rng(0).random(100))
    good = open(npz, "rb").read()
    here = os.path.join(folder, "y.npz")
    right, refused_or_same = np.load(npz)["a"].tobytes(), 0
    for i in range(len(good)):
        for wrong in (good[:i], good[:i] + bytes([good[i] ^ 0x41]) + good[i + 1:]):
            with open(here, "wb") as file:
                file.write(wrong)
            try:
                got = {k: np.asarray(v).tobytes() for k, v in situ.load(here).items()}
            except (situ.Error, ValueError, TypeError):
                refused_or_same += 1
                continue
            assert len(wrong) == len(good) and list(got.values()) in ([right], []), i
    assert refused_or_same > len(good)


def network():
    return nn.Sequential(nn.Conv2d(4, 3), nn.BatchNorm(), nn.ReLU(), nn.Flatten(), nn.Linear(3))


class Two(nn.Module):
    def __init__(self):
        self.first, self.second = nn.Linear(4), nn.Linear(2)

    def forward(self, x):
        return self.second(nn.relu(self.first(x)))


def test_networks_that_no_call_has_made_take_the_file_s_values_and_train_on_alike():
    for make, x in (network, situ.random.normal(situ.random.key(1), (4, 2, 6, 6))), (Two, situ.random.normal(situ.random.key(1), (4, 3))):
        net, other = make().init(situ.random.key(2)), make()
        a, b = situ.optim.SGD(net, lr=0.1), situ.optim.SGD(other, lr=0.1)
        a.step(situ.mean(net(x) ** 2))
        net.save(path)
        other.load(path)
        assert sorted(situ.load(path)) == sorted(net.parameters())
        for _ in range(2):
            a.step(situ.mean(net(x) ** 2))
            b.step(situ.mean(other(x) ** 2))
        for name, v in net.parameters().items():
            assert np.array_equal(np.asarray(v), np.asarray(other.parameters()[name])), name


def test_names_of_other_programs_are_renamed_and_what_does_not_fit_is_told():
    situ.save(path, {"model.first.kernel": np.ones((4, 3), np.float16), "model.first.bias": np.zeros(4, np.float32), "more": np.ones(1)})
    net = Two()
    raises(situ.ArgumentError, lambda: net.load(path), "it lacks first.weight, first.bias, second.weight, second.bias")
    net.load(path, strict=False, rename="^model.= kernel=weight")
    net, rules = Two(), {"model.": "", "kernel": "weight"}
    net.load(path, strict=False, rename=rules)
    raises(ValueError, lambda: net.load(path, rename={"a b": "c"}), "without blanks")
    raises(ValueError, lambda: net.load(path, rename={"a": 3}), "rename has the rule 'a': 3")
    assert float(situ.sum(net.first.parameters()["weight"])) == 12
    raises(situ.ArgumentError, lambda: (situ.save(path, {"first.weight": np.ones(2)}), net.load(path, strict=False)), "first.weight is [2] there and [4,3] here")


def test_what_cannot_be_written_or_read_says_why():
    raises(TypeError, lambda: situ.save(path, [1]), "a network or a dict of tensors")
    raises(TypeError, lambda: situ.save(path, {1: np.ones(1)}), "named by texts")
    raises(ValueError, lambda: situ.save(path, {"a": np.ones(1)}, metadata={"a": "b\nc"}), "in one line each")
    raises(TypeError, lambda: situ.save(path, {"a": np.ones(1, np.complex128)}), "no dtype")
    raises(OSError, lambda: situ.load(os.path.join(folder, "none")), "No such file")
    raises(ValueError, lambda: situ.load(__file__), "no file of tensors")
    raises(TypeError, lambda: situ.load(3), "path must be a str")
    net = network()
    net(situ.zeros((1, 2, 6, 6)))
    raises(ValueError, lambda: net.save(None), "save: no file is named")
    raises(ValueError, lambda: situ.save(None, {"a": np.ones(1)}), "save: no file is named")
    raises(ValueError, lambda: situ.save("a\0b", {"a": np.ones(1)}), "null character")
    raises(ValueError, lambda: situ.save(b"a\0b", {"a": np.ones(1)}), "null character")
    raises(OSError, lambda: situ.save(os.path.join(folder, "no", "x.npz"), {"a": np.ones(1)}), "make its folder first")
    raises(OSError, lambda: situ.save(folder, {"a": np.ones(1)}), "name a file in it")


def test_names_of_files_are_those_of_the_system_also_where_they_are_no_utf_8():
    strange = os.path.join(folder, os.fsdecode(b"\xff\xe9.safetensors"))
    situ.save(strange, {"a": np.ones(3)})
    assert os.path.exists(strange) and np.asarray(situ.load(strange)["a"]).sum() == 3
    assert np.asarray(situ.load(os.fsencode(strange))["a"]).sum() == 3
    raises(ValueError, lambda: situ.save(strange, {"a": np.ones(3), "b": np.ones(3)}, shard_bytes=8), "\\xff\\xe9.safetensors: shards are named")
    raises(OSError, lambda: situ.load(strange + "x"), "\\xff\\xe9.safetensorsx: No such file")
    text = os.path.join(folder, os.fsdecode(b"\xe9.txt"))
    with open(text, "w") as file:
        file.write("some text")
    assert situ.data.text_dataset(text, 2).name == text


def test_shards_are_those_of_the_package_and_read_as_one():
    at = os.path.join(folder, "shards")
    os.mkdir(at)
    path = os.path.join(at, "net.safetensors")
    arrays = {f"part.{i}": np.random.default_rng(i).random((i + 1, 5), np.float32) for i in range(9)}
    situ.save(path, arrays, metadata={"format": "pt"}, shard_bytes=400)
    with open(path + ".index.json") as file:
        index = json.load(file)
    assert index["metadata"] == {"total_size": sum(a.nbytes for a in arrays.values())} and list(index["weight_map"]) == list(arrays)
    files = sorted(set(index["weight_map"].values()))
    assert files == [f"net-{i + 1:05}-of-{len(files):05}.safetensors" for i in range(len(files))] and len(files) == 3
    assert sorted(os.listdir(at)) == files + ["net.safetensors.index.json"]
    for back in situ.load(path), situ.load(path + ".index.json"):
        assert sorted(back) == sorted(arrays) and all(np.array_equal(arrays[k], np.asarray(v)) for k, v in back.items())
    assert situ.info(path)[1] == {"format": "pt"}
    try:
        from safetensors.numpy import load_file
    except ImportError:
        load_file = situ.load
    for name in files:
        part = load_file(os.path.join(at, name))
        assert sorted(part) == sorted(k for k, v in index["weight_map"].items() if v == name)
        assert all(np.array_equal(arrays[k], np.asarray(v)) for k, v in part.items())
        assert sum(v.nbytes for v in part.values()) <= 400
    net, other = network().init(situ.random.key(2)), network()
    net(situ.zeros((1, 2, 6, 6)))
    same(state_of(net.save(path, shard_bytes=300)), state_of(other.load(path)))
    assert not set(files) & set(os.listdir(at))
    raises(ValueError, lambda: situ.save(path, arrays, shard_bytes=-1), "shard_bytes is -1")
    raises(ValueError, lambda: situ.save(os.path.join(at, "x.npz"), arrays, shard_bytes=9), 'for files that end in ".safetensors"')
    raises(TypeError, lambda: situ.save(path, arrays, shard_bytes="9"), "")


def test_a_kill_leaves_shards_of_one_set_or_none_that_open():
    at = os.path.join(folder, "killed")
    os.mkdir(at)
    path, draw = os.path.join(at, "net.safetensors"), np.random.default_rng(5)
    script = f"""
import numpy as np, situ
for i in range(10**6):
    situ.save({path!r}, {{f"x{{k}}": np.full(2000, i, np.float32) for k in range(12)}}, shard_bytes=16000)
    if i == 0: print("ready", flush=True)
"""
    read = 0
    for _ in range(6):
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        assert child.stdout.readline() == b"ready\n"
        time.sleep(draw.random() * 0.2)
        child.kill()
        child.wait()
        child.stdout.close()
        try:
            values = {float(v) for t in situ.load(path).values() for v in (t[0], t[-1])}
        except OSError as e:
            assert "No such file" in str(e) and not os.path.exists(path + ".index.json"), e
            continue
        assert len(values) == 1, values
        read += 1
    assert read > 0
    situ.save(path, {"x": np.zeros(4, "f")}, shard_bytes=100)
    assert [n for n in os.listdir(at) if not re.search(r"\.\d+\.\d+$", n)] == ["net.safetensors"]


def test_of_a_file_with_other_dtypes_some_arrays_are_loaded():
    npz, npy = os.path.join(folder, "mixed.npz"), os.path.join(folder, "mixed.npy")
    np.savez(npz, plain=np.arange(3.0), more=np.ones(2), text=np.array(["a"]), parts=np.zeros(2, [("shape", "<f4"), ("descr", "<i4")]),
             inner=np.zeros(2, [("fortran_order", [("a", "<f4"), ("b[", "<i2", (2,))])]))
    raises(TypeError, lambda: situ.load(npz), "names=[...] loads others alone")
    assert np.asarray(situ.load(npz, names=["plain"])["plain"]).tolist() == [0, 1, 2]
    assert list(situ.load(npz, names=("more", "plain"))) == ["more", "plain"] and situ.load(npz, names=[]) == {}
    raises(ValueError, lambda: situ.load(npz, names=["plane"]), 'has no tensor "plane"; it has 5, such as "plain"')
    raises(TypeError, lambda: situ.load(npz, names="plain"), "names is a list of names")
    raises(TypeError, lambda: situ.load(npz, names=[3]), "a name")
    rows = {row[0]: row[1:3] for row in situ.info(npz)[0]}
    assert rows["parts"] == ("[('shape', '<f4'), ('descr', '<i4')]", (2,))
    assert rows["inner"] == ("[('fortran_order', [('a', '<f4'), ('b[', '<i2', (2,))])]", (2,))
    np.save(npy, np.zeros((2, 3), [("shape", "<f4")]))
    raises(TypeError, lambda: situ.load(npy), "[('shape', '<f4')]")
    assert situ.info(npy)[0][0][2] == (2, 3)


def test_ends_of_other_formats_are_refused():
    for end in ("gguf", "pt", "onnx", "safetensors.gz", "json"):
        at = os.path.join(folder, f"x.{end}")
        raises(ValueError, lambda: situ.save(at, {"x": np.ones(1)}), 'files that end in ".safetensors"', 'situ.onnx.save writes ".onnx"')
        assert not os.path.exists(at)
    situ.save(os.path.join(folder, "no end"), {"x": np.ones(1)})
    here = os.getcwd()
    os.chdir(folder)
    try:
        with open("letters", "w") as file:
            file.write("\x10\0\0\0\0\0\0\0{}")
        raises(ValueError, lambda: situ.load("letters"), "letters: the header claims to have")
        situ.save("letters", {"x": np.ones(1)}, metadata={"situ.checkpoint": "1"})
        raises(ValueError, lambda: situ.checkpoint_load("letters", Two()), "checkpoint_load: letters: the checkpoint lacks")
    finally:
        os.chdir(here)


def test_a_network_that_was_never_called_takes_shapes_from_the_values_and_has_its_own_sizes():
    for make, x in (network, situ.random.normal(situ.random.key(1), (4, 2, 6, 6))), (Two, situ.random.normal(situ.random.key(1), (4, 3))):
        net, other = make().init(situ.random.key(2)), make()
        a, b = situ.optim.SGD(net, lr=0.1), situ.optim.SGD(other, lr=0.1)
        a.step(situ.mean(net(x) ** 2))
        state = {name: np.array(v) for name, v in net.state().items()}
        other.load_state(state)
        state[min(state)][:] = 7  # the network has values of its own
        for _ in range(2):
            a.step(situ.mean(net(x) ** 2))
            b.step(situ.mean(other(x) ** 2))
        same(state_of(net), state_of(other))
    raises(ValueError, lambda: Two().load_state({"first.weight": np.ones((4, 3), "f")}), "load_state: the state does not fit the network: it lacks first.bias")
    raises(TypeError, lambda: Two().load_state([1]), "takes a dict of values by name")
    raises(TypeError, lambda: Two().load_state({1: 2}), "named by texts")
    wide = {"first.weight": np.ones((5, 3), "f"), "first.bias": np.ones(5, "f"), "second.weight": np.ones((2, 5), "f"), "second.bias": np.ones(2, "f")}
    raises(ValueError, lambda: Two().load_state(wide), "first.weight is [5,3] there and [4,?] here, first.bias is [5] there and [4] here")
    situ.save(path, wide)
    raises(ValueError, lambda: Two().load(path), "first.weight is [5,3] there and [4,?] here")
    for layer, shape in ((nn.Conv2d(4, 3), (4, 2, 2, 2)), (nn.GRU(4), (12, 3)), (nn.Conv2d(4, 3), (4, 2, 3, 3))):
        name = next(n for n in ("weight", "weight_ih_l0") if n in layer._node.own)
        raises(ValueError, lambda: layer.load_state({name: np.ones((shape[0] + 1, *shape[1:]), "f")}), f"{name} is [")


def test_checkpoints_are_not_given_to_networks_of_other_sizes():
    net = nn.Sequential(nn.Linear(4), nn.ReLU(), nn.Linear(2))
    adam = situ.optim.Adam(net)
    adam.step(situ.mean(net(situ.ones((3, 5))) ** 2))
    situ.checkpoint_save(path, net, adam)
    other = nn.Sequential(nn.Linear(6), nn.ReLU(), nn.Linear(2))
    raises(ValueError, lambda: situ.checkpoint_load(path, other, situ.optim.Adam(other)), "0.weight is [4,5] there and [6,?] here")
    assert other(situ.ones((1, 3))).shape == (1, 2)  # nothing was loaded


def state_of(net):
    return {name: np.asarray(v).copy() for name, v in net.parameters().items()}


def same(a, b):
    assert sorted(a) == sorted(b) and all(np.array_equal(a[k], b[k]) for k in a)


def test_a_loop_goes_on_in_the_middle_of_an_epoch():
    data = situ.data.digits()

    def run(load, save_at, steps=40):
        net = nn.Sequential(nn.Flatten(), nn.Linear(16), nn.BatchNorm(), nn.ReLU(), nn.Dropout(0.3), nn.Linear(10))
        adam = situ.optim.Adam(net, lr=0.01)
        loader, step = situ.data.Loader(data, batch=64, shuffle=True, key=4), 0
        if load:
            situ.checkpoint_load(path, net, adam, loader)
            step = save_at
            assert situ.info(path)[1]["mine"] == "yes" and adam.steps == save_at
        net.train()
        while step < steps:
            for x, y in loader:
                adam.step(nn.cross_entropy(net(x), y))
                step += 1
                if step == save_at and not load:
                    situ.checkpoint_save(path, net, adam, loader, metadata={"mine": "yes"})
                if step == steps:
                    break
        return state_of(net)

    for at in (1, 17, 31):
        same(run(False, at), run(True, at))
    net = nn.Sequential(nn.Flatten(), nn.Linear(16))
    raises(situ.ArgumentError, lambda: situ.checkpoint_load(path, net), "the network is sequential(flatten linear batch_norm")


def test_a_trainer_goes_on_from_its_folder():
    data = situ.data.digits()

    def run(epochs, **options):
        net = nn.Sequential(nn.Flatten(), nn.Linear(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(10))
        trainer = situ.train.Trainer(max_epochs=epochs, **options)
        trainer.fit(net, situ.optim.Adam(net), data)
        return state_of(net)

    kept = os.path.join(folder, "kept")
    whole = run(2)
    run(1, checkpoint=kept)
    raises(situ.ArgumentError, lambda: run(2, checkpoint=kept), "resume=True continues from there")
    same(whole, run(2, checkpoint=kept, resume=True))
    assert sorted(os.listdir(kept))[0] == "best.safetensors"
    raises(situ.Error, lambda: situ.train.Trainer(resume=True), "resume and checkpoint_every need the folder, checkpoint")


def test_what_callbacks_change_is_in_the_checkpoints():
    data, held_out = situ.data.digits().split(1, share=0.7)

    def run(name, stop=None, resume=False, **options):
        net = nn.Sequential(nn.Flatten(), nn.Linear(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(10)).init(situ.random.key(3))
        adam, called = situ.optim.Adam(net, lr=0.01), []

        def on_epoch(trainer):
            called.append(trainer.epochs)
            adam.lr *= 0.5

        def on_step(trainer):
            adam.lr *= 0.99
            return trainer.steps == stop

        trainer = situ.train.Trainer(max_epochs=4, on_epoch=on_epoch, on_step=on_step, checkpoint=name and os.path.join(folder, name),
                                     resume=resume, **options)
        trainer.fit(net, adam, data, held_out)
        return state_of(net), adam.lr, called

    whole, lr, called = run(None)
    assert called == [1, 2, 3, 4]
    for name, stop, options in ("a", 3, {}), ("b", 13, {}), ("c", 18, {}), ("d", 26, {"checkpoint_every": 4}):
        before = run(name, stop, **options)[2]
        there, lr_there, after = run(name, resume=True)
        assert before + after == called and lr_there == lr, (name, before, after, lr_there, lr)
        same(whole, there)
        assert run(name, resume=True)[2] == []
    run("e", checkpoint_every=1, keep=99)
    for i, file in enumerate(sorted(os.listdir(os.path.join(folder, "e")))[1:]):
        os.mkdir(os.path.join(folder, f"e{i}"))
        os.link(os.path.join(folder, "e", file), os.path.join(folder, f"e{i}", file))
        there, lr_there, _ = run(f"e{i}", resume=True)
        assert lr_there == lr, file
        same(whole, there)


def test_arrays_of_numpy_are_no_tensors():
    raises(TypeError, lambda: situ.data.tensor_dataset([np.ones((3, 2), np.float32)]), "situ.asarray makes tensors of numbers and arrays")


def test_an_interruption_leaves_a_checkpoint():
    data = situ.data.digits()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts its jobs in the background without it

    def run(stop=None, own=True, **options):
        net = nn.Sequential(nn.Flatten(), nn.Linear(16), nn.ReLU(), nn.BatchNorm(), nn.Dropout(0.3), nn.Linear(10)).init(situ.random.key(3))

        def step(net, batch):
            if batch.step == stop:
                os.kill(os.getpid(), signal.SIGINT)
            return nn.cross_entropy(net(batch[0]), batch[1])

        if stop and not own:
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
        trainer = situ.train.Trainer(max_epochs=options.pop("epochs", 2), step=step if own else None, checkpoint=kept, **options)
        try:
            trainer.fit(net, situ.optim.Adam(net), data)
        except KeyboardInterrupt:
            assert trainer.ended == "stopped" and stop, trainer.ended
            return trainer.steps
        assert not stop
        return state_of(net)

    for own, epochs in (True, 2), (False, 100000):
        kept = os.path.join(folder, f"interrupted{own}")
        steps = run(20, own, epochs=epochs)
        assert f"step-{steps:012}.safetensors" in os.listdir(kept) and (steps == 21 or not own)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if own:
            there = run(own=own, resume=True)
            kept = None
            same(run(own=own), there)


def test_file_objects_and_bytes_stand_for_paths():
    def small():
        return nn.Sequential(nn.Linear(5), nn.ReLU(), nn.Linear(2))

    net, x = small(), situ.ones((2, 3))
    y = net(x).tolist()
    adam = optim.Adam(net)
    for name, write, read in [
            ("net.safetensors", lambda p: situ.save(p, net), lambda p: small().load(p)),
            ("net.onnx", lambda p: situ.onnx.save(net, p, x), situ.onnx.load)]:
        file, there = io.BytesIO(), os.path.join(folder, name)
        write(file)
        write(there)
        whole = open(there, "rb").read()
        assert file.getvalue() == whole, name
        for source in (io.BytesIO(whole), bytearray(whole), memoryview(whole), open(there, "rb")):
            assert read(source)(x).tolist() == y, name
        for broken in (whole[:-3], whole[:40], b"", b"PK\x03\x04 and more"):
            with open(there, "wb") as f:
                f.write(broken)
            messages = []
            for source in (there, io.BytesIO(broken), bytearray(broken), memoryview(broken)):
                try:
                    read(source)
                    messages.append("no error")
                except situ.Error as e:
                    messages.append((type(e), re.sub(r"virtual:\d+/memory|" + re.escape(there), "PATH", str(e))))
            assert len(set(messages)) == 1, messages
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.arange(3)}
    file = io.BytesIO()
    file.name = "x.npz"
    situ.save(file, arrays)
    with np.load(io.BytesIO(file.getvalue())) as back:
        assert all(np.array_equal(back[k], arrays[k]) for k in arrays)
    file = io.BytesIO()
    situ.checkpoint_save(file, net, adam)
    situ.checkpoint_load(memoryview(file.getvalue()), net, adam)
    assert net(x).tolist() == y
    assert situ.data.csv(io.BytesIO(b"a,b\n1,2\n3,4\n")).name and len(situ.data.csv(bytearray(b"a,b\n1,2\n3,4\n"))) == 2


def test_bytes_are_shared_if_nobody_can_change_them():
    file = io.BytesIO()
    situ.save(file, {"a": np.arange(4096, dtype=np.float32)})
    for make, shared in ((bytes, True), (bytearray, False)):
        whole = make(file.getvalue())
        start = np.frombuffer(whole, np.uint8).ctypes.data
        a = situ.load(memoryview(whole))["a"]
        place = np.asarray(a).ctypes.data
        assert (start <= place < start + len(whole)) == shared, make
        del whole
        assert np.asarray(a).tolist() == list(range(4096))


class Refuses:
    def __init__(self, after):
        self.after = after

    def read(self, size):
        self.after -= 1
        if self.after < 0:
            raise KeyError("no more")
        return b"GGUF"[:size]

    def write(self, data):
        self.after -= 1
        if self.after < 0:
            raise KeyError("no more")
        return 1


def test_exceptions_of_file_objects_are_those_of_the_call():
    raises(KeyError, lambda: situ.load(Refuses(2)), "no more")
    raises(KeyError, lambda: situ.save(Refuses(3), {"a": np.ones(3)}), "no more")
    raises(TypeError, lambda: situ.load(io.StringIO("text")), "bytes-like")
    raises(io.UnsupportedOperation, lambda: situ.load(open(os.path.join(folder, "out"), "wb")), "read")
    raises(TypeError, lambda: situ.load(3), "path must be a str")
    assert situ.load(io.BytesIO(saved_bytes()))["a"].tolist() == [1.0, 1.0]


def saved_bytes():
    file = io.BytesIO()
    situ.save(file, {"a": np.ones(2, np.float32)})
    return file.getvalue()


if __name__ == "__main__":
    run(globals())
