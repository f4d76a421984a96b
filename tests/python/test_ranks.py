"""situ.Group: this file starts itself under mpirun, where there is one, and checks what the ranks say; a group of one without."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import situ


def train(group, **options):
    training, held_out = situ.data.digits().split(0, stratified=True)
    net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(16), situ.nn.BatchNorm(), situ.nn.ReLU(), situ.nn.Dropout(0.3), situ.nn.Linear(10))
    trainer = situ.train.Trainer(max_epochs=1, device=situ.cpu(), deterministic=True, group=group, **options)
    trainer.fit(net, situ.optim.Adam(net, lr=0.01), training, held_out)
    return {name: p.tolist() for name, p in net.copies(situ.cpu()).items()}, trainer.accuracy


def raises(kind, work, *words):
    try:
        work()
    except kind as e:
        missing = [w for w in words if w not in str(e)]
        assert not missing, f"{missing} not in {e}"
        return
    raise AssertionError(f"no {kind.__name__}")


def check_calls(group):
    rank, size = group.rank, group.size
    x = situ.asarray([1.0, 2.0]) + rank
    total = sum(range(size))
    assert group.all_reduce(x).tolist() == [size + total, 2 * size + total]
    assert group.all_reduce(x, "mean").tolist() == [1 + total / size, 2 + total / size]
    assert group.all_reduce(x, reduction="max").tolist() == [size, size + 1] and group.all_reduce(x, "min").tolist() == [1, 2]
    assert group.all_gather(situ.asarray([rank])).tolist() == list(range(size))
    assert group.reduce_scatter(situ.arange(size)).tolist() == [rank * size]
    assert group.broadcast(x, root=size - 1).tolist() == [size, size + 1]
    first, count = group.cut(5)
    parts = [situ.full((2,), 0.1 * i) for i in range(first, first + count)]
    assert abs(float(group.tree_sum(parts, 5, like=x)[0]) - 1) < 1e-6
    gradient = situ.grad(lambda t: situ.sum(group.all_reduce(t)) * (rank + 1))(x)
    assert gradient.tolist() == [total + size] * 2
    if size > 1 and rank < 2:
        if rank:
            group.send(x, 0)
        else:
            assert group.receive(x, 1).tolist() == [2, 3]
    group.barrier()


def check_mistakes(group):
    raises(ValueError, lambda: group.broadcast(situ.ones((2,)), root=99), "root is 99", "0 to")
    raises(ValueError, lambda: group.all_reduce(situ.ones((2,)), "median"), "median", "mean")
    raises(TypeError, lambda: situ.train.Trainer(group=3), "situ.Group", "int")
    raises(TypeError, lambda: group.all_reduce("text"), "all_reduce: x must be a tensor or a number, not str")
    raises(TypeError, lambda: group.all_gather([1, 2]), "all_gather: x ", "situ.asarray")
    net = situ.nn.Linear(1)
    loss, sgd = situ.mean(net(situ.ones((2, 3)))), situ.optim.SGD(net, lr=0.5)
    raises(TypeError, lambda: sgd.step(loss, group=3), "step: group is a situ.Group, not int")
    raises(ValueError, lambda: sgd.step([loss, loss], [0.5]), "1 weights and 2 losses")
    before = float(net.bias[0])
    sgd.step([loss] * 70, [1 / 70] * 70)
    sgd.step([situ.mean(net(situ.ones((2, 3)))) for _ in range(70)], group=group)
    assert abs(before - 1 - float(net.bias[0])) < 1e-5, "steps of more losses than 64"
    raises(ValueError, lambda: group.all_gather(situ.asarray(1.0)), "axis")
    raises(ValueError, lambda: situ.Group(deadline=-1), "deadline")


def other_shape():
    """Both lines are named, of this program, and also where nobody reads the result: then at the end."""
    group = situ.Group(deadline=20)
    total = group.all_reduce(situ.ones((2 + (group.rank == 1),)))
    if group.rank == 0:
        raises(situ.MismatchError, total.tolist, "test_ranks.py", "f32[3]", "f32[2]")
        print("told", flush=True)


def one_rank():
    group = situ.Group(deadline=20)
    assert situ.Group().rank == group.rank and repr(group).startswith(f"Group(rank={group.rank}, size={group.size}")
    check_calls(group)
    check_mistakes(group)
    alone, together = train(None), train(group)
    assert alone == together, "weights and accuracy of one process"
    step = train(group, step=lambda net, batch: situ.nn.cross_entropy(net(batch[0]), batch[1]))
    assert step[0] == alone[0], "a step of one's own, with dropout by the place in the batch"
    child = os.fork()
    if not child:
        assert group.rank < group.size
        sys.exit(0)  # without a word of the group, which is its parent's
    os.waitpid(child, 0)
    if group.size > 1:  # it has the rank's environment, by which MPI would take it for the rank, and end it
        done = subprocess.run([sys.executable, "-c", "import situ; print(situ.ones(2)); situ.Group()"], capture_output=True, text=True)
        assert done.stdout.startswith("[1., 1.]") and "ForkError" in done.stderr and "was started by a rank, process" in done.stderr, done.stderr
    print(f"{group.rank} of {group.size} by {group.engine}: well", flush=True)


def failing_step():
    """What a step of rank 1 raises is told to the others."""
    group = situ.Group(deadline=20)

    def step(net, batch):
        if batch.step == 3 and group.rank == 1:
            raise KeyError("no such word")
        return situ.nn.cross_entropy(net(batch[0]), batch[1])

    raises(KeyError if group.rank == 1 else situ.RankLostError, lambda: train(group, step=step), "no such word")
    print(f"told by {group.rank}", flush=True)


def lost_rank():
    """Rank 0 is killed in a training that goes on: the others have its number and theirs from then on, by each handle of the group."""
    group, other = situ.Group(deadline=20), situ.Group()

    def die(trainer):
        if trainer.steps == 9 and group.rank == 0 and group.size == 3:
            os.kill(os.getpid(), signal.SIGKILL)

    train(group, on_step=die)
    print(f"left: {group.rank} {group.size}, {other.rank} {other.size}, {float(group.all_reduce(situ.asarray(1.0)))}", flush=True)


def launchers():
    for name in ("mpiexec.mpich", "mpirun.openmpi"):
        if path := shutil.which(name):
            yield name, path


def main():
    if "--rank" in sys.argv:
        return one_rank()
    if "--other" in sys.argv:
        return other_shape()
    if "--step" in sys.argv:
        return failing_step()
    if "--lost" in sys.argv:
        return lost_rank()
    env = {**os.environ, "SITU_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    failed = []

    def check(name, launcher, part, is_well):
        """Runs this file's part under the launcher; is_well of what it did."""
        command = [*launcher, sys.executable, os.path.abspath(__file__), part]
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)
        well = is_well(done)
        print(f"PASS ranks: {name}" if well else f"FAIL ranks: {name}: code {done.returncode}\n{done.stdout}{done.stderr[-3000:]}")
        failed.extend([] if well else [name])

    runs = [("one process", 1, [])] + [(name, 3, [path, "-n", "3"]) for name, path in launchers()]
    for name, ranks, launcher in runs:
        check(name, launcher, "--rank", lambda done: done.returncode == 0 and "Exception" not in done.stderr and
              all(f"{r} of {ranks} by " in done.stdout for r in range(ranks)))
        if ranks > 1:
            check(f"{name}, another shape", launcher, "--other", lambda done: done.returncode and "told" in done.stdout and
                  "_end" in done.stderr and done.stderr.count("test_ranks.py") > 1)
            check(f"{name}, a step fails", launcher, "--step", lambda done: all(f"told by {r}" in done.stdout for r in range(ranks)))
    survivor = pathlib.Path(__file__).resolve().parents[2] / "build-mpi/openmpi/bin/mpirun"
    if survivor.exists():
        launcher = [survivor, "--with-ft", "ulfm", "--mca", "btl", "^ofi", "--mca", "mtl", "^ofi", "--oversubscribe", "-n", "3"]
        check("one is lost", launcher, "--lost", lambda done: all(f"left: {r} 2, {r} 2, 2.0" in done.stdout for r in range(2)))
    if len(runs) == 1:
        print("SKIP ranks: several processes: no mpirun is here (mpich, openmpi-bin)")
    return bool(failed)


sys.exit(main())
