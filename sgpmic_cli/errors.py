"""Errors that the command line prints as one sentence, with their exit codes, and warnings.

Only these errors are shown as the user's. Every other exception, such as a ValueError of a library,
is reported as a bug of this package. So our checks of arguments and data raise UsageError, also in
Python, where it is a ValueError.
"""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

# A warning of a call through a pipeline or a grid search points to the user's line as well.
INTERNAL_PACKAGES = ("sgpmic_cli", "sklearn", "joblib")


class SgpmicError(Exception):
    """An error that the user can correct."""

    exit_code = 1


class UsageError(SgpmicError, ValueError):
    """A wrong argument, an unknown name, or data that cannot be used as requested."""

    exit_code = 2


class CellsFailed(SgpmicError):
    """The command finished, but some of its runs failed."""

    exit_code = 3


class DataUnavailable(SgpmicError):
    """Data that cannot be downloaded or do not match their hash."""

    exit_code = 4


@contextmanager
def input_errors() -> Iterator[None]:
    """Raise a ValueError of this block, in which a library checks input of the user, as ours.

    The block contains the check only, such as a call of scikit-learn's `validate_data`.
    """
    try:
        yield
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(str(error)) from None


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the innermost line that is outside this package and its libraries."""
    # `skip_file_prefixes` of `warnings.warn` needs Python 3.12.
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] in INTERNAL_PACKAGES:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
