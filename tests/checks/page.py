#!/usr/bin/env python3
"""The page of scripts/page in Chromium, from a file: it trains to 97 % and the command's hash, reads a drawn digit, and asks nothing of
the network. PAGE_PICTURES=FOLDER: also writes pictures of it."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import browser

BUILD = pathlib.Path(os.environ.get("SITU_BUILD_DIR", "build")).resolve()
MOST_BYTES, EPOCHS = 1_200_000, 12
failed = False


def report(good, what, why=""):
    global failed
    failed |= not good
    print(f"{'PASS' if good else 'FAIL'} page: {what}" + ("" if good else f": {why}"))


def drag(page, points):
    box = page.evaluate("(b => [b.left, b.top, b.width])(document.getElementById('field').getBoundingClientRect())")
    place = lambda p: (box[0] + p[0] * box[2] / 256, box[1] + p[1] * box[2] / 256)
    page.mouse("Pressed", *place(points[0]))
    for p in points:
        page.mouse("Moved", *place(p))
    page.mouse("Released", *place(points[-1]))


def main():
    if not browser.PROGRAM or subprocess.run("command -v clang wasm-ld && test -e /usr/include/wasm32-wasi", shell=True, capture_output=True).returncode:
        print("SKIP page: no chromium, or no compiler for WebAssembly (scripts/test --prepare)")
        return
    wasm = BUILD.parent / "build-wasm-on"
    file = wasm / "page.html"
    made = subprocess.run(["scripts/page", str(file)], cwd=ROOT, capture_output=True, text=True, env=os.environ | {"SITU_WASM_BUILD": str(wasm)})
    report(made.returncode == 0, "the page is made", made.stderr)
    if made.returncode:
        return
    report(file.stat().st_size <= MOST_BYTES, f"it has {file.stat().st_size} bytes, of {MOST_BYTES}", "too many")
    said = subprocess.run([str(BUILD / "situ"), "train", "--quiet", "--epochs", str(EPOCHS), "--deterministic", "--hash"], capture_output=True, text=True).stdout
    hashes, shares = re.findall(r"sha256 of the weights: (\w+)", said), re.findall(r"([\d.]+ %)", said)
    page = browser.Browser(f"file://{file}#train")
    try:
        page.size(1000, 760)
        over = "document.body ? document.body.dataset.done || document.body.dataset.error : null"
        page.wait(lambda: page.evaluate(over), "the training does not end", 300)
        state = page.evaluate("[document.getElementById('hash').textContent, document.getElementById('said').textContent]")
        report(hashes and state[0] == hashes[0], "it trains to the command's hash", f"{state}, here {said}")
        report(shares and state[1].startswith(shares[-1]) and float(state[1].split()[0]) >= 97, state[1], f"here {shares}")
        drag(page, [(128, 30), (128, 225)]) # a 1
        page.wait(lambda: "This is" in page.evaluate("document.getElementById('answer').textContent"), "no answer")
        answer = page.evaluate("document.getElementById('answer').textContent")
        report(answer.startswith("This is 1,"), "a line that is drawn is a 1", answer)
        if "PAGE_PICTURES" in os.environ:
            folder = pathlib.Path(os.environ["PAGE_PICTURES"])
            page.screenshot(folder / "page.png")
            page.size(1000, 760, dark=True)
            page.screenshot(folder / "page-dark.png")
            page.size(390, 1100)
            page.screenshot(folder / "page-narrow.png")
    finally:
        log = page.close()
    # The browser's own requests have no origin.
    asked = [line[:300] for line in log.splitlines() if re.search(r'"url":"(https?|wss?|ftp):', line) and '"initiator":"not an origin"' not in line
             and "127.0.0.1" not in line and '"initiator"' in line]
    report("URL_REQUEST" in log and not asked, "it asks nothing of the network", asked[:3] or "no log")


main()
sys.exit(failed)
