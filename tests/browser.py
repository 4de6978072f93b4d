"""A small driver of Chromium, which speaks the DevTools protocol through two pipes."""

import fcntl
import itertools
import json
import os
import shutil
import subprocess
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60.0  # for one answer of a busy machine


def find_chromium():
    """Return the path of Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One page of a headless browser. `messages` and `requests` record what the page does."""

    def __init__(self, folder):
        commands_in, self._commands = os.pipe()
        self._answers, answers_out = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu"]
        options += [f"--user-data-dir={folder / 'profile'}", "--no-first-run"]
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands_in, answers_out)]

        def connect():  # the browser reads from 3 and writes to 4
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [find_chromium(), *options, "about:blank"],
            pass_fds=(3, 4),
            preexec_fn=connect,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (commands_in, answers_out, *high):
            os.close(end)
        self._numbers, self._rest, self._session = itertools.count(1), b"", None
        self.messages, self.requests = [], []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def close(self):
        os.close(self._commands)  # the browser ends with its pipe
        self._process.wait(SECONDS)
        os.close(self._answers)

    def send(self, method, **parameters):
        number = next(self._numbers)
        command = {"id": number, "method": method, "params": parameters}
        if self._session is not None and not method.startswith(("Browser.", "Target.")):
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (answer := self._read()).get("id") != number:
            self._record(answer)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def _read(self):
        while b"\0" not in self._rest:
            piece = os.read(self._answers, 1 << 20)
            assert piece, "the browser has ended"
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _record(self, event):
        kind, content = event.get("method"), event.get("params", {})
        if kind in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(json.dumps(content)[:500])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(content["request"]["url"])

    def open(self, path, width=1280, height=900, scheme="light", scripts=True, scale=1):
        """Open a file in a window of this size."""
        self.messages.clear()
        self.requests.clear()
        self.send(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False},
        )
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", features=media)
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.send("Page.navigate", url=path.as_uri())
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def run(self, expression):
        """Return the value of an expression of the page."""
        found = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, expression):
        """Wait until an expression of the page is true."""
        end = time.monotonic() + SECONDS
        while not self.run(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.02)

    def mouse(self, kind, x, y, **more):
        """Send a mouse event; `kind` is mousePressed, mouseMoved, mouseReleased or mouseWheel."""
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        # The browser handles movements before the next frame.
        self.run("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => f(1))))")

    def drag(self, start, end, modifiers=0):
        """Press the mouse at one point and release it at another; 8 is the Shift key."""
        pressed = {"button": "left", "clickCount": 1, "modifiers": modifiers}
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, **pressed)
        self.mouse("mouseMoved", *end, buttons=1, **pressed)
        self.mouse("mouseReleased", *end, **pressed)

    def key(self, key, text=None):
        """Press a key."""
        code = {"ArrowRight": 39, "ArrowLeft": 37, "Escape": 27, "Tab": 9}.get(key, ord(key[0]))
        parameters = {"key": key, "windowsVirtualKeyCode": code}
        if text is not None:
            parameters["text"] = text
        self.send("Input.dispatchKeyEvent", type="keyDown", **parameters)
        self.send("Input.dispatchKeyEvent", type="keyUp", **parameters)
