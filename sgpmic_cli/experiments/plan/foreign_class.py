"""What a clusterer from elsewhere is, found out in a process of its own: its module may do anything when imported."""

import importlib
import inspect
import json
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.child_process import end_child, start_child, take_pipes

IMPORT_SECONDS = 120


@dataclass(frozen=True)
class ForeignClass:
    """The parameters of its constructor; of one whose import ends the process none, and its runs will say why."""

    parameters: frozenset[str] = frozenset()


_looked_at: dict[str, ForeignClass] = {}


def foreign_class(target: str) -> ForeignClass:
    """Import `module:Class` elsewhere, once, and look at it; what is no clusterer is refused."""
    look_at([target])
    return _looked_at[target]


def look_at(targets: Iterable[str]) -> None:
    """The same for several classes, as many at a time as there are cores."""
    waiting = [target for target in dict.fromkeys(targets) if target not in _looked_at]
    cores = os.cpu_count() or 1
    for first in range(0, len(waiting), cores):
        some = waiting[first : first + cores]
        children = {target: start_child(__name__, "describe") for target in some}
        try:
            for target, child in children.items():
                _looked_at[target] = _answer(target, child)
        finally:
            for child in children.values():
                end_child(child)


def _answer(target: str, process: "subprocess.Popen[bytes]") -> ForeignClass:
    try:
        answer, _ = process.communicate(target.encode("utf-8", "surrogateescape"), timeout=IMPORT_SECONDS)
        found = json.loads(answer.splitlines()[-1])
        problem, parameters = found["problem"], found["parameters"]
    except subprocess.TimeoutExpired:
        raise UsageError(f"method '{target}': its import had not come to an end after {IMPORT_SECONDS} s.") from None
    except (ValueError, IndexError, KeyError, TypeError):  # it died, or wrote into our pipe
        return ForeignClass()
    if problem:
        raise UsageError(f"method '{target}': {problem}")
    return ForeignClass(frozenset(map(str, parameters)))


def describe() -> None:
    """In the child: read the name of a class, and answer with its parameters or with what is wrong with it."""
    requests, answers = take_pipes()
    target = requests.read().decode("utf-8", "surrogateescape")
    problem, parameters = "", []
    try:
        found = import_class(target)
        if callable(getattr(found, "fit_predict", None)):
            parameters = list(inspect.signature(found).parameters)
        else:
            problem = f"'{target}' has no fit_predict, so it is no clusterer."
    except UsageError as error:
        problem = str(error)
    answers.write(json.dumps({"problem": problem, "parameters": parameters}).encode() + b"\n")
    answers.flush()


def import_class(target: str) -> type:
    """The class that `module:Class` names."""
    module_name, _, class_name = target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # a module of the user's may fail in any way
        raise UsageError(f"cannot import '{module_name}': {said_by(error)}.") from error
    if not hasattr(module, class_name):
        raise UsageError(f"'{module_name}' has no '{class_name}'.")
    return getattr(module, class_name)


def said_by(error: BaseException) -> str:
    """The kind of an error and what it says, on one line."""
    return f"{type(error).__name__}: {one_line(error) or 'no reason was given'}"


def one_line(message: object) -> str:
    """What an error or a warning says; its own `str` may fail."""
    try:
        return " ".join(str(message).split())
    except Exception:
        return ""
