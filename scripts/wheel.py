#!/usr/bin/env python3
"""wheel.py FILE.whl: gives a wheel for Linux the tag of the oldest glibc on which its extension runs, as PEP 600 has it, and prints its
new name. The wheel of "pip wheel ./python" is for this machine alone (linux_x86_64), and no package index takes it.

The tag says what the extension asks of glibc, so it depends on the system where it was compiled: an older one gives an older tag. With
--check it only says whether the tag is the right one."""
import base64
import hashlib
import pathlib
import re
import sys
import zipfile

# The releases of glibc for which there are common tags; a tag is that of the first one that is new enough.
RELEASES = (5, 12, 17, 24, 26, 27, 28, 31, 34, 35, 36, 37, 38, 39, 40, 41)


def newest(wheel):
    """The minor version of the newest symbol of glibc 2 that an extension in the wheel asks for."""
    found = [0]
    for name in wheel.namelist():
        if name.endswith(".so"):
            found += [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", wheel.read(name))]
    return max(found)


def tag_of(wheel, machine):
    minor = newest(wheel)
    return f"manylinux_2_{next((r for r in RELEASES if r >= minor), minor)}_{machine}"


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def retagged(wheel, old, new):
    """Names and bytes of the files, with the tag in WHEEL, and WHEEL's digest in RECORD."""
    files = {info: wheel.read(info) for info in wheel.infolist()}
    about = next(info for info in files if info.filename.endswith(".dist-info/WHEEL"))
    files[about] = files[about].replace(f"-{old}\n".encode(), f"-{new}\n".encode())
    record = next(info for info in files if info.filename.endswith(".dist-info/RECORD"))
    lines = [f"{about.filename},{digest(files[about])},{len(files[about])}" if line.startswith(about.filename + ",") else line
             for line in files[record].decode().splitlines()]
    files[record] = "\n".join(lines + [""]).encode()
    return files


def main():
    path = pathlib.Path(sys.argv[-1])
    old = path.stem.split("-")[-1]
    with zipfile.ZipFile(path) as wheel:
        machine = re.sub(r"^(linux|manylinux_\d+_\d+)_", "", old)
        new = tag_of(wheel, machine)
        if "--check" in sys.argv:
            print(f"{'PASS' if new == old else 'FAIL'} wheel: the tag is {old}, and the extension asks for glibc 2.{newest(wheel)}")
            return new != old
        files = retagged(wheel, old, new)
    path.unlink()
    path = path.with_name(path.name.replace(old, new))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for info, data in files.items():
            wheel.writestr(info, data)
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
