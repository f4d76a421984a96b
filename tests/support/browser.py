"""Chromium without a window, told what to do by its debugging protocol: Browser(url).evaluate(text), .screenshot(file)."""
import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self, url, width=1000, height=700):
        self.folder = tempfile.mkdtemp()
        self.log = pathlib.Path(self.folder, "network.json")
        self.process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-features=NetworkTimeServiceQuerying", "--no-first-run", "--remote-debugging-port=0", f"--user-data-dir={self.folder}",
             f"--log-net-log={self.log}", "--net-log-capture-mode=Everything", f"--window-size={width},{height}", url],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = pathlib.Path(self.folder, "DevToolsActivePort")
        self.wait(lambda: port.exists() and len(port.read_text().split()) == 2, "the browser does not start")
        number = port.read_text().split()[0]
        pages = lambda: [p for p in json.load(urllib.request.urlopen(f"http://127.0.0.1:{number}/json")) if p["type"] == "page"]
        self.wait(pages, "the browser opens no page")
        place = pages()[0]["webSocketDebuggerUrl"].split("/", 3)[3]
        self.socket = socket.create_connection(("127.0.0.1", int(number)))
        self.socket.sendall(f"GET /{place} HTTP/1.1\r\nHost: 127.0.0.1:{number}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Key: c2l0dXNpdHVzaXR1c2l0dQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline().strip():
            pass
        self.calls = 0

    @staticmethod
    def wait(there, what, seconds=60):
        end = time.time() + seconds
        while not (found := there()):
            if time.time() > end:
                raise TimeoutError(what)
            time.sleep(.05)
        return found

    def call(self, method, **parameters):
        """One command of the protocol, and its result."""
        self.calls += 1
        data = json.dumps({"id": self.calls, "method": method, "params": parameters}).encode()
        length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self.socket.sendall(b"\x81" + length + bytes(4) + data) # masked by zeros
        while True:
            answer = json.loads(self.message())
            if answer.get("id") == self.calls:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]

    def message(self):
        data, last = b"", False
        while not last:
            head = self.stream.read(2)
            last, size = head[0] & 0x80, head[1] & 0x7f
            if size > 125:
                size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
            data += self.stream.read(size)
        return data

    def evaluate(self, text):
        result = self.call("Runtime.evaluate", expression=text, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def screenshot(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, button="left", buttons=0 if kind == "Released" else 1,
                  clickCount=1)

    def close(self):
        """Ends the browser; what it asked of the network, as addresses."""
        try:
            self.call("Browser.close")
            self.process.wait(30)
        except Exception:
            self.process.kill()
            self.process.wait()
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        shutil.rmtree(self.folder, ignore_errors=True)
        return text
