"""What a parameter of an estimator may be, and the one sentence that refuses anything else."""

import math
import os
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np


class Rule(NamedTuple):
    """What a value must be: a test, and the words that end "NAME must be ..."."""

    holds: Callable[[Any], bool]
    wanted: str


NOTHING = Rule(lambda value: value is None, "None")
SWITCH = Rule(lambda value: isinstance(value, bool | np.bool_), "True or False")
MEMORY = Rule(
    lambda value: value is None or isinstance(value, str | os.PathLike) or hasattr(value, "cache"),
    "None, a folder or a joblib.Memory",
)
FOLDER = Rule(
    lambda value: value is None or (isinstance(value, str | os.PathLike) and os.path.isdir(value)),
    "None or a folder that is there",
)
JOBS = Rule(
    lambda value: value is None or (_is(value, Integral) and value != 0),
    "None, a whole number from 1, or -1 for all",
)
AUTO = Rule(lambda value: isinstance(value, str) and value == "auto", "'auto'")


def interval(lowest: int = 1) -> Rule:
    """Two whole numbers from `lowest`, the smaller one first."""
    return Rule(
        lambda value: (
            isinstance(value, tuple | list)
            and len(value) == 2
            and all(whole(lowest).holds(end) for end in value)
            and value[0] <= value[1]
        ),
        f"a pair of whole numbers from {lowest}, the smaller one first",
    )


def whole(lowest: int = 1) -> Rule:
    """A whole number from `lowest`; not True, and not 2.0."""
    return Rule(
        lambda value: _is(value, Integral) and value >= lowest, f"a whole number from {lowest}"
    )


def number(lowest: float = 0.0) -> Rule:
    """A finite number from `lowest`."""
    return Rule(lambda value: _finite(value) and value >= lowest, f"a number from {lowest:g}")


def positive_number() -> Rule:
    """A finite number above zero."""
    return Rule(lambda value: _finite(value) and value > 0, "a positive number")


def share() -> Rule:
    """A number between zero and one."""
    return Rule(lambda value: _finite(value) and 0 < value < 1, "a variance share in (0, 1)")


def one_of(*names: str) -> Rule:
    """One of the names."""
    quoted = [repr(name) for name in names]
    return Rule(
        lambda value: isinstance(value, str) and value in names,
        f"{', '.join(quoted[:-1])} or {quoted[-1]}",
    )


def layers() -> Rule:
    """Widths of the layers of a network."""
    return Rule(
        lambda value: (
            isinstance(value, list | tuple) and all(whole().holds(width) for width in value)
        ),
        "a list of whole numbers from 1",
    )


def either(first: Rule, second: Rule) -> Rule:
    """What one of two rules allows."""
    return Rule(
        lambda value: first.holds(value) or second.holds(value),
        f"{first.wanted} or {second.wanted}",
    )


def check_parameters(estimator: object, rules: Mapping[str, Rule]) -> None:
    """Refuse the first parameter of an estimator that breaks its rule.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_parameters(SimpleNamespace(n_clusters=2.5), {"n_clusters": whole()})
    Traceback (most recent call last):
    ...
    ValueError: n_clusters must be a whole number from 1, not 2.5.
    """
    for name, rule in rules.items():
        value = getattr(estimator, name)
        if not rule.holds(value):
            raise ValueError(f"{name} must be {rule.wanted}, not {value!r}.")


def check_clusters(n_clusters: int, Y: np.ndarray) -> None:
    """Refuse more clusters than rows."""
    if n_clusters > len(Y):
        raise ValueError(
            f"n_clusters={n_clusters} needs at least that many rows; n_samples={len(Y)}."
        )


def check_dimensions(n_components: int, Y: np.ndarray) -> None:
    """Refuse more dimensions than columns, and no fewer than rows."""
    if n_components > Y.shape[1]:
        raise ValueError(
            f"n_components={n_components} needs at least that many columns; n_features={Y.shape[1]}."
        )
    if n_components >= len(Y):
        raise ValueError(
            f"n_components={n_components} needs more rows than dimensions; n_samples={len(Y)}."
        )


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _finite(value: Any) -> bool:
    return _is(value, Real) and math.isfinite(value)
