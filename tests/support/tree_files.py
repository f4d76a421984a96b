"""The files of the tree, for checks of it: what git knows or would add; without git, or in an unpacked archive, what is there."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = {".git", ".cache", "__pycache__"}


def of_git():
    try:
        top = subprocess.run(["git", "rev-parse", "--show-prefix"], cwd=ROOT, capture_output=True, text=True)
        if top.returncode or top.stdout.strip():  # none, or that of a folder around this one
            return []
        done = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True)
    except OSError:
        return []
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def of_folder():
    """What .gitignore leaves out is left out here as well."""
    for folder, folders, names in os.walk(ROOT):
        here = pathlib.Path(folder).relative_to(ROOT)
        folders[:] = [f for f in folders if f not in MADE and not (here == pathlib.Path() and f.startswith("build"))]
        for name in names:
            if not name.endswith((".pyc", ".so")) and name != "compile_commands.json" and not (here == pathlib.Path() and name.endswith(".svg")):
                yield str(here / name)


def files():
    """Paths from the root on, in order."""
    return sorted(name for name in of_git() or of_folder() if (ROOT / name).is_file() and not (ROOT / name).is_symlink())
