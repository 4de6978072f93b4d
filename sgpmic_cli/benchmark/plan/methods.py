"""Read the methods of the tables from methods.toml, and resolve the names that a user gives."""

import inspect
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from sgpmic_cli.benchmark.plan.third_party import constructor_parameters, import_class
from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import nearest

ENTRY_POINTS = "sgpmic.methods"


@dataclass(frozen=True)
class Method:
    """A clusterer with the interface of scikit-learn, and how the experiments call it."""

    name: str
    target: str  # "module:Class"
    title: str = ""
    # The paper ran it without the columns in `as_run_drop` of the data set.
    drops_columns: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Settings that reproduce the printed numbers: on registered data, under `as-run`.
    as_run: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Scores of columns that the paper scored differently: on registered data, under `as-run`.
    as_run_scores: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Settings under the protocol `as-stated`.
    as_stated: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Estimated seconds of a run on 1000 rows. It orders the work and changes no result.
    cost: float = 0.1
    in_paper: bool = False  # has a column in the paper's Table 2
    # The printed column that the method is compared with, if it is not its own.
    column: str = ""
    # The settings that the paper leaves open were searched to match this column of its table.
    settings_searched: bool = False
    # One of the general-purpose clusterers that the name `peers` selects.
    peer: bool = False

    @property
    def module(self) -> str:
        """Return the module that defines the class."""
        return self.target.partition(":")[0]

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


_FILE = files("sgpmic_cli.benchmark.plan") / "methods.toml"
_ENTRIES = tomllib.loads(_FILE.read_text(encoding="utf-8"))
# The algorithm of the text, on the columns and with the scores behind the printed numbers.
_ENTRIES["algorithm-1"]["settings"] = _ENTRIES["sgp-mic"]["as_stated"]
_BUILT_IN = tuple(Method(name, **values) for name, values in _ENTRIES.items())


def known() -> dict[str, Method]:
    """Return all methods by name: the built-in ones and the entry points of other packages."""
    from importlib.metadata import entry_points

    methods = {method.name: method for method in _BUILT_IN}
    for point in entry_points(group=ENTRY_POINTS):
        methods.setdefault(point.name, _third_party(point.name, point.value))
    return methods


def resolve(names: Iterable[str]) -> list[Method]:
    """Return the methods of the given names.

    `all` selects the methods of the paper's Table 2, `peers` the general-purpose clusterers, and
    `module:Class` a third-party class.
    """
    methods = known()
    groups = {
        "all": [method for method in methods.values() if method.in_paper],
        "peers": [method for method in methods.values() if method.peer],
    }
    chosen: dict[str, Method] = {}
    for name in names:
        if name in groups:
            chosen |= {method.name: method for method in groups[name]}
        elif name in methods:
            chosen[name] = methods[name]
        elif ":" in name:
            chosen[name] = _third_party(name, name)
        else:
            more = "or module:Class for a clusterer of your own"
            raise UsageError(unknown("method", name, [*methods, *groups], more))
    if not chosen:
        raise UsageError("no method was named: give methods=pca-fcm,ppca-fcm for example, or all.")
    for method in chosen.values():
        if method.third_party:
            constructor_parameters(method.target)  # checks the class
    return list(chosen.values())


def _third_party(name: str, target: str) -> Method:
    # The time of an unknown method cannot be estimated; a high cost keeps its batches short.
    return Method(name, target, cost=3.0)


def unknown(kind: str, name: str, valid: Iterable[str], more: str = "") -> str:
    """Return the message for an unknown name, with the nearest valid name and all of them."""
    valid = list(valid)
    every = ", ".join([*valid, more] if more else valid)
    return f"unknown {kind} {name!r}{nearest(name, valid)}; valid: {every}."
