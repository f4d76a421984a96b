"""python -m situ: the version and every device. python -m situ NAME: what to write for a name of another library."""
import sys

import situ
from situ import _habits


def _of_device(device):
    info, memory = device.info(), device.memory()
    total = info.get("memory_total", 0)
    size = f", {total / 2**30:.1f} GiB, {memory['in_use'] / 2**20:.1f} MiB of it in use here" if total > 0 else ""
    return f"{device!s:10} {info['name']}{size}{', simulated' if info.get('simulated') else ''}"


def devices():
    """Every device; for GPUs, where there are none, the reason."""
    lines = [f"situ {situ.__version__}", *map(_of_device, situ.devices())]
    if not situ.num_gpus():
        try:
            situ.gpu(0).info()
        except situ.Error as e:
            lines.append(str(e).removeprefix("info: "))
    return lines


def words_for(name):
    """[(where, what to write)] for a name such as "torch.cuda.synchronize" or "x.view"."""
    last, found = name.rpartition(".")[2].removesuffix("()"), []
    tables = {"x": _habits.TENSOR, "net": _habits.MODULE, "opt": _habits.OPTIMIZER, "trainer": _habits.TRAINER, **_habits.SPACES}
    for where, table in tables.items():
        if last in table:
            found.append((f"{where}.{last}", table[last]))
    for where, value in [("x", situ.Tensor)] + [(space, sys.modules[space]) for space in _habits.SPACES]:
        if hasattr(value, last):
            found.append((f"{where}.{last}", "is there"))
    return found


def main(arguments):
    if len(arguments) > 1:
        print("usage: python -m situ [NAME]", file=sys.stderr)
        return 2
    if not arguments or arguments[0] == "devices":
        print("\n".join(devices()))
        return 0
    if arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    found = words_for(arguments[0])
    for where, words in found:
        print(f"{where}: {words}")
    if not found:
        print(f"situ knows no word for {arguments[0]}; docs/reference lists all functions", file=sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
