#!/usr/bin/env python3
"""Every command of docs/several.md, as it is written. Two machines are network namespaces (tests/group/machines.sh); `sbatch` and `docker`
are stand-ins that run what they are given here, the latter with as small a /dev/shm as a container has. All lines that train the same
deterministic thing print one hash."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from group import BUILD, MPI, ROOT, hashes, no_orphans  # noqa: E402

PAGE = (ROOT / "docs/several.md").read_text()
DOCKER = """#!/bin/sh
while [ "$1" != training ]; do shift; done
shift
exec unshare -Urm sh -c 'mount -t tmpfs -o size=64m none /dev/shm && exec "$@"' sh "$@"
"""


def write(path, text):
    path.write_text(text)
    path.chmod(0o755)


def tools(folder):
    """What the commands call: false, if there is no MPI."""
    found = {"mpirun": shutil.which("mpirun.openmpi"), "mpiexec": shutil.which("mpiexec.mpich")}
    if not all(found.values()):
        return False
    for name, path in found.items():
        write(folder / name, f'#!/bin/sh\nexec {path} "$@"\n')  # they look for what belongs to them beside their own names
    (folder / "situ").symlink_to(BUILD / "situ")
    write(folder / "pkg-config", f"#!/bin/sh\necho -I{ROOT}/include -L{BUILD} -lsitu -Wl,-rpath,{BUILD}\n")
    write(folder / "sbatch", "#!/bin/sh\nexec bash -e \"$1\"\n")
    write(folder / "docker", DOCKER)
    return True


def run(block, folder, env, machines):
    command = ["bash", "-ec", block]
    if machines:
        command = [ROOT / "tests/group/machines.sh", f"cd {folder} && PATH=$PATH:{folder}/bin && bash -e block.sh"]
        (folder / "block.sh").write_text(block)
    try:
        done = subprocess.run(command, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=90)
    except subprocess.TimeoutExpired as e:
        return None, (e.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout


def main():
    blocks = [(m[1], m.start()) for m in re.finditer(r"^```sh\n(.*?)^```", PAGE, re.S | re.M)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        if not tools(folder / "bin"):
            print("SKIP docs/several.md: mpirun.openmpi and mpiexec.mpich are not both here (openmpi-bin, mpich)")
            return 0
        env = {**MPI.environment(SITU_GPUS="sim", SITU_THREADS="1", OMPI_MCA_rmaps_base_oversubscribe="1"), "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        (folder / "main.c").write_text(re.search(r"^```c\n(.*?)^```", PAGE, re.S | re.M)[1])
        seen, bad = set(), 0
        for number, (block, at) in enumerate(blocks, 1):
            section = re.findall(r"^## (.*)$", PAGE[:at], re.M)[-1]
            code, output = run(block, folder, env, section == "Several machines")
            title = f"docs/several.md, {section}: block {number}"
            if code == 77:
                print(f"SKIP {title}: no user and network namespaces can be made here")
                continue
            if section != "When something fails":
                seen |= {h for h, _ in hashes(output)}
            wrong = code != 0 or len(seen) > 1 or no_orphans()
            if block == "situ devices\n":
                wrong = wrong or "Open MPI 4" not in output or "processes together" not in output
            print(f"FAIL {title}: code {code}, hashes {seen}\n{block}{output[-1500:]}" if wrong else f"PASS {title}", flush=True)
            bad += bool(wrong)
        if len(seen) != 1 or len(blocks) < 8:
            print(f"FAIL docs/several.md: {len(blocks)} blocks printed the hashes {seen}")
            bad += 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
