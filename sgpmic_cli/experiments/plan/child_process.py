"""A Python process of its own for code that nobody here has read: it may print, change the folder, hang or crash.

The child shares nothing with us but the import path and two pipes, which it moves out of the way of whatever the code
in it prints or reads.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import BinaryIO

_CALL = """
import sys
sys.path[:] = {path}
import {module}
{module}.{function}()
"""


def start_child(module: str, function: str) -> "subprocess.Popen[bytes]":
    """Start a process that calls a function of this package; it talks through its standard input and output."""
    code = _CALL.format(path=json.dumps(sys.path), module=module, function=function)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **threads},
        start_new_session=True,  # a Ctrl-C is ours to answer, and its children can be ended with it
    )


def end_child(process: "subprocess.Popen[bytes]") -> None:
    """End a child and whatever it has started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    if process.stdin is not None:
        with suppress(OSError):  # what it had not read yet
            process.stdin.close()


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """In the child: where requests come from and answers go; standard input and output lead nowhere from now on."""
    requests, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def how_it_ended(code: int) -> str:
    """The end of a process in words, for a sentence that starts with it."""
    if code >= 0:
        return f"ended itself with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    meaning = {
        "SIGKILL": ", most likely for want of memory",
        "SIGSEGV": ", a crash in native code",
    }.get(name, "")
    return f"was ended by {name}{meaning}"
