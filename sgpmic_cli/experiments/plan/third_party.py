"""Start a separate process for third-party code, which may print, hang, exit or crash.

The child process shares the import path with its parent and nothing else. It reads its input from a
folder and writes its answers there. Its standard streams lead to the null device.
"""

import importlib
import inspect
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from sgpmic_cli.errors import UsageError

IMPORT_SECONDS = 120
PARENT_CHECK_SECONDS = 1.0
ANSWER = "answer.json"


def start_child(function: str, folder: Path) -> "subprocess.Popen[bytes]":
    """Start a Python process that calls `function`, given as "module:name", with a folder."""
    module, _, name = function.partition(":")
    code = (
        f"import sys; sys.path[:] = {json.dumps(sys.path)}; "
        f"from {module} import {name}; {name}({os.fspath(folder)!r})"
    )
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **threads},
        start_new_session=True,  # Ctrl-C reaches the parent only, which ends the whole group
    )


def end_child(process: "subprocess.Popen[bytes]") -> None:
    """Kill a child process and the processes that it started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def exit_reason(code: int) -> str:
    """Describe the exit code of a process, to follow the words "its process"."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    causes = {"SIGKILL": ", probably out of memory", "SIGSEGV": ", a crash in native code"}
    return f"was ended by {name}{causes.get(name, '')}"


def exit_with_parent(parent: int) -> None:
    """Start a thread that ends this process when the process `parent` no longer exists."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def check_classes(targets: Iterable[str]) -> None:
    """Raise UsageError if one of the `module:Class` targets is not a clusterer."""
    # A console script does not have the current folder on its path, where users keep their modules.
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())
    for target in targets:
        constructor_parameters(target)


@cache
def constructor_parameters(target: str) -> frozenset[str]:
    """Return the parameter names of a third-party class, found in a separate process.

    The result is empty if importing the module ends the process. The runs report the reason.
    """
    with tempfile.TemporaryDirectory(prefix="sgpmic-") as name:
        folder = Path(name)
        (folder / "target").write_text(target, encoding="utf-8")
        child = start_child(f"{__name__}:describe", folder)
        try:
            child.wait(IMPORT_SECONDS)
        except subprocess.TimeoutExpired:
            raise UsageError(
                f"method '{target}': its import did not finish within {IMPORT_SECONDS} s."
            ) from None
        finally:
            end_child(child)
        try:
            answer = json.loads((folder / ANSWER).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return frozenset()
    if answer["problem"]:
        raise UsageError(f"method '{target}': {answer['problem']}")
    return frozenset(answer["parameters"])


def describe(folder: str) -> None:
    """In the child: write the constructor's parameters of a class, or why it cannot be used."""
    exit_with_parent(os.getppid())
    target = Path(folder, "target").read_text(encoding="utf-8")
    answer: dict[str, object] = {"problem": "", "parameters": []}
    try:
        found = import_class(target)
        if callable(getattr(found, "fit_predict", None)):
            answer["parameters"] = list(inspect.signature(found).parameters)
        else:
            answer["problem"] = f"'{target}' has no fit_predict, so it is not a clusterer."
    except UsageError as error:
        answer["problem"] = str(error)
    Path(folder, ANSWER).write_text(json.dumps(answer), encoding="utf-8")


def import_class(target: str) -> type:
    """Import the class that `module:Class` names."""
    module_name, _, class_name = target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # a third-party module may raise anything
        raise UsageError(f"cannot import '{module_name}': {error_text(error)}.") from error
    if not hasattr(module, class_name):
        raise UsageError(f"'{module_name}' has no '{class_name}'.")
    return getattr(module, class_name)


def error_text(error: BaseException) -> str:
    """Return the type of an error and its message on one line."""
    return f"{type(error).__name__}: {one_line(error) or 'no reason was given'}"


def one_line(message: object) -> str:
    """Return the text of an error or a warning on one line, or "" if its `str` fails."""
    try:
        return " ".join(str(message).split())
    except Exception:
        return ""
