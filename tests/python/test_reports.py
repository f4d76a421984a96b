"""The report of a training and the board in a notebook, as the package is installed."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

import numpy as np

import situ
from support import Skip, raises, run


def lines(path):
    """The objects of a report, by kind."""
    found = {}
    for line in pathlib.Path(path).read_text().split('<script type="application/x-situ-run">\n', 1)[1].splitlines():
        if line.startswith("{"):
            e = json.loads(line)
            found.setdefault(e["k"], []).append(e)
    return found


def digits():
    train, held_out = situ.data.digits().split(0, share=0.2, stratified=True)
    net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(32), situ.nn.ReLU(), situ.nn.Linear(10))
    return net, situ.optim.Adam(net, lr=5e-3), train, held_out


def test_a_report_says_what_numpy_counts():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.html"
        net, opt, train, held_out = digits()
        trainer = situ.train.Trainer(max_epochs=4, batch=64, report=path).fit(net, opt, train, held_out)
        got = lines(path)
        assert got["run"][0]["optimizer"] == "adam" and got["run"][0]["hyper"]["lr"] == 0.005 and len(got["epoch"]) == 4
        x, y = (np.asarray(held_out.arrays[n]) for n in held_out.names)
        said = np.asarray(net(situ.asarray(x.astype(np.float32)))).argmax(1)
        counts = np.zeros((10, 10), int)
        np.add.at(counts, (y, said), 1)
        assert got["confusion"][-1]["c"] == counts.ravel().tolist()
        assert len(got["p"]) == trainer.steps and abs(np.mean([p["v"][0] for p in got["p"][-23:-1]]) - trainer.loss) < 0.02
        sites = {row[0].split(":")[0] for row in got["ledger"][-1]["rows"]}
        assert any(s.endswith("test_reports.py") for s in sites), sites


class Net(situ.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = situ.nn.Linear(16), situ.nn.Linear(10)

    def forward(self, x):
        return self.b(situ.maximum(self.a(situ.reshape(x, (x.shape[0], -1))), 0))


def test_networks_and_steps_in_python_have_one_too():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/run.html"
        _, _, train, held_out = digits()
        net = Net()
        trainer = situ.train.Trainer(max_epochs=2, batch=64, report=path)
        trainer.fit(net, situ.optim.Adam(net, lr=1e-2), train, held_out)
        got = lines(path)
        assert sum(got["confusion"][-1]["c"]) == len(held_out)

        def step(net, batch):
            scores = net(batch[0])
            if not batch.training:
                trainer.confusion(scores, batch[1])
            return situ.nn.cross_entropy(scores, batch[1]), {"largest": situ.max(scores)}

        trainer = situ.train.Trainer(max_epochs=2, batch=64, report=path, step=step)
        trainer.fit(net, situ.optim.Adam(net, lr=1e-2), train, held_out)
        got = lines(path)
        assert got["columns"][0]["names"] == ["loss", "largest", "gradient norm"] and "validation largest" in got["epoch"][0]["v"]
        assert sum(got["confusion"][-1]["c"]) == len(held_out) and got["end"][0]["why"] == "epochs"


def test_a_report_has_the_error_of_a_step_in_python():
    """And no NaN, which JSON does not have: deeplearning4j/deeplearning4j#2629"""
    with tempfile.TemporaryDirectory() as folder:
        path, (net, opt, train, held_out) = f"{folder}/run.html", digits()

        def step(net, batch):
            if trainer.steps == 40:
                raise ZeroDivisionError("of </script> mine")
            return situ.nn.cross_entropy(net(batch[0]), batch[1]), {"never": situ.asarray(float("nan")), "inf": situ.asarray(float("inf"))}

        trainer = situ.train.Trainer(max_epochs=9, report=path, step=step)
        raises(ZeroDivisionError, lambda: trainer.fit(net, opt, train, held_out))
        got = lines(path)
        assert got["end"][0]["why"] == trainer.ended == "error" and got["end"][0]["error"] == "ZeroDivisionError: of </script> mine"
        assert all(p["v"][1:3] == [None, None] for p in got["p"]) and len(got["p"]) == 40, len(got["p"])
        step_of = lambda n, b: situ.nn.cross_entropy(n(b[0]), b[1]) * (float("nan") if trainer.steps > 9 else 1)
        trainer = situ.train.Trainer(max_epochs=9, report=path, step=step_of)
        raises(ArithmeticError, lambda: trainer.fit(net, opt, train, held_out), "NaN")
        assert "is NaN" in lines(path)["end"][0]["error"]


def test_reports_are_joined():
    with tempfile.TemporaryDirectory() as folder:
        for name in "ab":
            net, opt, train, held_out = digits()
            situ.train.Trainer(max_epochs=1, report=f"{folder}/{name}.html").fit(net, opt, train, held_out)
        situ.train.report_join(f"{folder}/both.html", [f"{folder}/a.html", pathlib.Path(folder) / "b.html"])
        got = lines(f"{folder}/both.html")
        assert len(got["run"]) == 2 and [n["text"] for n in got["name"]] == [f"{folder}/a.html", f"{folder}/b.html"]


def test_wrong_reports_are_told():
    net, opt, train, held_out = digits()
    fit = lambda path: situ.train.Trainer(max_epochs=1, report=path).fit(net, opt, train, held_out)
    raises(OSError, lambda: fit("/no/such/folder/run.html"), "cannot write the report", "No such file")
    raises(OSError, lambda: fit(tempfile.gettempdir()), "Is a directory")
    raises(TypeError, lambda: situ.train.Trainer(report=3))
    raises(TypeError, lambda: situ.train.report_join("a.html", "b.html"), "list of files")
    raises(ValueError, lambda: situ.train.report_join("a.html", []), "no report")
    with tempfile.NamedTemporaryFile("w", suffix=".html") as other:
        other.write("<p>something else")
        other.flush()
        raises(ValueError, lambda: situ.train.report_join(f"{other.name}.2", [other.name]), "is no report of a training")
    raises(ValueError, lambda: situ.train.Trainer().confusion(situ.zeros((2, 3)), situ.zeros(2)), "only while a step")


def test_a_board_in_a_notebook_follows_the_training():
    """With a stand-in for IPython: display(object, display_id=True) gives a handle with update(object)."""
    shown, before = [], {n: sys.modules.get(n) for n in ("IPython", "IPython.display")}

    def display(board, display_id):
        shown.append(board._repr_html_())
        return types.SimpleNamespace(update=lambda b: shown.append(b._repr_html_()))

    sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()))
    sys.modules["IPython.display"] = types.SimpleNamespace(display=display)
    pause, situ.train.Board._PAUSE = situ.train.Board._PAUSE, 0
    try:
        net, opt, train, held_out = digits()
        trainer = situ.train.Trainer(max_epochs=3, batch=256, board=True, title="the <board>")
        trainer.fit(net, opt, train, held_out)
    finally:
        situ.train.Board._PAUSE = pause
        for n, m in before.items():
            sys.modules.pop(n) if m is None else sys.modules.__setitem__(n, m)
    assert len(shown) > 3 and all(s.startswith("<svg") and s.endswith("</svg>\n") for s in shown)
    assert "validation accuracy" in shown[-1] and "the &lt;board&gt;" in shown[-1] and shown[-1] == trainer.board.svg()
    quiet = situ.train.Trainer(max_epochs=1, batch=256)  # outside of a notebook the picture is there when asked for
    quiet.fit(net, opt, train, held_out)
    assert "train loss" in quiet.board._repr_html_()


NOTEBOOK = """
import situ
train, held_out = situ.data.digits().split(0, share=0.2, stratified=True)
net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(32), situ.nn.ReLU(), situ.nn.Linear(10))
situ.train.Board._PAUSE = 0
situ.train.Trainer(max_epochs=3, board=True).fit(net, situ.optim.Adam(net), train, held_out).accuracy
"""


def test_a_board_in_jupyter_is_one_picture_that_is_updated():
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError as e:
        raise Skip(e) from e
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(NOTEBOOK)])
    with tempfile.TemporaryDirectory() as folder:
        kernel = pathlib.Path(folder) / "kernels/this"
        kernel.mkdir(parents=True)
        (kernel / "kernel.json").write_text(json.dumps({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "this", "language": "python"}))
        os.environ["JUPYTER_PATH"] = folder
        nbclient.NotebookClient(notebook, kernel_name="this", timeout=120).execute()
    outputs = notebook.cells[0].outputs
    pictures = [o for o in outputs if o.output_type == "display_data"]
    assert len(pictures) == 1 and pictures[0].data["text/html"].count("<svg") == 1, [o.output_type for o in outputs]
    assert "validation accuracy" in pictures[0].data["text/html"]
    assert float(outputs[-1].data["text/plain"]) > 0.3


def test_a_training_that_is_killed_leaves_its_report():
    with tempfile.TemporaryDirectory() as folder:
        program = f"""
import os, signal, situ
train, held_out = situ.data.digits().split(0)
net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(10))
kill = lambda t: t.steps == 200 and os.kill(os.getpid(), signal.SIGKILL)
situ.train.Trainer(max_epochs=1000, report={folder + '/run.html'!r}, on_step=kill).fit(net, situ.optim.Adam(net), train, held_out)
"""
        assert subprocess.run([sys.executable, "-c", program]).returncode == -9
        got = lines(f"{folder}/run.html")
        assert len(got["run"]) == 1 and "end" not in got
        situ.train.report_join(f"{folder}/again.html", [f"{folder}/run.html"])


if __name__ == "__main__":
    run(globals())
