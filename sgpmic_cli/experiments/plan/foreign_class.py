"""What a clusterer from elsewhere is, found out in a process of its own: its module may do anything when imported."""

import importlib
import inspect
import json
import os
import subprocess
from collections.abc import Iterable, Sequence
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
    """The same for several classes: those of one module in one process, as many at a time as there are cores."""
    modules: dict[str, list[str]] = {}
    for target in dict.fromkeys(targets):
        if target not in _looked_at:
            modules.setdefault(target.partition(":")[0], []).append(target)
    groups, cores = list(modules.values()), os.cpu_count() or 1
    for first in range(0, len(groups), cores):
        children = [
            (asked, start_child(__name__, "describe")) for asked in groups[first : first + cores]
        ]
        try:
            for asked, child in children:
                _looked_at.update(_answers(asked, child))
        finally:
            for _, child in children:
                end_child(child)


def _answers(targets: Sequence[str], process: "subprocess.Popen[bytes]") -> dict[str, ForeignClass]:
    try:
        said, _ = process.communicate(json.dumps(targets).encode(), timeout=IMPORT_SECONDS)
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"method '{targets[0]}': its import had not come to an end after {IMPORT_SECONDS} s."
        ) from None
    found = dict.fromkeys(
        targets, ForeignClass()
    )  # of those that died, or wrote into our pipe, nothing is known
    for line in said.splitlines():
        try:
            target, problem, parameters = json.loads(line)
            described = {target: ForeignClass(frozenset(map(str, parameters)))}
        except (ValueError, TypeError):
            continue
        if problem:
            raise UsageError(f"method '{target}': {problem}")
        found |= described
    return found


def describe() -> None:
    """In the child: read names of classes, and answer for each with its parameters or with what is wrong with it."""
    requests, answers = take_pipes()
    for target in json.loads(requests.read()):
        problem, parameters = "", []
        try:
            found = import_class(target)
            if callable(getattr(found, "fit_predict", None)):
                parameters = list(inspect.signature(found).parameters)
            else:
                problem = f"'{target}' has no fit_predict, so it is no clusterer."
        except UsageError as error:
            problem = str(error)
        answers.write(json.dumps([target, problem, parameters]).encode() + b"\n")
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
