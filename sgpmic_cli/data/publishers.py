"""Readers of the publishers' own files: values and class names in the order of the file."""

import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class _Text:
    """One row per line; which columns are the class and an id, and what separates them (None: white space)."""

    separator: str | None = ","
    class_column: int = -1
    id_column: int | None = None

    def __call__(self, raw: bytes) -> tuple[np.ndarray, list[str]]:
        values, classes = [], []
        for line in raw.decode("ascii").splitlines():
            cells = [cell.strip() for cell in line.split(self.separator)]
            if (
                not line.strip() or "?" in cells
            ):  # incomplete rows are left out, as in the paper's count of BC
                continue
            class_column = self.class_column % len(cells)
            classes.append(cells[class_column])
            values.append(
                [
                    float(cell)
                    for j, cell in enumerate(cells)
                    if j not in (class_column, self.id_column)
                ]
            )
        return np.array(values), classes


def _matlab(raw: bytes) -> tuple[np.ndarray, list[str]]:
    """Deng Cai's layout: `fea` has a row per image, `gnd` the number of its class."""
    from scipy.io import loadmat

    # scipy reads open files too; its stubs know of paths only.
    arrays = loadmat(io.BytesIO(raw), variable_names=["fea", "gnd"])  # type: ignore[arg-type]
    return arrays["fea"].astype(np.float64), [str(int(number)) for number in arrays["gnd"].ravel()]


PARSERS: dict[str, Callable[[bytes], tuple[np.ndarray, list[str]]]] = {
    "class-last": _Text(),
    "class-first": _Text(class_column=0),
    "id-class-first": _Text(class_column=1, id_column=0),
    "id-first-class-last": _Text(id_column=0),
    "spaces-class-last": _Text(separator=None),
    "matlab": _matlab,
}
