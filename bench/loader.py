#!/usr/bin/env python3
"""PyTorch's DataLoader on what bench/run's "loader" does: for bench/compare, which gives FRAMEWORK WORK SECONDS.

    SITU_PEERS_PYTHON=... bench/compare training loader

The images are bytes in memory; each is padded by 4, cropped, mirrored and normalised by operations on one image, as torchvision's
transforms do it, by two workers that stay from epoch to epoch. "torch-compile" does the same by NumPy: a compiler has nothing to do
here, and bench/compare takes the faster of the two."""
import random
import statistics
import sys
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

IMAGES, BATCH = 12800, 128
X = torch.randint(0, 256, (IMAGES, 3, 32, 32), dtype=torch.uint8)
A, Y = X.numpy(), torch.arange(IMAGES) % 10


class Each(Dataset):
    """One image for each call."""

    def __len__(self):
        return IMAGES

    def __getitem__(self, i):
        x = torch.nn.functional.pad(X[i], (4, 4, 4, 4))
        top, left, mirror = torch.randint(0, 9, (3,)).tolist()
        x = x[:, top:top + 32, left:left + 32]
        if mirror % 2:
            x = x.flip(-1)
        return x.float().div(255).sub_(0.47).div_(0.25), Y[i]


class Arrays(Each):
    """The same with NumPy, whose calls on small arrays are cheaper."""

    def __getitem__(self, i):
        x = np.zeros((3, 40, 40), np.float32)
        x[:, 4:36, 4:36] = A[i]
        top, left, mirror = random.randrange(9), random.randrange(9), random.random() < 0.5
        x = x[:, top:top + 32, left:left + 32]
        if mirror:
            x = x[:, :, ::-1]
        return torch.from_numpy(x * np.float32(1 / (255 * 0.25)) - np.float32(0.47 / 0.25)), Y[i]


def main():
    framework, work, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 3
    if work != "loader" or not framework.startswith("torch"):
        return print(framework, work, "n/a")
    numpy = framework == "torch-compile"  # a compiler has nothing to do here; bench/compare needs this name
    loader = DataLoader(Arrays() if numpy else Each(), batch_size=BATCH, shuffle=True, num_workers=2, persistent_workers=True)
    times, end = [], None
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        seen = sum(len(y) for x, y in loader)
        times.append((time.perf_counter() - start) / IMAGES)
        assert seen == IMAGES
        end = end or time.perf_counter() + seconds
    times = times[2:]  # the first two epochs include the start of the workers
    print(f"{framework:12s} {work:14s} median {statistics.median(times):.6g} min {min(times):.6g} runs {len(times)}", flush=True)


if __name__ == "__main__":
    main()
