"""Parse the publishers' files into values and class names, in the order of the file."""

import io
from collections.abc import Callable
from functools import partial

import numpy as np

Parsed = tuple[np.ndarray, list[str]]


def _text(
    raw: bytes,
    separator: str | None = ",",
    class_column: int = -1,
    id_column: int | None = None,
) -> Parsed:
    """Parse one row per line. A separator of None means white space."""
    values, classes = [], []
    for line in raw.decode("ascii").splitlines():
        cells = [cell.strip() for cell in line.split(separator)]
        if not line.strip() or "?" in cells:  # the paper leaves incomplete rows of BC out
            continue
        left_out = (class_column % len(cells), id_column)
        classes.append(cells[class_column])
        values.append([float(cell) for j, cell in enumerate(cells) if j not in left_out])
    return np.array(values), classes


def _matlab(raw: bytes) -> Parsed:
    """Parse Deng Cai's layout: `fea` has one row per image, `gnd` the numbers of the classes."""
    from scipy.io import loadmat

    # scipy-stubs only allow paths, but SciPy also reads open files.
    arrays = loadmat(io.BytesIO(raw), variable_names=["fea", "gnd"])  # type: ignore[arg-type]
    return arrays["fea"].astype(np.float64), [str(int(number)) for number in arrays["gnd"].ravel()]


PARSERS: dict[str, Callable[[bytes], Parsed]] = {
    "class-last": _text,
    "class-first": partial(_text, class_column=0),
    "id-class-first": partial(_text, class_column=1, id_column=0),
    "id-first-class-last": partial(_text, id_column=0),
    "spaces-class-last": partial(_text, separator=None),
    "matlab": _matlab,
}
