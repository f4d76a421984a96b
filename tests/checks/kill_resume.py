#!/usr/bin/env python3
"""Trainings with checkpoints that are killed at moments by chance, also while they write and where the disk is full. After each kill every
file that is there is whole and equal, bit for bit, to the one that an undisturbed run wrote at that step, and the next run goes on from
the last one. SITU_KILLS: how many kills (default 10); SITU_KILL_SEED: of the moments."""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    from safetensors import safe_open
except ImportError:
    safe_open = None

KILLS, SEED = int(os.environ.get("SITU_KILLS", "10")), int(os.environ.get("SITU_KILL_SEED", "0"))
SITU = os.path.join(os.environ.get("SITU_BUILD_DIR", "build"), "situ")
TRAIN = [SITU, "train", "--device", "cpu", "--quiet", "--epochs", "2", "--hidden", "48", "--batch", "64", "--checkpoint-every", "1", "--resume"]
TIMES = {"situ.trainer.seconds", "situ.trainer.waited", "situ.trainer.copied"}


def start(folder, *more, size=None):
    limit = None if size is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return subprocess.Popen([*TRAIN, "--checkpoint", folder, *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit)


def read(path):
    """Texts and tensors of a file, checked as the format says; by the format's own package, too, where that is there."""
    with open(path, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    header, values = json.loads(data[8:8 + size]), data[8 + size:]
    texts = header.pop("__metadata__")
    end, tensors = 0, {}
    for name, t in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        first, last = t["data_offsets"]
        assert first == end, f"{path}: a hole before {name}"
        end, tensors[name] = last, (t["dtype"], tuple(t["shape"]), values[first:last])
    assert end == len(values), f"{path}: {len(values)} bytes of {end}"
    if safe_open:
        with safe_open(path, framework="np") as file:
            assert set(file.keys()) == set(tensors) and file.metadata() == texts, path
            for name in tensors:
                assert file.get_tensor(name).tobytes() == tensors[name][2], f"{path}: {name}"
    return {k: v for k, v in texts.items() if k not in TIMES}, tensors


def compare(folder, reference, end):
    """Every file against the undisturbed run's. How many were half written."""
    parts = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not name.endswith(".safetensors"):
            parts += name.startswith(("step-", "best."))
            continue
        texts, tensors = read(path)
        step = int(texts["situ.trainer.steps"])
        if step not in reference:
            reference[step] = read(os.path.join(end, f"step-{step:012}.safetensors"))
        assert texts == reference[step][0], f"{path}: " + ", ".join(k for k in texts if texts[k] != reference[step][0].get(k))
        assert tensors == reference[step][1], path
    return parts


def full_disk(root):
    """A folder on a small file system of its own, or None."""
    place = os.path.join(root, "small")
    os.mkdir(place)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True)
    return place if done.returncode == 0 else None


def main():
    chance, root, reference = random.Random(SEED), tempfile.mkdtemp(), {}
    whole, folder, small = os.path.join(root, "whole"), os.path.join(root, "run"), full_disk(root)
    counts = dict(kills=0, parts=0, full=0, finished=0, resumed=0)
    try:
        before = time.monotonic()
        run = start(whole, "--keep", "100000")
        assert run.wait() == 0, run.stderr.read()
        seconds = time.monotonic() - before
        last = max(name for name in os.listdir(whole) if name.startswith("step-"))
        size = os.path.getsize(os.path.join(whole, last))
        while counts["kills"] < KILLS:
            full = chance.random() < 0.25
            place = os.path.join(small, "run") if small and full else folder
            limit = None
            if full and small:
                free = os.statvfs(small)
                with open(os.path.join(small, "filler"), "wb") as filler:
                    filler.write(bytes(max(0, free.f_bavail * free.f_bsize - chance.randrange(5 * size))))
            elif full:
                limit = chance.randrange(1, 2 * size)
            counts["resumed"] += os.path.isdir(place) and any(n.startswith("step-") for n in os.listdir(place))
            run = start(place, size=limit)
            counts["full"] += full
            try:
                code = run.wait(chance.uniform(0, seconds))
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGKILL)
                code = run.wait()
                counts["kills"] += 1
            said = run.stderr.read().decode()
            assert code in (0, -9) or (full and ("No space left" in said or "File too large" in said)), f"ended with {code}: {said}"
            if os.path.isdir(place):
                counts["parts"] += compare(place, reference, whole)
            if full and small:
                os.unlink(os.path.join(small, "filler"))
            if code == 0:
                counts["finished"] += 1
                assert os.path.exists(os.path.join(place, last)), f"{place} has no {last}"
                shutil.rmtree(place)
        run = start(folder)
        assert run.wait() == 0, run.stderr.read()
        compare(folder, reference, whole)
    finally:
        if small:
            subprocess.run(["umount", small], capture_output=True)
        shutil.rmtree(root, ignore_errors=True)
    print(f"PASS kill and resume: {counts['kills']} kills ({counts['parts']} left a half written file), {counts['full']} runs with "
          f"{'a full file system' if small else 'a limit on the size of files'}, {counts['resumed']} that went on, "
          f"{counts['finished']} that ended; each file whole and equal to the undisturbed run's{'' if safe_open else '; without the package safetensors'}")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as wrong:
        print(f"FAIL kill and resume: {wrong}")
        sys.exit(1)
