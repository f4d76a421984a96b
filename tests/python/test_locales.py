"""Numbers in text from Python are the same under a locale with a decimal comma, for a whole process and for its parts."""
import hashlib
import locale
import os
import pathlib
import subprocess
import sys
import tempfile

import situ
from support import run

GERMAN = "de_DE.UTF-8"


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def error(work):
    try:
        work()
    except situ.Error as e:
        return str(e)
    return "no error"


def tensors():
    x = situ.asarray([0.1, -2.5, 1e-7, 123456.789])
    yield repr(x), str(x / 3), repr(situ.astype(x, situ.float64) / 3), repr(situ.nn.gelu(x))
    with situ.printoptions(17):
        yield repr(x), str(situ.astype(x, situ.float64) / 7), repr(x + 0.25j)
    yield situ.explain(x * 0.3)
    yield [error(lambda: situ.nn.Dropout(1.5)(x)), error(lambda: situ.linspace(0.5, float("inf"), 3)),
           error(lambda: situ.isclose(x, x, rtol=-0.5)), repr(situ.nn.Dropout(0.125)), repr(situ.nn.LeakyReLU(0.15))]


def readers():
    pathlib.Path("numbers.csv").write_text("a,b,y\n0.5,1.25,0.5\n-1.5e-3,2.5,2.75\n")
    data = situ.data.csv("numbers.csv")
    for batch in situ.data.Loader(data, batch=2):
        yield [str(t) for t in batch]
    situ.save("x.safetensors", {"x": situ.asarray([0.5, 1.5])}, metadata={"share": "0.5", "count": "1"})
    yield digest("x.safetensors")
    model = situ.models.Llama(layers=1, width=8, heads=2, vocabulary=11, rope_base=10000.5, epsilon=1.5e-5)
    model.save("model.safetensors")
    again = situ.models.llama("model.safetensors")
    tokens = situ.asarray([[1, 5, 10]])
    yield digest("model.safetensors"), str(model(tokens)), str(again(tokens))


def networks():
    x = situ.asarray([[0.1, -2.5, 1e-3], [3.5, -0.25, 0.75]])
    net = situ.nn.Sequential(situ.nn.GELU(), situ.nn.ELU(0.3), situ.nn.Softplus(), situ.nn.LeakyReLU(0.15))
    situ.onnx.save(net, "net.onnx", x)
    yield digest("net.onnx"), str(net(x)), str(situ.onnx.load("net.onnx")(x))
    net = situ.nn.Sequential(situ.nn.Linear(8), situ.nn.Tanh(), situ.nn.Linear(3))
    opt = situ.optim.Adam(net, lr=0.0125)
    x, y = situ.random.normal(situ.random.key(0), (32, 4)), situ.arange(32) % 3
    for _ in range(3):
        opt.step(situ.nn.cross_entropy(net(x), y))
    situ.checkpoint_save("run.safetensors", net, opt)
    situ.checkpoint_load("run.safetensors", net, opt)
    yield str(net(x)), opt.lr


def everything():
    """Texts of all that writes or reads numbers, as one list."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            for part in tensors, readers, networks:
                for text in part():
                    lines.append(str(text))
        finally:
            os.chdir(before)
    return lines


def make_locale(folder):
    subprocess.run(["localedef", "-f", "UTF-8", "-i", "de_DE", os.path.join(folder, GERMAN)], check=True, stderr=subprocess.DEVNULL)


def test_a_decimal_comma_changes_nothing():
    with tempfile.TemporaryDirectory() as folder:
        make_locale(folder)
        expected = everything()
        os.environ["LOCPATH"] = folder
        before = locale.setlocale(locale.LC_ALL)
        try:  # set later
            locale.setlocale(locale.LC_ALL, GERMAN)
            assert locale.localeconv()["decimal_point"] == ","
            for a, b in zip(expected, everything(), strict=True):
                assert a == b, (a, b)
        finally:
            locale.setlocale(locale.LC_ALL, before)
        # set before the package is imported
        script = "import locale; locale.setlocale(locale.LC_ALL, %r); import test_locales; print(repr(test_locales.everything()))" % GERMAN
        path = os.pathsep.join([str(pathlib.Path(__file__).parent), os.path.dirname(os.path.dirname(situ.__file__)), os.environ.get("PYTHONPATH", "")])
        got = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
        assert got.returncode == 0, got.stderr
        expected = [e.replace(os.path.basename(__file__), "F") for e in expected]
        for a, b in zip(expected, eval(got.stdout), strict=True):
            assert a == b.replace(os.path.basename(__file__), "F"), (a, b)


def test_what_is_compared_holds_numbers():
    lines = everything()
    assert len(lines) > 8 and not any("no error" in line for line in lines), lines
    assert sum("0.5" in line or "0.1" in line for line in lines) > 3, lines


if __name__ == "__main__":
    run(globals())
