#!/usr/bin/env python3
"""`situ data get` against a server on loopback: whole files, a part that is gone on with, servers without ranges, broken connections,
wrong checksums, pages that are missing, two at once, folders that cannot be written, no libcurl."""
import gzip
import hashlib
import http.server
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITU = os.environ.get("SITU_DATA_COMMAND") or str(pathlib.Path(os.environ.get("SITU_BUILD_DIR", ROOT / "build")) / "situ")
SCRATCH = tempfile.mkdtemp()
NAMES = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"]


def idx(shape, values):
    return bytes([0, 0, 8, len(shape)]) + b"".join(n.to_bytes(4, "big") for n in shape) + values


def tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        for name in ["data_batch_1.bin", "test_batch.bin", "readme.html"]:
            data = bytes(range(10)) + bytes(3063) + b"\x01" + bytes(3072) if name.endswith(".bin") else b"<html>"
            entry = tarfile.TarInfo("cifar-10-batches-bin/" + name)
            entry.size = len(data)
            t.addfile(entry, io.BytesIO(data))
    return out.getvalue()


FILES = {NAMES[0]: gzip.compress(idx((2, 3, 3), os.urandom(18))) + bytes(400000), NAMES[1]: gzip.compress(idx((2,), b"\1\0")),
         NAMES[2]: gzip.compress(idx((1, 3, 3), os.urandom(9))), NAMES[3]: gzip.compress(idx((1,), b"\1")), "cifar-10-binary.tar.gz": tar()}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.ranges, self.cut, self.missing, self.slow, self.redirect, self.asked, self.files = True, 0, set(), 0, False, [], dict(FILES)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server_port}/some/where"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # the client went away
            pass

    def do_GET(self):
        s, name = self.server, self.path.rsplit("/", 1)[1]
        s.asked.append((name, self.headers.get("Range")))
        if s.redirect and not self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", "/moved/" + name)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if name in s.missing or name not in s.files:
            return self.send_error(404)
        data, first = s.files[name], 0
        if s.ranges and self.headers.get("Range"):
            first = int(self.headers["Range"].split("=")[1].split("-")[0])
            if first >= len(data):
                self.send_response(416)
                self.send_header("Content-Length", "0")
                return self.end_headers()
        self.send_response(206 if first else 200)
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - first))
        self.end_headers()
        rest = data[first:]
        if s.cut and len(rest) > 1000:
            s.cut -= 1
            self.wfile.write(rest[:len(rest) // 3])
            self.wfile.flush()
            self.close_connection = True
            return
        for i in range(0, len(rest), 40000):
            self.wfile.write(rest[i:i + 40000])
            time.sleep(s.slow)


def sums(files=FILES):
    path = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH)) / "sums"
    path.write_text("".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()))
    return str(path)


def command(server, *more, name="mnist", to=None, checksums=True, base=None):
    to = to or tempfile.mkdtemp(dir=SCRATCH) + "/new/deep"
    return [SITU, "data", "get", name, "--to", to, "--url", base or server.base, *(["--sums", sums(server.files)] if checksums else []), *more], pathlib.Path(to)


def run(words, env=None):
    return subprocess.run(words, capture_output=True, text=True, timeout=100, env={**os.environ, "no_proxy": "*", **(env or {})})


def get(server, *more, code=0, says=(), env=None, **options):
    words, folder = command(server, *more, **options)
    r = run(words, env)
    assert r.returncode == code, f"ended with {r.returncode}: {r.stdout}{r.stderr}"
    for word in [says] if isinstance(says, str) else says:
        assert word in r.stdout + r.stderr, f"{word!r} is not in {r.stdout + r.stderr!r}"
    assert "situ_" not in r.stderr and "\r" not in r.stderr + r.stdout, r.stderr
    return folder


def whole(server, folder, names=NAMES):
    assert sorted(os.listdir(folder)) == sorted(names), os.listdir(folder)
    for name in names:
        assert (folder / name).read_bytes() == server.files[name], name


def test_whole_files_arrive_checked_and_are_not_brought_again(s):
    folder = get(s, says=["train-images-idx3-ubyte.gz: 0.4 MB, checked", "mnist is in"])
    whole(s, folder)
    asked = len(s.asked)
    get(s, to=str(folder), says="is there")
    assert len(s.asked) == asked == 4


def test_fashion_has_the_same_files(s):
    whole(s, get(s, name="fashion-mnist"))


def test_the_tar_of_cifar_is_unpacked_and_read(s):
    folder = get(s, name="cifar-10")
    assert sorted(os.listdir(folder)) == ["cifar-10-binary.tar.gz", "data_batch_1.bin", "test_batch.bin"], os.listdir(folder)
    assert (folder / "test_batch.bin").stat().st_size == 2 * 3073


def test_a_part_is_gone_on_with(s):
    words, folder = command(s)
    os.makedirs(folder)
    (folder / (NAMES[0] + ".part")).write_bytes(FILES[NAMES[0]][:100000])
    r = run(words)
    assert r.returncode == 0, r.stderr
    whole(s, folder)
    assert s.asked[0] == (NAMES[0], "bytes=100000-"), s.asked


def test_a_part_of_another_file_is_found_out(s):
    words, folder = command(s)
    os.makedirs(folder)
    (folder / (NAMES[0] + ".part")).write_bytes(b"x" * 100000)
    r = run(words)
    assert r.returncode == 0, r.stderr
    whole(s, folder)


def test_a_part_that_is_whole_or_too_long(s):
    for extra in (b"", b"more"):
        words, folder = command(s)
        os.makedirs(folder)
        (folder / (NAMES[0] + ".part")).write_bytes(FILES[NAMES[0]] + extra)
        r = run(words)
        assert r.returncode == 0, r.stderr
        whole(s, folder)


def test_a_server_without_ranges_begins_anew(s):
    s.ranges = False
    words, folder = command(s)
    os.makedirs(folder)
    (folder / (NAMES[0] + ".part")).write_bytes(FILES[NAMES[0]][:100000])
    r = run(words)
    assert r.returncode == 0, r.stderr
    whole(s, folder)


def test_a_connection_that_breaks_is_taken_up(s):
    s.cut = 2
    whole(s, get(s))
    assert [r for n, r in s.asked if n == NAMES[0]][1:] != [None, None], s.asked


def test_a_connection_that_always_breaks_is_an_error_and_keeps_the_part(s):
    s.cut = 10**6
    s.ranges = False
    words, folder = command(s)
    r = run(words)
    assert r.returncode == 1 and "the next call goes on from here" in r.stderr, r.stderr
    assert os.listdir(folder) == [NAMES[0] + ".part"], os.listdir(folder)
    s.cut, s.ranges = 0, True
    assert run(words).returncode == 0
    whole(s, folder)


def test_a_redirection_is_followed(s):
    s.redirect = True
    whole(s, get(s))


def test_a_wrong_checksum_leaves_nothing(s):
    words, folder = command(s)
    s.files[NAMES[1]] = b"503 Service Unavailable"
    r = run(words)
    assert r.returncode == 1 and NAMES[1] in r.stderr and "has the checksum" in r.stderr, r.stderr
    assert os.listdir(folder) == [NAMES[0]], os.listdir(folder)
    folder = get(s, code=1, checksums=False, says=["has the checksum", "440fcabf73cc546f"])  # the known ones
    assert os.listdir(folder) == []


def test_another_file_of_that_name_is_left_alone(s):
    words, folder = command(s)
    os.makedirs(folder)
    (folder / NAMES[0]).write_bytes(b"mine")
    r = run(words)
    assert r.returncode == 1 and "is there, with the checksum" in r.stderr and "remove it" in r.stderr, r.stderr
    assert (folder / NAMES[0]).read_bytes() == b"mine" and not s.asked


def test_a_page_that_is_missing(s):
    s.missing = {NAMES[2]}
    folder = get(s, code=1, says=[NAMES[2], "404", "there is no such file"])
    assert sorted(os.listdir(folder)) == sorted(NAMES[:2]), os.listdir(folder)


def test_nobody_listens(s):
    get(s, code=1, base="http://127.0.0.1:1", says="connect")


def test_two_at_once_bring_one(s):
    s.slow = 0.05
    words, folder = command(s)
    both = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "no_proxy": "*"}) for _ in range(3)]
    said = [p.communicate(timeout=100) for p in both]
    assert [p.returncode for p in both] == [0, 0, 0], said
    whole(s, folder)
    assert len(s.asked) == 4, s.asked


def test_killed_midway_and_gone_on_with(s):
    s.slow = 0.1
    words, folder = command(s)
    p = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "no_proxy": "*"})
    part, end = folder / (NAMES[0] + ".part"), time.time() + 30
    while time.time() < end and not (part.exists() and part.stat().st_size > 50000):
        time.sleep(0.01)
    p.kill()
    p.wait()
    had = part.stat().st_size
    s.slow = 0
    assert run(words).returncode == 0
    whole(s, folder)
    assert s.asked[-4] == (NAMES[0], f"bytes={had}-"), (had, s.asked)


def test_no_libcurl(s):
    get(s, code=1, env={"SITU_LIBCURL": "libsitu-no-curl.so"}, says=["libcurl", "install the package libcurl4"])


def test_folders_that_cannot_be_written(s):
    get(s, code=1, to="/proc/nowhere", says="/proc/nowhere")
    file = SCRATCH + "/file"
    pathlib.Path(file).write_text("")
    get(s, code=1, to=file + "/under", says="file")
    if os.getuid():
        folder = tempfile.mkdtemp(dir=SCRATCH)
        os.chmod(folder, 0o500)
        get(s, code=1, to=folder, says="Permission denied")
    if os.path.exists("/dev/full"):
        folder = tempfile.mkdtemp(dir=SCRATCH)
        limited = ["bash", "-c", 'ulimit -f 64; exec "$@"', "x", *command(s, to=folder)[0]]
        r = run(limited)
        assert r.returncode, "a file larger than the limit was written"


def test_words_that_are_wrong(s):
    for words, code, says in [(["data"], 2, "situ data get NAME"), (["data", "get"], 2, "situ data get NAME"), (["data", "get", "minst"], 2, "did you mean mnist"),
                              (["data", "fetch", "mnist"], 2, "situ data get NAME"), (["data", "get", "mnist", "--url", "ftp://x"], 2, "http"), (["data", "get", "mnist", "--url", "file:///etc"], 2, "http"),
                              (["data", "get", "mnist", "--to", ""], 2, "--to takes a folder"), (["data", "get", "mnist", "--to", "x" * 4000], 2, "--to has more than 3900 bytes"),
                              (["data", "get", "mnist", "--url", "http://" + "a" * 5000], 2, "--url has more than 3900 bytes"),
                              (["data", "get", "mnist", "--sums", "/nowhere", "--to", SCRATCH + "/x"], 1, "/nowhere"),
                              (["data", "get", "mnist", "--to", SCRATCH + "/x", "--url", s.base, "--sums", "/dev/null"], 1, "")]:
        r = run([SITU, *words])
        assert r.returncode == code and says in r.stderr, (words, r.returncode, r.stderr)
    empty = pathlib.Path(SCRATCH) / "empty"
    empty.write_text("no sums\n")
    get(s, "--sums", str(empty), code=1, checksums=False, says=["has no line", NAMES[0]])


def main():
    if not os.access(SITU, os.X_OK):
        print(f"FAIL data_get: {SITU} is not built")
        return 1
    s = Server()
    r = run(command(s)[0])
    if "libcurl, which brings files, was not found" in r.stderr:
        print("SKIP data_get: no libcurl (libcurl4)")
        return 0
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_") or (len(sys.argv) > 1 and sys.argv[1] not in name):
            continue
        try:
            test(Server())
            print(f"PASS data_get: {name[5:].replace('_', ' ')}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAIL data_get: {name[5:].replace('_', ' ')}: {type(error).__name__}: {error}", flush=True)
    return failed != 0


try:
    status = main()
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
sys.exit(status)
