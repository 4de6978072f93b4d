"""The registry of methods: entries of TOML files, and `module:Class` for those of users."""

import importlib
import inspect
import os
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Any

from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import nearest


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
        """Return whether the class is outside this package."""
        return not self.target.startswith("sgpmic_cli.")

    def accepts(self) -> frozenset[str]:
        """Return the names of the constructor's parameters."""
        return frozenset(inspect.signature(import_class(self.target)).parameters)


Methods = Mapping[str, Method]  # by name


def read_methods(file: Traversable, kind: type[Method] = Method) -> dict[str, Method]:
    """Read the methods of a TOML file, whose entries have the fields of `kind`."""
    entries = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: kind(name, **fields) for name, fields in entries.items()}


def resolve(names: Iterable[str], methods: Methods) -> dict[str, Method]:
    """Return the methods of the given names: of a method, of a group, or `module:Class`."""
    groups = dict.fromkeys(method.group for method in methods.values() if method.group)
    chosen: dict[str, Method] = {}
    for name in names:
        if name in groups:
            chosen |= {key: method for key, method in methods.items() if method.group == name}
        elif name in methods:
            chosen[name] = methods[name]
        elif ":" in name:
            chosen[name] = Method(name, name)
        else:
            more = "or module:Class for a clusterer of your own"
            raise UsageError(unknown("method", name, [*methods, *groups, more]))
    if not chosen:
        raise UsageError("no method was named: give --methods pca-fcm,dec for example, or all.")
    for method in chosen.values():
        if method.third_party:
            import_class(method.target)  # reports a wrong name before any run
    return chosen


def unknown(kind: str, name: str, valid: Iterable[str]) -> str:
    """Return the message for an unknown name, with the nearest valid name and all of them."""
    valid = list(valid)
    return f"unknown {kind} {name!r}{nearest(name, valid)}; valid: {', '.join(valid)}."


def import_class(target: str) -> type:
    """Import the clusterer that `module:Class` names."""
    module_name, _, class_name = target.partition(":")
    # A console script does not have the current folder on its path, where users keep their modules.
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # a third-party module may raise anything
        problem = f"cannot import '{module_name}': {error_text(error)}."
        raise UsageError(f"method '{target}': {problem}") from error
    found = getattr(module, class_name, None)
    if found is None:
        raise UsageError(f"method '{target}': '{module_name}' has no '{class_name}'.")
    if not callable(getattr(found, "fit_predict", None)):
        raise UsageError(f"method '{target}' has no fit_predict, so it is not a clusterer.")
    return found


def error_text(error: BaseException) -> str:
    """Return the type of an error and its message on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split()) or 'no reason was given'}"
