"""Tables in NumPy's own files: numbers in rows and columns without names, read where they lie instead of loaded."""

import io

import numpy as np

from sgpmic_cli.data.intake.reading import NPY, Source
from sgpmic_cli.errors import UsageError

ADVICE = "save a table of numbers, rows by columns, with numpy.save"


def array_of(source: Source) -> np.ndarray:
    """The array (N, P) of a .npy file, mapped into memory where it is a file, loaded where it is packed or sent."""
    name = source.name
    if not source.starts_with(NPY):
        raise UsageError(f"{name} is called a .npy file and is none; {ADVICE}")
    try:
        if source.path is None:
            found = np.load(io.BytesIO(source.whole()), allow_pickle=False)
        else:
            found = np.load(source.path, mmap_mode="r", allow_pickle=False)
    except UsageError:
        raise
    except Exception as fault:  # whatever NumPy says of a damaged file, or of one of Python objects
        raise UsageError(
            f"{name} is not a readable .npy file ({' '.join(str(fault).split())[:200]}); {ADVICE}"
        ) from None
    if found.ndim != 2:
        raise UsageError(
            f"{name} holds an array of {found.ndim} dimension{'s' * (found.ndim != 1)}, not 2; {ADVICE}"
        )
    if found.dtype.kind not in "iuf":
        raise UsageError(f"{name} holds values of type {found.dtype}, not numbers; {ADVICE}")
    if not found.size:
        raise UsageError(f"{name} has {found.shape[0]} rows and {found.shape[1]} columns; {ADVICE}")
    return found
