"""The registry of methods: entries of TOML files, entry points of packages, and `module:Class`.

Third-party code may print, hang, exit or crash, so a separate process runs it. The child process
shares the import path with its parent and nothing else. It reads its input from a folder and writes
its answers there. Its standard streams lead to the null device.
"""

import importlib
import inspect
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import nearest

ENTRY_POINTS = "sgpmic.methods"
IMPORT_SECONDS = 120
PARENT_CHECK_SECONDS = 1.0
POLL_SECONDS = 0.02
REQUEST, ANSWER = "request.pickle", "answer.json"


@dataclass(frozen=True)
class Method:
    """A clusterer with the interface of scikit-learn, and how a benchmark calls it."""

    name: str
    target: str  # "module:Class"
    title: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    group: str = ""  # a name that selects all methods of the group
    # Estimated seconds of a run on 1000 rows. It orders the work and changes no result.
    cost: float = 0.1
    # The printed column that the method is compared with, if it is not its own.
    column: str = ""
    # The settings were chosen by closeness to the printed column.
    settings_searched: bool = False

    @property
    def label(self) -> str:
        """Return the name shown in tables."""
        return self.title or self.name

    @property
    def third_party(self) -> bool:
        """Return whether the class is outside this package, so only child processes import it."""
        return not self.target.startswith("sgpmic_cli.")

    def accepts(self) -> frozenset[str]:
        """Return the names of the constructor's parameters."""
        if self.third_party:
            return constructor_parameters(self.target)
        return frozenset(inspect.signature(import_class(self.target)).parameters)


Methods = Mapping[str, Method]  # by name


def read_methods(file: Traversable, kind: type[Method] = Method) -> dict[str, Method]:
    """Read the methods of a TOML file, whose entries have the fields of `kind`."""
    entries = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: kind(name, **fields) for name, fields in entries.items()}


def with_entry_points(methods: Methods) -> dict[str, Method]:
    """Return the methods and those that installed packages provide as entry points."""
    from importlib.metadata import entry_points

    points = entry_points(group=ENTRY_POINTS)
    return {point.name: _third_party(point.name, point.value) for point in points} | dict(methods)


def resolve(names: Iterable[str], methods: Methods) -> list[Method]:
    """Return the methods of the given names: of a method, of a group, or `module:Class`."""
    groups = dict.fromkeys(method.group for method in methods.values() if method.group)
    chosen: dict[str, Method] = {}
    for name in names:
        if name in groups:
            chosen |= {key: method for key, method in methods.items() if method.group == name}
        elif name in methods:
            chosen[name] = methods[name]
        elif ":" in name:
            chosen[name] = _third_party(name, name)
        else:
            more = "or module:Class for a clusterer of your own"
            raise UsageError(unknown("method", name, [*methods, *groups, more]))
    if not chosen:
        raise UsageError("no method was named: give --methods pca-fcm,dec for example, or all.")
    for method in chosen.values():
        if method.third_party:
            constructor_parameters(method.target)  # checks the class
    return list(chosen.values())


def _third_party(name: str, target: str) -> Method:
    # The time of an unknown method cannot be estimated; a high cost keeps its batches short.
    return Method(name, target, cost=3.0)


def unknown(kind: str, name: str, valid: Iterable[str]) -> str:
    """Return the message for an unknown name, with the nearest valid name and all of them."""
    valid = list(valid)
    return f"unknown {kind} {name!r}{nearest(name, valid)}; valid: {', '.join(valid)}."


@contextmanager
def child(function: str, request: object) -> "Iterator[tuple[Path, subprocess.Popen[bytes]]]":
    """Start a Python process that calls `function`, given as "module:name", with a folder.

    The folder holds the pickled request. Kill the process and its children at the end.
    """
    module, _, name = function.partition(":")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with tempfile.TemporaryDirectory(prefix="sgpmic-", ignore_cleanup_errors=True) as folder:
        Path(folder, REQUEST).write_bytes(pickle.dumps(request))
        code = (
            f"import sys; sys.path[:] = {json.dumps(sys.path)}; "
            f"from {module} import {name}; {name}({folder!r})"
        )
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **threads},
            start_new_session=True,  # Ctrl-C reaches the parent only, which ends the whole group
        )
        try:
            yield Path(folder), process
        finally:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def read_request(folder: str) -> Any:
    """In the child: exit when the parent is gone, and return the request."""
    exit_with_parent(os.getppid())
    return pickle.loads(Path(folder, REQUEST).read_bytes())


def write_answer(folder: str, name: str, answer: object) -> None:
    """In the child: write an answer in one step, because the parent waits for the file."""
    part = Path(folder, "part")
    part.write_text(json.dumps(answer), encoding="utf-8")
    part.rename(Path(folder, name))


def wait_for(process: "subprocess.Popen[bytes]", answer: Path, seconds: float | None) -> str:
    """Wait until a child has written an answer; return "" or the reason why there is none."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while True:
        code = process.poll()
        if answer.exists():
            return ""
        if code is not None and code >= 0:
            return f"its process ended with exit code {code}"
        if code is not None:
            causes = {"SIGKILL": ", probably out of memory", "SIGSEGV": ", a crash in native code"}
            name = signal.Signals(-code).name
            return f"its process was ended by {name}{causes.get(name, '')}"
        if deadline is not None and time.monotonic() >= deadline:
            return f"it took longer than the limit of {seconds:g} s"
        time.sleep(POLL_SECONDS)


def exit_with_parent(parent: int) -> None:
    """Start a thread that ends this process when the process `parent` no longer exists."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@cache
def constructor_parameters(target: str) -> frozenset[str]:
    """Return the parameter names of a third-party class, found in a separate process.

    Raise UsageError if it is not a clusterer. The result is empty if importing the module ends the
    process. The runs report the reason.
    """
    # A console script does not have the current folder on its path, where users keep their modules.
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())
    with child(f"{__name__}:describe", target) as (folder, process):
        if wait_for(process, folder / ANSWER, IMPORT_SECONDS):
            if process.poll() is None:
                raise UsageError(
                    f"method '{target}': its import did not finish within {IMPORT_SECONDS} s."
                )
            return frozenset()
        answer = json.loads((folder / ANSWER).read_text(encoding="utf-8"))
    if isinstance(answer, str):
        raise UsageError(f"method '{target}': {answer}")
    return frozenset(answer)


def describe(folder: str) -> None:
    """In the child: write the constructor's parameters of a class, or why it cannot be used."""
    target = read_request(folder)
    try:
        found = import_class(target)
        if not callable(getattr(found, "fit_predict", None)):
            raise UsageError(f"'{target}' has no fit_predict, so it is not a clusterer.")
        write_answer(folder, ANSWER, list(inspect.signature(found).parameters))
    except UsageError as error:
        write_answer(folder, ANSWER, str(error))


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
