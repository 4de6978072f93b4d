"""Checks of the parameters of estimators: a rule and a sentence for each.

Unlike scikit-learn's private `_parameter_constraints`, the rules reject booleans as numbers, NaN
and infinity, and the command line can print their sentences.
"""

import math
import os
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli.errors import UsageError


class Rule(NamedTuple):
    """A test of a value, and the words that complete "NAME must be ..."."""

    holds: Callable[[Any], bool]
    wanted: str


def whole(lowest: int = 1) -> Rule:
    """Accept an integer of at least `lowest`."""
    wanted = f"an integer of at least {lowest}"
    return Rule(lambda value: _is(value, Integral) and value >= lowest, wanted)


def number(lowest: float = 0.0) -> Rule:
    """Accept a finite number of at least `lowest`."""
    wanted = f"a number of at least {lowest:g}"
    return Rule(lambda value: _finite(value) and value >= lowest, wanted)


def positive_number() -> Rule:
    """Accept a finite number above zero."""
    return Rule(lambda value: _finite(value) and value > 0, "a positive number")


def fraction() -> Rule:
    """Accept a number between zero and one, both excluded."""
    return Rule(lambda value: _finite(value) and 0 < value < 1, "a fraction of variance in (0, 1)")


def one_of(*names: str) -> Rule:
    """Accept one of the names."""
    quoted = [repr(name) for name in names]
    wanted = f"{', '.join(quoted[:-1])} or {quoted[-1]}"
    return Rule(lambda value: isinstance(value, str) and value in names, wanted)


def positive_integers() -> Rule:
    """Accept a list of positive integers, such as the widths of layers."""
    return Rule(
        lambda value: (
            isinstance(value, list | tuple) and all(whole().holds(width) for width in value)
        ),
        "a list of integers of at least 1",
    )


def interval() -> Rule:
    """Accept a pair of positive integers, the smaller one first."""
    return Rule(
        lambda value: positive_integers().holds(value) and len(value) == 2 and value[0] <= value[1],
        "a pair of integers of at least 1, the smaller one first",
    )


def either(first: Rule, second: Rule) -> Rule:
    """Accept what one of two rules accepts."""
    wanted = f"{first.wanted} or {second.wanted}"
    return Rule(lambda value: first.holds(value) or second.holds(value), wanted)


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _finite(value: Any) -> bool:
    return _is(value, Real) and math.isfinite(value)


AUTO = Rule(lambda value: isinstance(value, str) and value == "auto", "'auto'")
BOOLEAN = Rule(lambda value: isinstance(value, bool | np.bool_), "True or False")
JOBS = Rule(
    lambda value: value is None or (_is(value, Integral) and value != 0),
    "None or a nonzero integer (-1 for all cores)",
)
CALLBACK = Rule(lambda value: value is None or callable(value), "None or a function")
MEMORY = Rule(
    lambda value: value is None or isinstance(value, str | os.PathLike) or hasattr(value, "cache"),
    "None, a folder or a joblib.Memory",
)


def check_parameters(estimator: object, rules: Mapping[str, Rule]) -> None:
    """Raise UsageError for the first parameter that breaks its rule.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_parameters(SimpleNamespace(n_clusters=2.5), {"n_clusters": whole()})
    Traceback (most recent call last):
    ...
    sgpmic_cli.errors.UsageError: n_clusters must be an integer of at least 1, not 2.5.
    """
    for name, rule in rules.items():
        value = getattr(estimator, name)
        if not rule.holds(value):
            raise UsageError(f"{name} must be {rule.wanted}, not {value!r}.")


def check_clusters(n_clusters: int, Y: np.ndarray) -> None:
    """Raise UsageError if there are more clusters than rows."""
    if n_clusters > len(Y):
        raise UsageError(
            f"n_clusters={n_clusters} needs at least that many rows; n_samples={len(Y)}."
        )


def check_dimensions(n_components: int, Y: np.ndarray) -> None:
    """Raise UsageError if there are more dimensions than columns, or too few rows."""
    if n_components > Y.shape[1]:
        raise UsageError(
            f"n_components={n_components} needs at least that many columns; "
            f"n_features={Y.shape[1]}."
        )
    if n_components >= len(Y):
        raise UsageError(
            f"n_components={n_components} needs more rows than dimensions; n_samples={len(Y)}."
        )
