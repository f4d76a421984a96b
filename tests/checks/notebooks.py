#!/usr/bin/env python3
"""The notebooks of docs/chapter run from top to bottom, each in a process of its own, and every row in them holds. Large cells are small, unless
SITU_NOTEBOOKS=full."""
import json
import os
import pathlib
import resource
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("SITU_BUILD_DIR", "build")).resolve()
MOST_SECONDS = 60  # of processors, for all of them
RUN = """
import json, sys
space = {"__name__": "__main__"}
for number, cell in enumerate(json.load(open(sys.argv[1]))["cells"]):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"<cell {number}>", "exec"), space)
import chapter
sys.exit(f"{chapter._broken} conditions do not hold" if chapter._broken else 0)
"""


def main():
    python = BUILD / "package/use/bin/python"
    if not python.exists():
        print("SKIP notebooks: the package is not installed; the job build/package says why")
        return
    full = os.environ.get("SITU_NOTEBOOKS") == "full"
    env = {**os.environ, "SITU_SIM_GPUS": "2", "PYTHONDONTWRITEBYTECODE": "1", "SITU_CHAPTER_SMALL": "" if full else "1"}
    notebooks = sorted((ROOT / "docs/chapter/notebooks").glob("*.ipynb"))
    for path in notebooks:
        done = subprocess.run([python, "-c", RUN, path], cwd=path.parent, env=env, capture_output=True, text=True, timeout=1800)
        broken = [line.strip() for line in done.stdout.splitlines() if "BROKEN" in line]
        print(f"PASS notebooks: {path.stem}" if not done.returncode else f"FAIL notebooks: {path.stem}: {'; '.join(broken)} {done.stderr.strip()[-300:]}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    print(f"{'PASS' if len(notebooks) == 5 and (full or seconds <= MOST_SECONDS) else 'FAIL'} notebooks: {len(notebooks)} took {seconds:.0f} s of processors")


main()
