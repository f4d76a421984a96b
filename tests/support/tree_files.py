"""The files of the tree, for checks: what git tracks or would add; without git, or in an unpacked archive, all files."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = {".git", ".cache", "__pycache__"}


def of_git():
    try:
        top = subprocess.run(["git", "rev-parse", "--show-prefix"], cwd=ROOT, capture_output=True, text=True)
        if top.returncode or top.stdout.strip():  # no repository, or one of a folder above this one
            return []
        done = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True)
    except OSError:
        return []
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def of_folder():
    """Leaves out what .gitignore excludes."""
    for folder, folders, names in os.walk(ROOT):
        here = pathlib.Path(folder).relative_to(ROOT)
        folders[:] = [f for f in folders if f not in MADE and not (here == pathlib.Path() and f.startswith("build"))]
        for name in names:
            if not name.endswith((".pyc", ".so")) and name != "compile_commands.json" and not (here == pathlib.Path() and name.endswith(".svg")):
                yield str(here / name)


def files():
    """Paths relative to the root, sorted."""
    return sorted(name for name in of_git() or of_folder() if (ROOT / name).is_file() and not (ROOT / name).is_symlink())
