"""Warnings that point to the user's line of code."""

import os
import sys
import warnings
from pathlib import Path

import joblib
import sklearn

# Frames of these packages are skipped, so that a call through a pipeline or a grid search points to
# the user's line as well.
LIBRARIES = tuple(
    str(folder) + os.sep
    for folder in (*sklearn.__path__, *joblib.__path__, Path(__file__).parents[1])
)


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the innermost line that is outside this package and its libraries."""
    # `skip_file_prefixes` of `warnings.warn` needs Python 3.12.
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(LIBRARIES):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
