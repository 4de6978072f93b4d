"""Types of the parameters of estimators, with scikit-learn's constraints, and limits by the data.

Estimators annotate their parameters by these types. A `Literal` is its own constraint.
"""

from collections.abc import Callable
from numbers import Integral, Real
from os import PathLike
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.errors import UsageError, input_errors

COUNT = Interval(Integral, 1, None, closed="left")
Count = Annotated[int, COUNT]
CountOrZero = Annotated[int, Interval(Integral, 0, None, closed="left")]
Amount = Annotated[float, Interval(Real, 0, None, closed="left")]
Positive = Annotated[float, Interval(Real, 0, None, closed="neither")]
Flag = Annotated[bool, "boolean"]
Dimensions = Annotated[int | float, COUNT, Interval(Real, 0, 1, closed="neither")]
Jobs = Annotated[int | None, Integral, None]
Verbose = Annotated[bool | int, "verbose"]
Callback = Annotated[Callable[[int, float, Indices], None] | None, callable, None]
Memory = Annotated[Any, str, PathLike, HasMethods("cache"), None]


def check_parameters(estimator: Any) -> None:
    """Raise UsageError for the first parameter outside the constraints of its type."""
    constraints = {}
    for name, hint in get_type_hints(type(estimator), include_extras=True).items():
        if get_origin(hint) is Literal:
            constraints[name] = [StrOptions(set(get_args(hint)))]
        elif found := getattr(hint, "__metadata__", ()):
            constraints[name] = list(found)
    parameters = estimator.get_params(deep=False)
    with input_errors():
        validate_parameter_constraints(constraints, parameters, type(estimator).__name__)


def check_clusters(n_clusters: int, Y: Array) -> None:
    """Raise UsageError if there are more clusters than rows."""
    if n_clusters > len(Y):
        raise UsageError(
            f"n_clusters={n_clusters} needs at least that many rows; n_samples={len(Y)}."
        )


def check_dimensions(n_components: int, Y: Array) -> None:
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
