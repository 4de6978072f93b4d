"""The registry of methods: entries of TOML files, entry points of packages, and `module:Class`."""

import inspect
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Any

from sgpmic_cli.benchmark.third_party import constructor_parameters, import_class
from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import nearest

ENTRY_POINTS = "sgpmic.methods"


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
    groups: dict[str, list[Method]] = {}
    for method in methods.values():
        if method.group:
            groups.setdefault(method.group, []).append(method)
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
